package local

import (
	"slices"
	"testing"

	"mingle/anonymize/conformance"
)

// Those who gave a node up and have a set are the same, in the same order, among all who gave it
// up, among those who publish one of its nodes, and in lists by nodes.
func TestCandidatesAreTheSameHoweverFound(t *testing.T) {
	oneGoroutine(t)
	found := 0
	for seed := range uint64(40) {
		in := conformance.Medium(seed)
		in.Promise.M = 2 + int(seed%2)
		s := newSearch(t.Context(), in, 1)
		kinds := []kind{each, both}
		steps := s.byGain(kinds[seed/2%2], 4).steps(s.weights)
		one := newStep(s.atRoot())
		for _, to := range steps {
			one.begin(t.Context(), to)
			if one.gather(); one.gathered == 0 {
				continue
			}
			one.takeBackAll()
			found += compareCandidates(t, &one.topUp)
			one.commit()
		}
	}
	if found < 1000 {
		t.Errorf("only %d candidates were found", found)
	}
}

// compareCandidates compares them, for all nodes and pairs of some that somebody publishes who gave
// the node of the step up, and returns how many there were.
func compareCandidates(t *testing.T, top *topUp) (found int) {
	t.Helper()
	for n := range top.step.rows[:top.step.gathered] {
		top.step.note(int32(n))
	}
	top.load()
	defer top.counter.forget()
	top.list()
	for y := 1; y < len(top.counter.nodes); y++ {
		v := top.counter.nodes[y]
		through := slices.Clone(top.lookThrough([]int32{v}))
		if among := top.lookAmong(v, []int32{v}); !slices.Equal(through, among) {
			t.Fatalf("node %d: %d of all, %d of those who publish it", v, through, among)
		}
		if listed := top.by.Of(int32(y)); !slices.Equal(through, listed) {
			t.Fatalf("node %d: %d of all, %d listed", v, through, listed)
		}
		pair := []int32{v, top.counter.nodes[1+y%(len(top.counter.nodes)-1)]}
		rarest, all := top.rarest(pair)
		both := slices.Clone(top.lookThrough(pair))
		if among := top.lookAmong(rarest, pair); !slices.Equal(both, among) || len(both) > all {
			t.Fatalf("nodes %d: %d of all, %d of at most %d", pair, both, among, all)
		}
		found += len(through) + len(both)
	}
	return found
}
