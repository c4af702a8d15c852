package verify_test

import (
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/privacy"
	"mingle/verify"
)

// What cannot be judged is refused: it is no verdict.
func TestWhatCannotBeJudgedIsRefused(t *testing.T) {
	d, labels := table1()
	published := readTable(t, table3, d)
	other := dataset.FromLabels([][]string{{"x"}})
	for _, c := range []struct {
		in   verify.NonreciprocalInput
		want string
	}{
		{verify.NonreciprocalInput{}, "must"},
		{verify.NonreciprocalInput{Promise: privacy.Nonreciprocal{K: 3}}, "both the original"},
		{verify.NonreciprocalInput{
			Original: other, Published: published, Promise: privacy.Nonreciprocal{K: 3},
		}, "dictionary"},
		{verify.NonreciprocalInput{
			Original: d, Labels: labels[:1], Published: published,
			Promise: privacy.Nonreciprocal{K: 3},
		}, "labels for"},
	} {
		f, err := verify.Nonreciprocal(t.Context(), c.in)
		if err == nil || f != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("want %q: %v", c.want, err)
		}
	}
	if f, err := verify.Coherence(t.Context(), verify.CoherenceInput{}); err == nil || f != nil {
		t.Error("a release of nothing")
	}
	only := verify.CoherenceInput{Published: d}
	if f, err := verify.Coherence(t.Context(), only); err == nil || f != nil {
		t.Error("a promise of nothing")
	}
	if f, err := verify.Continuous(t.Context(), verify.ContinuousInput{
		Published: bags(t, "1 2"), Promise: privacy.Continuous{},
	}); err == nil || f != nil {
		t.Error("a promise of nothing")
	}
}

// What the judge counted is told in words.
func TestMatchCountsInWords(t *testing.T) {
	c := verify.MatchCounts{Records: 9, LeastRecord: 3, LeastRow: 2, LeastLabels: 2, Assigned: true}
	if got := c.String(); !strings.Contains(got, "9 records") ||
		!strings.Contains(got, "(or more), in assignments of all records; at least 2 different labels") {
		t.Error(got)
	}
	c = verify.MatchCounts{Exact: true}
	if got := c.String(); !strings.HasSuffix(got, "(exactly)") {
		t.Error(got)
	}
}
