package anonymize_test

import (
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/exact"
	"mingle/anonymize/km"
	"mingle/anonymize/local"
)

// least finds the smallest room that an algorithm takes without more than is asked.
func least(in anonymize.Input, a anonymize.Algorithm, ok func(with anonymize.Input, least int64) bool) int64 {
	lo, hi := int64(1), int64(1)<<50
	for lo < hi {
		mid := (lo + hi) / 2
		if ok(in.Within(a, mid)) {
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
	all := least(in, local.Algorithm{}, func(with anonymize.Input, least int64) bool { return least == 0 && with.Workers == 0 })
	one := least(in, local.Algorithm{}, func(_ anonymize.Input, least int64) bool { return least == 0 })
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
			t.Errorf("%d bytes: %d workers, %d bytes needed; want %d, %d", c.room, with.Workers, least, c.workers, c.least)
		}
	}
}

// aa is told of the bound where its walks would not keep to it, and never refused; vpa keeps copies
// besides.
func TestWithinOfWalks(t *testing.T) {
	in := conformance.Medium(3)
	free := least(in, km.AA{}, func(with anonymize.Input, least int64) bool { return with.Memory == 0 })
	if with, least := in.Within(km.AA{}, free-1); with.Memory != free-1 || least != 0 {
		t.Errorf("aa: %d, %d", with.Memory, least)
	}
	if _, least := in.Within(km.AA{}, 1); least != 0 {
		t.Errorf("aa is refused: %d", least)
	}
	if _, least := in.Within(km.VPA{}, 1); least < int64(in.Data.Occurrences()) {
		t.Errorf("vpa: %d", least)
	}
	high := in
	high.Promise.M = 7
	if more := least(high, km.AA{}, func(with anonymize.Input, _ int64) bool { return with.Memory == 0 }); more <= free {
		t.Errorf("m=7 needs %d bytes, m=%d %d", more, in.Promise.M, free)
	}
	if _, least := in.Within(exact.Algorithm{}, 1); least == 0 {
		t.Error("exact in one byte")
	}
}
