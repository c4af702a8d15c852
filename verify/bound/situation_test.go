package bound

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/release"
)

// A twin of the steps of a proof, by enumeration of all cuts of a small hierarchy.

// checked is a check of twoLevels, with its two clauses and one of three nodes.
func checked(t *testing.T) *proofCheck {
	t.Helper()
	tree, data := twoLevels(t)
	c := &release.Certificate{K: 3, M: 3, Scale: 1, Clauses: []release.Clause{
		{Nodes: nodesOf(t, tree, "a c"), Support: 1},
		{Nodes: nodesOf(t, tree, "C e"), Support: 2},
		{Nodes: nodesOf(t, tree, "a c e"), Support: 1},
	}}
	p, err := newProofCheck(t.Context(), Input{Data: data, Tree: tree, K: 3, M: 3}, c)
	if err == nil {
		err = p.clauses()
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// cuts are the sets of lifted inner nodes, with all below them, that are as is known and satisfy
// the clauses.
func (p *proofCheck) cuts(known []byte, sets [][]int32) (out [][]bool) {
	n := len(p.parent)
	for bits := range 1 << n {
		cut, fine := make([]bool, n), true
		for v := range cut {
			cut[v] = bits>>v&1 == 1
			fine = fine && (known[v] == undecided || cut[v] == (known[v] == lifted))
		}
		for v, up := range p.parent {
			fine = fine && (up < 0 || !cut[up] || cut[v])
		}
		for _, set := range sets {
			fine = fine && slices.ContainsFunc(set, func(v int32) bool { return cut[v] })
		}
		if fine {
			out = append(out, cut)
		}
	}
	return out
}

// situations calls do with everything that may be known of the nodes, and some that count.
func (p *proofCheck) situations(r *rand.Rand, do func(s situation)) {
	n := len(p.parent)
	all := 1
	for range n {
		all *= 3
	}
	for code := range all {
		s := situation{known: make([]byte, n), counts: make([]bool, n), sets: p.sets}
		for v := range n {
			s.known[v] = byte(code % 3)
			code /= 3
			s.counts[v] = r.IntN(4) > 0
		}
		do(s)
	}
}

// What is concluded holds of every cut that is as was known; nothing follows from it any more by
// one of the rules; and there is a contradiction only where there is no such cut.
func TestConclusionsHoldOfAllCuts(t *testing.T) {
	p := checked(t)
	r := rand.New(rand.NewPCG(23, 4))
	contradictions := 0
	p.situations(r, func(s situation) {
		before := slices.Clone(s.known)
		cuts := p.cuts(before, s.sets)
		target, err := p.conclude(&s, before, 1000)
		if err != nil {
			if contradictions++; !errors.Is(err, errContradiction) || len(cuts) > 0 || target != 0 {
				t.Fatalf("%v: %v, and there are cuts %v", before, err, cuts)
			}
			return
		}
		for v, up := range p.parent {
			if up >= 0 && before[up] == lifted && before[v] == notLifted {
				t.Fatalf("%v contradicts itself", before)
			}
		}
		paid := int64(0)
		for v, state := range s.known {
			for _, cut := range cuts {
				if state != undecided && cut[v] != (state == lifted) {
					t.Fatalf("%v: %v, and there is a cut %v", before, s.known, cut)
				}
			}
			if before[v] == undecided && state == lifted && s.counts[v] {
				paid += p.weight[v]
			}
			if up := p.parent[v]; up >= 0 && (s.known[up] == lifted && state != lifted ||
				state == notLifted && s.known[up] != notLifted) {
				t.Fatalf("%v: %v is not all that follows", before, s.known)
			}
		}
		if target != 1000-paid {
			t.Fatalf("%v: %d are left of 1000, and %d are paid", before, target, paid)
		}
		for _, set := range p.sets {
			free, is := 0, false
			for _, v := range set {
				is = is || s.known[v] == lifted
				if s.known[v] == undecided {
					free++
				}
			}
			open := slices.ContainsFunc(s.sets,
				func(o []int32) bool { return slices.Equal(o, set) })
			if !is && free < 2 || is == open {
				t.Fatalf("%v: %v says more of %v (open %v)", before, s.known, set, open)
			}
		}
	})
	if contradictions < 20 {
		t.Errorf("%d contradictions", contradictions)
	}
}

// freely are all ways to lift the free nodes such that what is free below a free one is lifted
// with it.
func (p *proofCheck) freely(free []bool) (out [][]bool) {
	for bits := range 1 << len(free) {
		x, fine := make([]bool, len(free)), true
		for v := range x {
			x[v] = bits>>v&1 == 1
			fine = fine && (free[v] || !x[v])
		}
		for v, up := range p.parent {
			fine = fine && (up < 0 || !free[v] || !free[up] || !x[up] || x[v])
		}
		if fine {
			out = append(out, x)
		}
	}
	return out
}

// The bound is the least of the Lagrangian over all ways to lift the free nodes; and what is
// decided is what those under the threshold have in common.
func TestBoundsAreTheLeast(t *testing.T) {
	p := checked(t)
	r := rand.New(rand.NewPCG(23, 5))
	leaves, rowsTried := int32(p.in.Tree.Leaves()), 0
	for range 8 {
		p.situations(r, func(s situation) {
			proof := &release.Proof{}
			for _, row := range [][]int32{{0, 1}, {2, 3}, {0, 2}, {1, 2}, {0, 1, 2}} {
				one := release.ProofRow{Need: len(row) - 1, Y: int64(r.IntN(30))}
				for _, v := range row {
					one.Nodes = append(one.Nodes, v+leaves)
				}
				alone := &release.Proof{Rows: []release.ProofRow{one}}
				if _, err := p.bound(alone, s); err == nil && r.IntN(2) == 0 {
					proof.Rows = append(proof.Rows, one)
					rowsTried++
				}
			}
			b, err := p.bound(proof, s)
			if err != nil {
				t.Fatal(err)
			}
			n := len(p.parent)
			least, with, without := int64(1)<<40, make([]int64, n), make([]int64, n)
			for v := range n {
				with[v], without[v] = 1<<40, 1<<40
			}
			for _, x := range p.freely(b.free) {
				value := int64(0)
				for v := range x {
					if x[v] {
						value += p.weight[v]
					}
				}
				for _, row := range proof.Rows {
					short := int64(row.Need)
					for _, u := range row.Nodes {
						if x[u-leaves] {
							short--
						}
					}
					value += row.Y * short
				}
				least = min(least, value)
				for v := range x {
					if x[v] {
						with[v] = min(with[v], value)
					} else {
						without[v] = min(without[v], value)
					}
				}
			}
			if b.value != least {
				t.Fatalf("%+v, rows %+v: %d, and the least is %d", s, proof.Rows, b.value, least)
			}
			checkDecided(t, b, s, least+int64(r.IntN(24)-2), with, without)
		})
	}
	if rowsTried < 100 {
		t.Errorf("%d rows", rowsTried)
	}
}

func checkDecided(
	t *testing.T, b *lagrange, s situation, threshold int64, with, without []int64,
) {
	t.Helper()
	before := slices.Clone(s.known)
	known := s.known
	none := false
	want := slices.Clone(before)
	for v, free := range b.free {
		switch {
		case !free:
		case with[v] >= threshold && without[v] >= threshold:
			none = true
		case with[v] >= threshold:
			want[v] = notLifted
		case without[v] >= threshold:
			want[v] = lifted
		}
	}
	got := b.decide(&s, threshold)
	if got == none || got && !slices.Equal(s.known, want) || !slices.Equal(known, before) {
		t.Fatalf("threshold %d of %v: %v, %v, want %v, %v", threshold, before, got, s.known, !none,
			want)
	}
}

// What is said to follow from the clauses does, of every cut that is as is known; and a clause, and
// a pair below the ends of one, is said.
func TestWhatClausesSay(t *testing.T) {
	p := checked(t)
	n := len(p.parent)
	said := 0
	p.situations(rand.New(rand.NewPCG(23, 6)), func(s situation) {
		free := make([]bool, n)
		for v := range free {
			free[v] = s.counts[v] && s.known[v] == undecided
		}
		rules, cuts := p.saidBy(s, free), p.cuts(s.known, s.sets)
		for bits := 1; bits < 1<<n; bits++ {
			nodes := itemsOf(bits)
			if slices.ContainsFunc(nodes, func(v int32) bool { return !free[v] }) {
				continue
			}
			for need := -1; need <= len(nodes)+1; need++ {
				if !rules.row(nodes, need) {
					continue
				}
				if said++; need < 1 {
					t.Fatalf("%d of %v is said", need, nodes)
				}
				for _, cut := range cuts {
					has := 0
					for _, v := range nodes {
						if cut[v] {
							has++
						}
					}
					if has < need {
						t.Fatalf("%+v: %d of %v, and there is a cut %v", s, need, nodes, cut)
					}
				}
			}
		}
		p.mustBeSaid(t, s, free, rules)
	})
	if said < 100 {
		t.Errorf("%d rows are said", said)
	}
}

func (p *proofCheck) mustBeSaid(t *testing.T, s situation, free []bool, rules *rules) {
	t.Helper()
	below := func(v, a int32) bool { // by free nodes
		for ; v != a; v = p.parent[v] {
			if up := p.parent[v]; up < 0 || !free[up] {
				return false
			}
		}
		return true
	}
	for _, set := range s.sets {
		left := slices.DeleteFunc(slices.Clone(set),
			func(v int32) bool { return s.known[v] == notLifted })
		if len(left) == 0 || slices.ContainsFunc(left, func(v int32) bool { return !free[v] }) {
			continue
		}
		if !rules.row(left, 1) {
			t.Fatalf("%+v: %v is not said", s, left)
		}
		for a := range int32(len(free)) {
			for b := range a {
				if len(left) != 2 || !free[a] || !free[b] {
					continue
				}
				ends := below(a, left[0]) && below(b, left[1]) ||
					below(a, left[1]) && below(b, left[0])
				if ends && !rules.row([]int32{b, a}, 1) {
					t.Fatalf("%+v: %d and %d of %v is not said", s, b, a, left)
				}
			}
		}
	}
}
