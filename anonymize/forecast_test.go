package anonymize_test

import (
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/global"
	"mingle/anonymize/global/exact"
	"mingle/anonymize/local"
)

// asked is what an algorithm works on in some room, and how many bytes it needs where that is too
// little.
type asked struct {
	anonymize.Input
	least int64
}

// smallest finds the smallest room for an algorithm in which ok holds.
func smallest(in anonymize.Input, a anonymize.Algorithm, ok func(asked) bool) int64 {
	lo, hi := int64(1), int64(1)<<50
	for lo < hi {
		mid := (lo + hi) / 2
		with, least := in.Within(a, mid)
		if ok(asked{with, least}) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// Where there is room for local with one worker only, it works with one; where there is not, it is
// told how much it needs.
func TestWithinOfLocal(t *testing.T) {
	in := conformance.Medium(3)
	all := smallest(in, local.Algorithm{}, func(a asked) bool {
		return a.least == 0 &&
			a.Workers == 0
	})
	one := smallest(in, local.Algorithm{}, func(a asked) bool { return a.least == 0 })
	if one >= all {
		t.Fatalf("it needs %d bytes with one worker, %d with more", one, all)
	}
	for _, c := range []struct {
		room    int64
		workers int
		least   int64
	}{{0, 0, 0}, {all, 0, 0}, {all - 1, 1, 0}, {one, 1, 0}, {one - 1, 0, one}} {
		with, least := in.Within(local.Algorithm{}, c.room)
		if with.Workers != c.workers || least != c.least || with.Memory != 0 {
			t.Errorf("%+v: %d workers, %d bytes needed", c, with.Workers, least)
		}
	}
}

// aa and exact are told of the bound where they would not keep to it, and never refused; vpa keeps
// copies besides.
func TestWithinOfWalks(t *testing.T) {
	in := conformance.Medium(3)
	free := smallest(in, global.AA{}, func(a asked) bool { return a.Memory == 0 })
	if with, least := in.Within(global.AA{}, free-1); with.Memory != free-1 || least != 0 {
		t.Errorf("aa: %d, %d", with.Memory, least)
	}
	for _, a := range []anonymize.Algorithm{global.AA{}, exact.Algorithm{}} {
		if with, least := in.Within(a, 1); with.Memory != 1 || least != 0 {
			t.Errorf("%s is refused: %d", a.Name(), least)
		}
	}
	if _, least := in.Within(global.VPA{}, 1); least < int64(in.Data.Occurrences()) {
		t.Errorf("vpa: %d", least)
	}
	high := in
	high.Promise.M = 7
	unbounded := func(a asked) bool { return a.Memory == 0 }
	if more := smallest(high, global.AA{}, unbounded); more <= free {
		t.Errorf("m=7 needs %d bytes, m=%d %d", more, in.Promise.M, free)
	}
}
