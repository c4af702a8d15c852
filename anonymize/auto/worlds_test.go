package auto

import (
	"fmt"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/exact"
	"mingle/anonymize/km"
	"mingle/anonymize/local"
	"mingle/anonymize/partition"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/brute"
	"mingle/internal/soak"
	"mingle/privacy"
)

// publisher runs an algorithm without randomness on an original.
func publisher(t *testing.T, a anonymize.Algorithm, tree *hierarchy.Tree, p privacy.KM) brute.Publisher {
	return func(d *dataset.Dataset) []brute.Outcome {
		g, err := a.Anonymize(t.Context(), anonymize.Input{Data: d, Tree: tree, Promise: p, Workers: 1})
		if err != nil {
			return nil
		}
		return []brute.Outcome{{Published: g.Published(), Probability: 1}}
	}
}

// Somebody who runs the algorithm in mind keeps k candidates for whatever he knows of up to m items: all originals of
// 4 and 5 lines on small trees, for every algorithm. How likely a line may become is logged.
func TestSoakWorlds(t *testing.T) {
	for _, a := range []anonymize.Algorithm{
		km.OA{}, km.DA{}, km.AA{}, exact.Algorithm{}, km.VPA{}, km.LRA{}, partition.Algorithm{}, local.Algorithm{}, Algorithm{TimeLimit: -1},
	} {
		t.Run(a.Name(), func(t *testing.T) {
			trees := brute.SmallTrees()
			for n, tree := range trees[:soak.Share(2, len(trees))] {
				for lines := 4; lines <= soak.Share(4, 5); lines++ {
					for _, p := range []privacy.KM{{K: 2, M: 1}, {K: 2, M: 2}, {K: 3, M: 1}, {K: 3, M: 2}} {
						if soak.All() || p.K == 2 {
							w := brute.Worlds{Tree: tree, Lines: lines, Promise: p}
							e := w.Expose(publisher(t, a, tree, p))
							t.Log(fmt.Sprintf("tree %d, %d lines, %v:", n, lines, p), e)
							if e.Short > 0 && a.Name() != "local" && a.Name() != "auto" {
								t.Error("somebody has fewer than k candidates")
							}
						}
					}
				}
			}
		})
	}
}
