package global_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/global"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/brute"
	"mingle/privacy"
)

// Figure 3 of terrovitis-2008 lists the cuts; the losses and rare itemsets of each were checked by
// enumeration.
func TestCutsOfFigure3(t *testing.T) {
	in := brute.Figure2()
	want := map[string]struct {
		cost int64 // NCP times 4 leaves times 11 occurrences
		ok   bool
	}{
		"a1 a2 b1 b2": {0, false},
		"A b1 b2":     {10, true},
		"a1 a2 B":     {12, false},
		"A B":         {22, true},
		"ALL":         {44, true},
	}
	if n := global.Cuts(in.Tree).Int64(); n != int64(len(want)) {
		t.Errorf("%d cuts, want %d", n, len(want))
	}
	for _, c := range brute.Cuts(in.Tree) {
		w, known := want[spellCut(c)]
		if !known {
			t.Errorf("unexpected cut %s", spellCut(c))
			continue
		}
		if cost := brute.Cost(in.Data, c); cost != w.cost {
			t.Errorf("%s costs %d, want %d", spellCut(c), cost, w.cost)
		}
		if ok := brute.Keeps(in.Data.Recode(in.Tree.Dict(), c.Map()), nil, in.Promise); ok != w.ok {
			t.Errorf("%s keeps the promise: %v, want %v", spellCut(c), ok, w.ok)
		}
	}
}

func spellCut(c *hierarchy.Cut) string {
	var names []string
	for _, u := range c.Nodes() {
		names = append(names, c.Tree().Label(u))
	}
	return strings.Join(names, " ")
}

// All algorithms find the optimal cut of figure 2b.
func TestFigure2b(t *testing.T) {
	for _, a := range []anonymize.Algorithm{global.OA{}, global.DA{}, global.AA{}} {
		g, err := a.Anonymize(t.Context(), brute.Figure2())
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for i := range g.Published().Len() {
			lines = append(lines, strings.Join(g.Published().Labels(i), ","))
		}
		if got, want := strings.Join(lines, " "), "b1,b2,A b1,A b1,b2,A b2,A"; got != want {
			t.Errorf("%s publishes %s, want %s", a.Name(), got, want)
		}
	}
}

func TestOARefusesLargeLattices(t *testing.T) {
	var leaves []string
	for i := range 500 {
		leaves = append(leaves, fmt.Sprint(i))
	}
	tree, err := hierarchy.Fanout(leaves, 5)
	if err != nil {
		t.Fatal(err)
	}
	b := dataset.NewBuilder(tree.LeafDict())
	b.Add([]int32{1})
	b.Add([]int32{1})
	in := anonymize.Input{Data: b.Build(), Tree: tree, Promise: privacy.KM{K: 2, M: 1}}
	var out *privacy.Infeasible
	_, err = global.OA{}.Anonymize(t.Context(), in)
	if !errors.As(err, &out) || !strings.Contains(err.Error(), global.Cuts(tree).String()[:1]) {
		t.Errorf("a lattice of 500 leaves: %v", err)
	}
}
