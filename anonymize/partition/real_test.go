package partition_test

import (
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/partition"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/soak"
	"mingle/privacy"
)

// On real data the verifier finds k^m-anonymity for small and for large m, exact grouping full
// k-anonymity, and the loss is no more than that of a public implementation where one is known.
func TestRealDataSoak(t *testing.T) {
	for _, row := range []struct {
		name string
		most float64 // NCP of the public implementation; 0: not known
		slow bool
	}{
		{"bms-webview-1", 0.0413, false},
		{"bms-webview-2", 0.0566, false},
		{"groceries", 0, false},
		{"retail", 0, true},
		{"mimic3-demo/mimic3-demo-admissions", 0, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			if row.slow && !soak.All() {
				t.Skip("takes seconds")
			}
			in := conformance.Real(t, row.name, privacy.KM{K: 5, M: 2})
			g, err := partition.Algorithm{}.Anonymize(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			wholeSets(t, in, g)
			ncp := conformance.Verified(t, in, g)
			in.Promise.M = 3
			conformance.Verified(t, in, g)
			if row.most > 0 && ncp > row.most {
				t.Errorf("NCP %.4f, a public implementation has %.4f", ncp, row.most)
			}
			t.Logf("NCP %.4f", ncp)
			if row.name == "bms-webview-1" {
				refusesMoved(t, in, g.Published())
			}
		})
	}
}

// refusesMoved has two transactions of different groups change places.
func refusesMoved(t *testing.T, in anonymize.Input, p *dataset.Dataset) {
	t.Helper()
	for i := range p.Len() {
		j := (i + p.Len()/2) % p.Len()
		if len(p.Tx(i)) < 3 || slices.Equal(p.Tx(i), p.Tx(j)) {
			continue
		}
		order := make([]int32, p.Len())
		for at := range order {
			order[at] = int32(at)
		}
		order[i], order[j] = order[j], order[i]
		if conformance.Judge(t, in, p.Select(order)).Holds {
			t.Errorf("transactions %d and %d stand in each other's place, and the verifier does not see it", i, j)
		}
		return
	}
	t.Fatal("no two transactions to exchange")
}

// The example of docs/algorithms/partition.md: k^m-anonymity with m as long as the longest
// transaction holds, and yet two of four people are told apart by who knows all they have, and that
// it is all.
func TestLargeMIsNotFullAnonymity(t *testing.T) {
	tree, err := hierarchy.Fanout([]string{"apples", "bread"}, 2)
	if err != nil {
		t.Fatal(err)
	}
	d, err := tree.Encode(dataset.FromLabels([][]string{
		{"apples"},
		{"apples", "bread"},
		{"apples", "bread"},
		{"bread"},
	}))
	if err != nil {
		t.Fatal(err)
	}
	in := anonymize.Input{Data: d, Tree: tree, Promise: privacy.KM{K: 2, M: 2}}
	asItIs := d.Recode(tree.Dict(), []int32{0, 1})
	if f := conformance.Judge(t, in, asItIs); !f.Holds {
		t.Errorf("2^2-anonymity: %+v", f)
	}
	if n := smallestGroup(asItIs); n != 1 {
		t.Errorf("%d transactions publish the rarest set, want 1", n)
	}
	in.Promise.NegativeKnowledge = true
	if conformance.Judge(t, in, asItIs).Holds {
		t.Error("who knows that there is no bread beside the apples is not found out")
	}
	in.Promise.NegativeKnowledge = false
	g, err := partition.Algorithm{}.Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if n := smallestGroup(g.Published()); n < 2 {
		t.Errorf("%d transactions publish the rarest set of partition's release", n)
	}
}

// smallestGroup is the number of transactions that publish the rarest whole set.
func smallestGroup(p *dataset.Dataset) int {
	return int(slices.Min(dataset.Merge(p).Weights))
}
