package nonreciprocal

import (
	"testing"

	"mingle/dataset"
	"mingle/privacy"
)

// Nothing is refused, and so is a number of workers that cannot be meant.
func TestAnonymizeRefusesNothing(t *testing.T) {
	promise := privacy.Nonreciprocal{K: 2}
	data := dataset.FromLabels([][]string{{"a"}, {"a"}})
	for name, in := range map[string]Input{
		"nothing": {}, "no data": {Promise: promise, Labels: []string{"x"}},
		"workers": {Promise: promise, Data: data, Workers: -1},
	} {
		if _, err := Anonymize(t.Context(), in); err == nil {
			t.Errorf("%s: there is a release", name)
		}
	}
}
