package hierarchy_test

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

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

// layouts show less than a day or a second, or just that, or more.
var layouts = []string{
	"2006-01", "2006-01-02", "02.01.2006 15:04", "2006-01-02 15:04:05", "2006-01-02 15:04:05.00",
}

// Ranges side by side share no value, also where a unit or a layout rounds their ends, and each
// holds what is below it.
func TestRangesOfUnits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"date", "timestamp"} {
		for _, unit := range append(append(bag.Units(), ""), layouts...) {
			layout := ""
			if slices.Contains(layouts, unit) {
				layout, unit = unit, ""
			}
			kind, err := bag.NewKind(name, layout, unit)
			if err != nil {
				continue // dates have no hours
			}
			for range 60 {
				least := map[string]int64{"date": 1, "timestamp": 20}[name]
				width := least + int64(math.Exp(r.Float64()*math.Log(float64(least)*400)))
				o := hierarchy.RangeOptions{
					Width: strconv.FormatInt(width, 10), Fanout: 2 + r.IntN(3), Kind: kind,
					Origin: strconv.FormatInt(r.Int64N(width), 10),
				}
				if layout != "" && r.IntN(2) == 0 {
					o.Width, o.Origin = o.Width+".5", o.Origin+".25"
				}
				checkRanges(t, kind, timesNear(t, r, kind, layout, 12*width), o)
			}
		}
	}
}

// timesNear are some values of a kind, in a layout if it has one, from the start of 2024 on, within
// a span of its unit.
func timesNear(t *testing.T, r *rand.Rand, kind bag.Kind, layout string, span int64) []bag.Term {
	t.Helper()
	start, perSecond := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), int64(1)
	if kind.String() == "date" {
		perSecond = 86400
	}
	fields := make([]string, 2+r.IntN(20))
	for i := range fields {
		at := start.Add(time.Duration(r.Int64N(span)*perSecond) * time.Second)
		fields[i] = at.Format(time.RFC3339)
		switch {
		case layout != "":
			fields[i] = at.Add(time.Duration(r.IntN(100)) * 10 * time.Millisecond).Format(layout)
		case kind.String() == "date":
			fields[i] = at.Format(time.DateOnly)
		}
	}
	b, err := bag.FromFields(kind, [][]string{fields})
	if err != nil {
		t.Fatal(err)
	}
	return b.Terms()
}

func checkRanges(t *testing.T, kind bag.Kind, values []bag.Term, o hierarchy.RangeOptions) {
	t.Helper()
	tree, err := hierarchy.Ranges(values, o)
	if err != nil {
		t.Fatal(err)
	}
	for u := range int32(tree.Nodes()) {
		within := termOf(t, kind, tree.Label(u))
		var below []bag.Term
		for _, c := range tree.Children(u) {
			below = append(below, termOf(t, kind, tree.Label(c)))
		}
		slices.SortFunc(below, bag.Term.Compare)
		for i, b := range below {
			if b.Lo.Compare(within.Lo) < 0 || b.Hi.Compare(within.Hi) > 0 {
				t.Fatalf("%+v: %s is not inside %s", o, b, within)
			}
			if i > 0 && below[i-1].Hi.Compare(b.Lo) >= 0 {
				t.Fatalf("%+v: %s and %s overlap", o, below[i-1], b)
			}
		}
	}
	for _, v := range values {
		if want := pathAlone(t, values, v, o); !slices.Equal(pathIn(tree, v), want) {
			t.Fatalf("%+v: %v, and %v without the values beside it", o, pathIn(tree, v), want)
		}
	}
}

// pathAlone is what stands above a value where no other lies between it and the ends, but for one
// with the most decimals, which ranges are written with.
func pathAlone(t *testing.T, values []bag.Term, v bag.Term, o hierarchy.RangeOptions) []string {
	t.Helper()
	finest := slices.MaxFunc(values, func(a, b bag.Term) int {
		return cmp.Compare(a.Lo.Decimals(), b.Lo.Decimals())
	})
	some := []bag.Term{values[0], v, finest, values[len(values)-1]}
	slices.SortFunc(some, bag.Term.Compare)
	some = slices.CompactFunc(some, func(a, b bag.Term) bool { return a.Compare(b) == 0 })
	tree, err := hierarchy.Ranges(some, o)
	if err != nil {
		t.Fatal(err)
	}
	return pathIn(tree, v)
}

// pathIn is a leaf and what stands above it.
func pathIn(tree *hierarchy.Tree, leaf bag.Term) []string {
	var path []string
	u, _ := tree.Dict().ID(leaf.String())
	for ; u >= 0; u = tree.Parent(u) {
		path = append(path, tree.Label(u))
	}
	return path
}

// A building of which nothing more is wanted ends.
func TestRangesEnd(t *testing.T) {
	values := make([]bag.Term, 5000)
	for i := range values {
		values[i] = bag.Point(bag.Int(int64(i)))
	}
	enough, asked := errors.New("enough"), 0
	for most := range 3 {
		asked = 0
		_, err := hierarchy.Ranges(values, hierarchy.RangeOptions{
			Width: "1", Fanout: 2, Ended: func() error {
				if asked == most {
					return enough
				}
				asked++
				return nil
			},
		})
		if !errors.Is(err, enough) {
			t.Errorf("after %d times: %v", most, err)
		}
	}
}

func termOf(t *testing.T, kind bag.Kind, label string) bag.Term {
	t.Helper()
	term, err := kind.ParseTerm(label)
	if err != nil {
		t.Fatal(err)
	}
	return term
}

// A value is in the ranges above it also where the layout cannot tell where these end: one that
// shows hours up to twelve only takes other ones, too.
func TestRangesHoldTheirValue(t *testing.T) {
	kind, err := bag.NewKind("timestamp", "03:04", "")
	if err != nil {
		t.Fatal(err)
	}
	b, err := bag.FromFields(kind, [][]string{{"01:00", "02:00", "12:30", "12:45"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []string{"43200", "86400"} {
		o := hierarchy.RangeOptions{Width: width, Fanout: 2, Kind: kind}
		tree, err := hierarchy.Ranges(b.Terms(), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range b.Terms() {
			u, _ := tree.Node(v.String())
			for _, p := range tree.Path(u) {
				above := termOf(t, kind, tree.Label(p))
				if above.Lo.Compare(v.Lo) > 0 || above.Hi.Compare(v.Hi) < 0 {
					t.Errorf("width %s: %s is not in %s", width, v, above)
				}
			}
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
