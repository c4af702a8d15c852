package verify

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mingle/dataset"
	"mingle/internal/soak"
	"mingle/internal/testdata"
	"mingle/privacy"
)

// On real data: a release holds, with and without its original and for any number of workers, and
// one changed item, one dropped transaction or one raised support is refused with a witness on that
// line.
func TestSoakRealData(t *testing.T) {
	names := []string{"groceries", "bms-webview-1", "retail"}
	for _, name := range names[:soak.Share(short(2, 1), len(names))] {
		t.Run(name, func(t *testing.T) {
			d := readFimi(t, testdata.Path(t, name+"/"+name+".dat.gz"))
			in := coarse(t, d, privacy.KM{K: 5, M: 2})
			want := check(t, in)
			if !want.Holds || want.Recoding != "global" {
				t.Fatalf("%+v", want)
			}
			in.Workers = 3
			if diff := cmp.Diff(want, check(t, in)); diff != "" {
				t.Error(diff)
			}
			line := longLine(in)
			for what, change := range map[string]func(tx []int32) []int32{
				"changed item": func(tx []int32) []int32 {
					return append(slices.Clone(tx[1:]),
						otherNode(in, tx))
				},
				"raised support": func(tx []int32) []int32 {
					return append(slices.Clone(tx),
						otherNode(in, tx))
				},
				"lost item":    func(tx []int32) []int32 { return slices.Clone(tx[1:]) },
				"dropped line": nil,
			} {
				bad := in
				bad.Published = changed(in.Published, line, change)
				f := check(t, bad)
				if f.Holds || !slices.ContainsFunc(f.Breaches, func(b Breach) bool {
					return (b.Kind == KindRecoding && slices.Contains(b.Lines, line+1)) ||
						b.Kind == KindCount
				}) {
					t.Errorf("%s in line %d: %+v", what, line+1, f)
				}
			}
		})
	}
}

// longLine is a line with several nodes in the middle of the file.
func longLine(in KMInput) int {
	i := in.Published.Len() / 2
	for len(in.Published.Tx(i)) < 3 {
		i++
	}
	return i
}

// otherNode is a node in use that a line does not publish.
func otherNode(in KMInput, tx []int32) int32 {
	for u, n := range in.Published.Supports() {
		if n > 0 && !slices.Contains(tx, int32(u)) {
			return int32(u)
		}
	}
	return -1
}

func changed(d *dataset.Dataset, line int, change func([]int32) []int32) *dataset.Dataset {
	b := dataset.NewBuilder(d.Dict())
	for i := range d.Len() {
		switch {
		case i != line:
			b.Add(slices.Clone(d.Tx(i)))
		case change != nil:
			b.Add(change(d.Tx(i)))
		}
	}
	return b.Build()
}

// Where every line is published k times, m can be as long as the longest line, and nothing needs to
// be counted: the check ends at once. Unfolded, the same lines are refused without going through
// all combinations of each.
func TestLongCombinations(t *testing.T) {
	d := readFimi(t, testdata.Path(t, "bms-webview-1/bms-webview-1.dat.gz"))
	in := coarse(t, d, privacy.KM{K: 5, M: 1})
	b := dataset.NewBuilder(in.Published.Dict())
	for i := range in.Published.Len() {
		for range 5 {
			b.Add(slices.Clone(in.Published.Tx(i)))
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	f, err := KM(ctx, KMInput{
		Tree: in.Tree, Published: b.Build(),
		Promise: privacy.KM{K: 5, M: 1000},
	})
	if err != nil || !f.Holds || f.Itemsets != 0 {
		t.Errorf("%+v %v", f, err)
	}
	f, err = KM(ctx, KMInput{
		Tree: in.Tree, Published: in.Published,
		Promise: privacy.KM{K: 5, M: 1000},
	})
	if err != nil || f.Holds {
		t.Errorf("%+v %v", f, err)
	}
}
