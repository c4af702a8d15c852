package local

import (
	"os"
	"testing"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/internal/brute"
	"mingle/privacy"
)

func TestWorldProto(t *testing.T) {
	if os.Getenv("WORLDS") == "" {
		t.Skip()
	}
	for _, c := range []struct{ tree, lines, m int }{{0, 4, 1}, {0, 4, 2}, {0, 5, 2}, {3, 5, 2}, {4, 4, 1}, {4, 4, 2}} {
		tree := brute.SmallTrees()[c.tree]
		p := privacy.KM{K: 2, M: c.m}
		w := brute.Worlds{Tree: tree, Lines: c.lines, Promise: p}
		e := w.Expose(func(d *dataset.Dataset) []brute.Outcome {
			g, err := Algorithm{}.Anonymize(t.Context(), anonymize.Input{Data: d, Tree: tree, Promise: p, Workers: 1})
			if err != nil {
				return nil
			}
			return []brute.Outcome{{Published: g.Published(), Probability: 1}}
		})
		t.Log(c, e)
	}
}
