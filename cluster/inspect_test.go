package cluster_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/cluster"
	"mingle/internal/brute"
)

// What is told of data is what enumerating them tells.
func TestInspectedDataAreThoseEnumerated(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 41))
	sets := int64(0)
	for range 120 {
		p := random(t, rng)
		if p.in.Promise.Persons {
			continue
		}
		k, m := 2+rng.IntN(4), 1+rng.IntN(3)
		got, err := cluster.Data{
			Engine: p.fake, Version: version, Layout: p.release.Layout, Input: p.release.Input,
			Progress: func(string) {},
		}.Inspect(t.Context(), k, m)
		if err != nil {
			t.Fatal(err)
		}
		d := p.in.Data
		want := cluster.Profile{
			Lines: int64(d.Len()), Empty: int64(d.Empty()), Occurrences: int64(d.Occurrences()),
			Longest: d.MaxLen(), Known: p.in.Tree.Leaves(), K: k,
			Sets: make([]cluster.SetsOf, min(m, max(1, d.MaxLen()))),
		}
		seen := map[string]bool{}
		for _, tx := range d.All() {
			brute.Sets(tx, m, func(set []int32) {
				id := string(toRunes(set))
				if len(set) == 0 || seen[id] {
					return
				}
				seen[id] = true
				of := &want.Sets[len(set)-1]
				of.Different++
				if brute.Support(d, set) < k {
					of.Rare++
				}
			})
		}
		want.Items = int(want.Sets[0].Different)
		if !slices.Equal(got.Sets, want.Sets) {
			t.Fatalf("%v sets, not %v", got.Sets, want.Sets)
		}
		got.Sets, want.Sets = nil, nil
		if got.Lines != want.Lines || got.Empty != want.Empty || got.Items != want.Items ||
			got.Occurrences != want.Occurrences || got.Longest != want.Longest ||
			got.Known != want.Known || got.K != want.K {
			t.Fatalf("%+v, not %+v", got, want)
		}
		sets += int64(len(seen))
	}
	if sets < 500 {
		t.Errorf("only %d sets: the test tests little", sets)
	}
}

func toRunes(set []int32) []rune {
	out := make([]rune, len(set))
	for i, u := range set {
		out[i] = rune(u) + 'a'
	}
	return out
}
