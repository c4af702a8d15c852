package cluster

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"mingle/cluster/engine"
	"mingle/cluster/fake"
	"mingle/cluster/split"
	"mingle/dataset"
	"mingle/internal/brute"
)

// The items of distinct lines are counted, whatever parts the lines are cut into; lines that are
// lost or come twice are noticed.
func TestItemsOfDistinctLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 33))
	noticed := 0
	for range 60 {
		in := brute.Random(rng)
		var tree []byte
		for leaf := range in.Tree.Leaves() {
			tree = fmt.Appendf(tree, "%s;*\n", in.Tree.Label(int32(leaf)))
		}
		path := filepath.Join(t.TempDir(), "in")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		layout := split.Layout{Format: dataset.Basket, Hierarchy: tree}
		if err := dataset.Write(f, in.Data, layout.Options()); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		e := &fake.Engine{
			Rng: fake.Own(rng), Lines: 1 + rng.IntN(9),
			Work: func(ctx context.Context, verb string, plan, r io.Reader, w io.Writer) error {
				return Work(ctx, verb, plan, "test", r, w)
			},
		}
		c := &counts{
			engine: e, version: "test", layout: layout, files: []string{path}, buckets: 3,
			tell: func(string) {}, seen: &total{mapped: mapped{
				Lines: int64(in.Data.Len()), Occurrences: int64(in.Data.Occurrences()),
			}},
		}
		n, err := c.Distinct(t.Context())
		if want := dataset.Merge(in.Data).Occurrences(); err != nil || n != want {
			t.Fatalf("%d items, not %d (%v)", n, want, err)
		}
		at := rng.IntN(3)
		e.Unsafe = func(_ engine.Job, lines []string) []string {
			i := rng.IntN(len(lines))
			if at == 0 {
				return append(lines, lines[i])
			}
			return append(lines[:i:i], lines[i+1:]...)
		}
		if _, err := c.Distinct(t.Context()); err != nil {
			noticed++
		}
	}
	if noticed != 60 {
		t.Errorf("%d of 60 faults were noticed", noticed)
	}
}
