package continuous_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mingle/anonymize/continuous"
	"mingle/dataset/bag"
	"mingle/hierarchy"
	"mingle/measure"
	"mingle/privacy"
	"mingle/release"
)

// table1 is Table 1 of gkountouna-2014: John, Mary, Nick, Sandy, Mark.
func table1() *bag.Bags {
	return bag.FromInts([][]int64{
		{11000, 11000, 20000, 40000, 40000},
		{11000, 30500, 40000},
		{11000, 11000, 40000, 40000},
		{11000},
		{20000},
	})
}

func published(r *release.Ranges) []string {
	b := r.Published()
	var out []string
	for i := range b.Len() {
		out = append(out, strings.Join(b.Texts(i), " "))
	}
	return out
}

// Table 3, and its loss: three occurrences of the range of 10,500 in a domain of 29,000.
func TestTable3(t *testing.T) {
	for _, paperOnly := range []bool{true, false} {
		r, err := continuous.Anonymize(context.Background(), continuous.Input{
			Data: table1(), Promise: privacy.Continuous{K: 2, M: 2}, Threshold: 0.001,
			PaperOnly: paperOnly,
		})
		if err != nil {
			t.Fatal(err)
		}
		lines := []string{
			"11000 11000 [20000-30500] 40000 40000",
			"11000 [20000-30500] 40000",
			"11000 11000 40000 40000",
			"11000",
			"[20000-30500]",
		}
		if diff := cmp.Diff(lines, published(r)); diff != "" {
			t.Error(diff)
		}
		got := measure.Bags(r)
		want := 3 * 10500.0 / 29000 / 14
		if math.Abs(got.NCP-want) > 1e-15 || got.Generalized != 3 || got.Occurrences != 14 {
			t.Errorf("loss %+v, want %.6f with 3 of 14 occurrences generalized", got, want)
		}
	}
}

// Table 2, with the hierarchy of figure 1: (10000-20000], ..., written as closed ranges of whole
// numbers.
func TestTable2(t *testing.T) {
	tree, err := hierarchy.Ranges(
		table1().Terms(), hierarchy.RangeOptions{Width: "10000", Fanout: 2, Origin: "1"},
	)
	if err != nil {
		t.Fatal(err)
	}
	r, err := continuous.Anonymize(context.Background(), continuous.Input{
		Algorithm: continuous.AA,
		Data:      table1(), Promise: privacy.Continuous{K: 2, M: 2}, Tree: tree,
	})
	if err != nil {
		t.Fatal(err)
	}
	a, c := "[11000-20000]", "[30001-40000]" // the first range begins where the domain does
	want := []string{
		strings.Join([]string{a, a, a, c, c}, " "),
		strings.Join([]string{a, c, c}, " "),
		strings.Join([]string{a, a, c, c}, " "),
		a,
		a,
	}
	if diff := cmp.Diff(want, published(r)); diff != "" {
		t.Error(diff)
	}
}

// Figure 2: the tree of height 1 before and after 30500 is generalized.
func TestFigure2(t *testing.T) {
	want := "11000:4\n40000:3\n20000:2\n30500:1\n"
	if got := countTree(table1(), 1).String(); got != want {
		t.Errorf("figure 2a:\n%swant\n%s", got, want)
	}
	want = "11000:4\n[20000-30500]:3\n40000:3\n"
	if got := countTree(table3(t), 1).String(); got != want {
		t.Errorf("figure 2b:\n%swant\n%s", got, want)
	}
}

// Figure 3: the tree of height 2 of the generalized data; all leaves have at least k = 2.
func TestFigure3(t *testing.T) {
	want := `11000:4
  40000:3
  11000:2
  [20000-30500]:2
[20000-30500]:3
  40000:2
40000:3
  40000:2
`
	if got := countTree(table3(t), 2).String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func table3(t *testing.T) *bag.Bags {
	t.Helper()
	b, err := bag.FromFields(bag.Numbers(), [][]string{
		{"11000", "11000", "[20000-30500]", "40000", "40000"},
		{"11000", "[20000-30500]", "40000"},
		{"11000", "11000", "40000", "40000"},
		{"11000"},
		{"[20000-30500]"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}
