package privacy

import (
	"fmt"
	"strings"
	"testing"
)

// Every promise says its parameters by their own names, those that are not used left out; its
// condition names their values; and each fault names the parameter and its value.
func TestParametersHaveTheirOwnNames(t *testing.T) {
	for _, c := range []struct {
		promise Promise
		want    string
	}{
		{KM{K: 5, M: 2}, "k=5 m=2"},
		{KM{K: 5, M: 2, L: 3, NegativeKnowledge: true}, "k=5 m=2 l=3 negative_knowledge=true"},
		{KM{K: 5, M: 2, Knows: OfAlgorithm}, "k=5 m=2 adversary=algorithm"},
		{Continuous{K: 7, M: 3}, "k=7 m=3"},
		{Nonreciprocal{K: 6}, "k=6"},
		{Nonreciprocal{L: 6, GroupsSeeLabels: true}, "l=6 groups_see_labels=true"},
		{Coherence{H: 0.4, K: 8, P: 2}, "h=0.4 k=8 p=2"},
	} {
		var got []string
		for _, p := range c.promise.Parameters() {
			got = append(got, fmt.Sprintf("%s=%v", p.Name, p.Value))
			if _, number := p.Value.(int); number &&
				!strings.Contains(c.promise.Inequality(), fmt.Sprint(p.Value)) {
				t.Errorf("%v: the condition does not say %s", c.promise, got[len(got)-1])
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v: %v, want %s", c.promise, got, c.want)
		}
		if err := c.promise.Validate(); err != nil {
			t.Errorf("%v: %v", c.promise, err)
		}
	}
}

func TestValidateNamesEveryFault(t *testing.T) {
	for _, c := range []struct {
		promise Promise
		want    []string
	}{
		{KM{K: 1, M: 0, L: 1}, []string{"k (1)", "m (0)", "l (1)"}},
		{Continuous{K: 1, M: -1}, []string{"k (1)", "m (-1)"}},
		{Nonreciprocal{}, []string{"one of k and l"}},
		{Nonreciprocal{K: 1, L: 1}, []string{"both given", "k (1) must", "l (1) must"}},
	} {
		err := c.promise.Validate()
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%+v: %v does not name %q", c.promise, err, want)
			}
		}
	}
}
