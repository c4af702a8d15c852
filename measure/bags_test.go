package measure_test

import (
	"math"
	"testing"

	"mingle/dataset/bag"
	"mingle/measure"
	"mingle/release"
)

// The loss of Table 3 of gkountouna-2014, as a local recoding, and of ranges over the whole domain.
func TestBagsNCP(t *testing.T) {
	data := bag.FromInts([][]int64{
		{11000, 11000, 20000, 40000, 40000},
		{11000, 30500, 40000},
		{11000, 11000, 40000, 40000},
		{11000},
		{20000},
	})
	values := data.Terms() // 11000 20000 30500 40000
	wide := bag.Term{Lo: values[1].Lo, Hi: values[2].Lo}
	got := measure.Bags(release.GlobalRanges(data, []bag.Term{values[0], wide, wide, values[3]}))
	if want := 3 * 10500.0 / 29000 / 14; math.Abs(got.NCP-want) > 1e-15 || got.Ranges != 1 ||
		got.Values != 2 || got.Generalized != 3 {
		t.Errorf("Table 3: %+v, want NCP %.6f", got, want)
	}
	all := bag.Term{Lo: values[0].Lo, Hi: values[3].Lo}
	if got := measure.Bags(release.GlobalRanges(data,
		[]bag.Term{all, all, all, all})); got.NCP != 1 {
		t.Errorf("one range: %+v", got)
	}
	of := make([]int32, data.Occurrences())
	for pos, v := range data.Items() {
		of[pos] = v
	}
	of[0] = 4
	if got, want := measure.Bags(release.LocalRanges(data, append(values[:4:4], all), of)),
		1.0/14; math.Abs(got.NCP-want) > 1e-15 {
		t.Errorf("one occurrence generalized: %+v, want %.6f", got, want)
	}
	if got := measure.Bags(release.GlobalRanges(bag.FromInts([][]int64{{}, {}}),
		nil)); got.NCP != 0 {
		t.Errorf("no values: %+v", got)
	}
}

// A published file is measured as the release it was made from.
func TestPublishedBags(t *testing.T) {
	data := bag.FromInts([][]int64{{1, 1, 9}, {4}, {6, 9}})
	values := data.Terms()
	wide := bag.Term{Lo: values[1].Lo, Hi: values[2].Lo}
	r := release.GlobalRanges(data, []bag.Term{values[0], wide, wide, values[3]})
	got, err := measure.PublishedBags(data, r.Published())
	if want := measure.Bags(r); err != nil || got != want {
		t.Errorf("%+v (%v), want %+v", got, err, want)
	}
	for _, other := range [][][]int64{{{1, 1, 9}, {4}}, {{1, 1, 9}, {4, 4}, {6, 9}}} {
		if _, err := measure.PublishedBags(data, bag.FromInts(other)); err == nil {
			t.Errorf("%v measured against %v", other, data)
		}
	}
}
