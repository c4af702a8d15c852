package proofs

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/global"
	"mingle/anonymize/global/exact"
	"mingle/anonymize/local"
	"mingle/anonymize/partition"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/soak"
	"mingle/internal/testdata"
	"mingle/privacy"
)

// realKM is an original of the first transactions of a public data set, of some so many occurrences
// in all, with the items that occur there below a tree of fan-out 3.
func realKM(t *testing.T, name string, occurrences int, p privacy.KM) anonymize.Input {
	t.Helper()
	d, err := dataset.Open(t.Context(), testdata.Path(t, name), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var txs [][]string
	for i := 0; i < d.Len() && occurrences > 0; i++ {
		txs = append(txs, d.Labels(i))
		occurrences -= len(d.Tx(i))
	}
	part := dataset.FromLabels(txs)
	tree, err := hierarchy.Fanout(part.Dict().Labels(), 3)
	if err != nil {
		t.Fatal(err)
	}
	in := anonymize.Input{Tree: tree, Promise: p, Seed: &[32]byte{1}}
	if in.Data, err = tree.Encode(part); err != nil {
		t.Fatal(err)
	}
	return in
}

// released are the releases of an original by each algorithm, and what edits make of them.
func released(t *testing.T, in anonymize.Input, edits int) (worlds []world) {
	t.Helper()
	rng := rand.New(rand.NewPCG(23, 8))
	for _, a := range []anonymize.Algorithm{
		global.AA{}, exact.Algorithm{}, local.Algorithm{}, partition.Algorithm{},
	} {
		g, err := a.Anonymize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		var w world = kmWorld{in, g.Published()}
		for range 1 + edits {
			worlds = append(worlds, w)
			w = w.edited(rng)
		}
	}
	return worlds
}

// The verifier and the proved judge say the same of releases of parts of the public data sets, and
// of what edits make of them. The judge tries every set of labels and of items, each against every
// line, so that more than some tens of lines take it minutes; with m=1 it takes hundreds.
func TestJudgesAgreeOnRealDataSoak(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(testdata.Root(t), "*", "*.dat.gz"))
	if err != nil || len(names) == 0 {
		t.Skip("the public data sets are not here (set MINGLE_DATA to their directory)", err)
	}
	dir := compiled(t)
	for _, path := range names[:soak.Share(2, len(names))] {
		name := filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path)
		t.Run(filepath.Base(path), func(t *testing.T) {
			pairs := realKM(t, name, soak.Share(40, 80), privacy.KM{K: 2, M: 2})
			items := realKM(t, name, soak.Share(100, 300), privacy.KM{K: 3, M: 1})
			worlds := append(released(t, pairs, 3), released(t, items, 1)...)
			accepted := agree(t, dir, worlds)
			t.Logf("%d releases, %d accepted", len(worlds), accepted)
		})
	}
}
