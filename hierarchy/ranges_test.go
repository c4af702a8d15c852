package hierarchy_test

import (
	"strings"
	"testing"

	"mingle/dataset/bag"
	"mingle/hierarchy"
)

func pathOf(
	t *testing.T, k bag.Kind, values string, value string, o hierarchy.RangeOptions,
) string {
	t.Helper()
	b, err := bag.FromFields(k, [][]string{strings.Fields(values)})
	if err != nil {
		t.Fatal(err)
	}
	o.Kind = k
	tree, err := hierarchy.Ranges(b.Terms(), o)
	if err != nil {
		t.Fatal(err)
	}
	u, ok := tree.Node(value)
	if !ok {
		t.Fatalf("no leaf %s", value)
	}
	var labels []string
	for _, p := range tree.Path(u) {
		labels = append(labels, tree.Label(p))
	}
	return strings.Join(labels, " ")
}

func TestRanges(t *testing.T) {
	date, _ := bag.NewKind("date", "", "")
	number := bag.Numbers()
	for _, c := range []struct {
		kind                bag.Kind
		values, value, want string
		o                   hierarchy.RangeOptions
	}{
		{
			number, "0 42 120 250 399", "120", "120 [100-199] [0-199] [0-399]",
			hierarchy.RangeOptions{Width: "100", Fanout: 2},
		},
		{
			number, "0 42 120 250 399", "250", "250 [200-299] [200-399] [0-399]",
			hierarchy.RangeOptions{Width: "100", Fanout: 2},
		},
		{
			number, "5 42 120 250 380", "42", "42 [5-99] [5-199] [5-380]",
			hierarchy.RangeOptions{Width: "100", Fanout: 2},
		},
		{
			number, "0.25 1.5 9", "1.5", "1.5 [1.00-1.99] [0.25-2.99] [0.25-8.99] [0.25-9]",
			hierarchy.RangeOptions{Width: "1", Fanout: 3},
		},
		{
			number, "-15 -3 4 12", "-3", "-3 [-10--1] [-15--1] [-15-12]",
			hierarchy.RangeOptions{Width: "10", Fanout: 2},
		},
		{
			number, "11000 20000 30500 40000", "20000", "20000 [11000-20000] [11000-40000]",
			hierarchy.RangeOptions{Width: "10000", Fanout: 4, Origin: "1"},
		},
		{number, "7", "7", "7", hierarchy.RangeOptions{Width: "10", Fanout: 2}},
		{
			date, "2010-01-05 2010-01-06 2010-01-20", "2010-01-06", "2010-01-06 " +
				"[2010-01-05-2010-01-06] [2010-01-05-2010-01-20]",
			hierarchy.RangeOptions{Width: "7", Fanout: 4},
		},
	} {
		if got := pathOf(t, c.kind, c.values, c.value, c.o); got != c.want {
			t.Errorf("%s in {%s}: %s, want %s", c.value, c.values, got, c.want)
		}
	}
}

func TestRangesRefuse(t *testing.T) {
	values := bag.FromInts([][]int64{{1, 2}}).Terms()
	_, err := hierarchy.Ranges(values, hierarchy.RangeOptions{Width: "0", Fanout: 1, Origin: "x"})
	for _, want := range []string{"width (0) must be above 0", "origin", "fan-out (1) must be " +
		"at least 2"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
	if _, err := hierarchy.Ranges(nil, hierarchy.RangeOptions{Width: "1", Fanout: 2}); err == nil {
		t.Error("ranges over nothing")
	}
}
