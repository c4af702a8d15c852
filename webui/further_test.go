package webui

import (
	"strings"
	"testing"

	"mingle/pipeline"
	"mingle/privacy"
)

// What has a field in the form is refused among the further options, in every spelling of a long
// flag; all else is for the command to judge.
func TestFurtherOptionsHaveNoFields(t *testing.T) {
	for more, wrong := range map[string]string{
		"--k=2": "--k ", "--k 2": "--k ", `--seed x "--algorithm" aa`: "--algorithm ",
		"--negative-knowledge": "--negative-knowledge ", "--adversary=data": "--adversary ",
		"--seed test --shuffle": "", "": "", "--keep-columns=k": "", "--proof k.opb": "",
	} {
		c := choice{Family: km, More: more}
		err := c.noFields()
		if (err != nil) != (wrong != "") || err != nil && !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: %v", more, err)
		}
	}
	for _, family := range []string{continuous, nonreciprocal} { // which have no such field
		c := choice{Family: family, More: "--algorithm local"}
		if err := c.noFields(); err != nil {
			t.Errorf("%s: %v", family, err)
		}
	}
}

// A promise that is not that of the form is refused, whatever made it so.
func TestPromiseIsThatOfTheForm(t *testing.T) {
	c := choice{K: "50", M: "2", P: "2", H: "0.50"}
	labelled := choice{K: "5", L: "3", Label: "diagnosis"}
	diverse := choice{K: "50", M: "2", L: "3"}
	for _, c := range []struct {
		choice
		family pipeline.Family
		wrong  string
	}{
		{c, pipeline.KM{Promise: privacy.KM{K: 50, M: 2}}, ""},
		{c, pipeline.KM{Promise: privacy.KM{K: 2, M: 2}}, `k is 2 by the further options, and "50"`},
		{c, pipeline.KM{Promise: privacy.KM{K: 50, M: 1}}, "m is 1 "},
		{c, pipeline.KM{Promise: privacy.KM{K: 50, M: 2, L: 3}}, "l is 3 "},
		{diverse, pipeline.KM{Promise: privacy.KM{K: 50, M: 2, L: 3}}, ""},
		{c, pipeline.Continuous{Promise: privacy.Continuous{K: 50, M: 2}}, ""},
		{c, pipeline.Continuous{Promise: privacy.Continuous{K: 50, M: 3}}, "m is 3 "},
		{c, pipeline.Coherence{Promise: privacy.Coherence{H: 0.5, K: 50, P: 2}}, ""},
		{c, pipeline.Coherence{Promise: privacy.Coherence{H: 1, K: 50, P: 2}}, "h is 1 "},
		{c, pipeline.Nonreciprocal{Promise: privacy.Nonreciprocal{K: 50}}, ""},
		{c, pipeline.Nonreciprocal{Promise: privacy.Nonreciprocal{K: 2}}, "k is 2 "},
		{labelled, pipeline.Nonreciprocal{Promise: privacy.Nonreciprocal{L: 3}}, ""},
		{labelled, pipeline.Nonreciprocal{Promise: privacy.Nonreciprocal{L: 2}}, "l is 2 "},
	} {
		err := c.same(c.family)
		if (err != nil) != (c.wrong != "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%v: %v", c.family, err)
		}
	}
}
