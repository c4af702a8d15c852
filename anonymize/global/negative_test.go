package global_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/global"
	"mingle/anonymize/global/exact"
	"mingle/anonymize/partition"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/privacy"
)

// Hundreds of items, some of which nearly all have, so that lacking one tells much: whatever global
// recoding makes keeps the promise, and not everything is lost.
func TestNegativeKnowledgeOfManyItems(t *testing.T) {
	matters := 0
	for seed := range uint64(3) {
		for _, p := range []privacy.KM{{K: 5, M: 2}, {K: 5, M: 3}, {K: 5, M: 2, L: 3}} {
			in := manyItems(t, seed)
			if in.Promise = p; p.L == 0 {
				in.Sensitive = nil
			}
			plain := conformance.Loss(t, in, global.AA{})
			in.Promise.NegativeKnowledge = true
			for _, a := range []anonymize.Algorithm{
				global.AA{}, global.DA{}, global.VPA{}, exact.Algorithm{}, partition.LRA{Parts: 2},
			} {
				ncp := conformance.Loss(t, in, a)
				if ncp == 1 && plain < 1 {
					t.Errorf("%v: %s loses everything", in.Promise, a.Name())
				}
				if a == (global.AA{}) && ncp > plain {
					matters++
				}
			}
		}
	}
	if matters == 0 {
		t.Error("nowhere does it matter what is lacked")
	}
}

// manyItems is 2,000 transactions over 400 items, some with one of three sensitive items.
func manyItems(t *testing.T, seed uint64) anonymize.Input {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 9))
	labels := make([]string, 400)
	for x := range labels {
		labels[x] = fmt.Sprintf("item%03d", x)
	}
	tree, err := hierarchy.Fanout(labels, 5)
	if err != nil {
		t.Fatal(err)
	}
	b := dataset.NewBuilder(tree.LeafDict())
	var sensitive [][]string
	for range 2000 {
		var tx []int32
		for x := range int32(4) {
			if rng.IntN(1000) >= int(x) {
				tx = append(tx, x) // all but 0, 1, 2 and 3 in 1,000 have these
			}
		}
		for range rng.IntN(5) { // none of the group of these, nor those beside it
			tx = append(tx, 25+int32(float64(len(labels)-25)*math.Pow(rng.Float64(), 3)))
		}
		b.Add(tx)
		var has []string
		if rng.IntN(5) == 0 {
			has = []string{fmt.Sprint("s", rng.IntN(3))}
		}
		sensitive = append(sensitive, has)
	}
	return anonymize.Input{Data: b.Build(), Tree: tree, Sensitive: dataset.FromLabels(sensitive)}
}
