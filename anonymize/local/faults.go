package local

import (
	"cmp"
	"context"
	"maps"
	"math/bits"
	"slices"
	"sync"

	"mingle/internal/par"
)

// faults are where a release fails condition (c) or, in unions, the bound on shares: transactions
// that are to be barred from branches, and branches where that does not help; or it is too much to
// look at.
type faults struct {
	bars     []bar
	hopeless []int32
	tooMuch  bool
}

// bar says that a transaction may not take a node.
type bar struct{ tx, node int32 }

func (f faults) none() bool { return len(f.bars) == 0 && len(f.hopeless) == 0 && !f.tooMuch }

// watched is how many workers look, and who is told how far they are; nobody if nil.
type watched struct {
	workers int
	tell    func(done, total int64)
}

// lookAt looks at branches, or other elements, side by side; each worker has working space of its
// own.
func lookAt[S, E, R any](
	ctx context.Context, on watched, list []E, fresh func() S,
	look func(ctx context.Context, space S, e E) R,
) []R {
	parts := make([]R, len(list))
	var mu sync.Mutex
	begun := int64(0)
	tell := func() { // in the lock: it never goes back
		mu.Lock()
		defer mu.Unlock()
		on.tell(begun, int64(len(list)))
		begun++
	}
	_ = par.EachIn(ctx, on.workers, len(list), func(int) S { return fresh() },
		func(ctx context.Context, space S, n int) error {
			if on.tell != nil {
				tell()
			}
			parts[n] = look(ctx, space, list[n])
			return nil
		})
	return parts
}

// allOf are the faults of all parts.
func allOf(parts []faults) (all faults) {
	for _, f := range parts {
		all.bars = append(all.bars, f.bars...)
		all.hopeless = append(all.hopeless, f.hopeless...)
		all.tooMuch = all.tooMuch || f.tooMuch
	}
	slices.SortFunc(all.bars, func(a, b bar) int {
		return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.tx, b.tx))
	})
	slices.Sort(all.hopeless)
	all.bars, all.hopeless = slices.Compact(all.bars), slices.Compact(all.hopeless)
	return all
}

// barSet is bars, each once: many sets that fail bar the same transactions.
type barSet struct {
	words int                // of a bit map of transactions
	of    map[int32][]uint64 // by node
}

func newBarSet(transactions int) barSet {
	return barSet{words: (transactions + 63) / 64, of: map[int32][]uint64{}}
}

func (s *barSet) add(bars ...bar) {
	for _, b := range bars {
		s.at(b.node)[b.tx/64] |= 1 << (b.tx % 64)
	}
}

// addAll adds the transactions that two bit sets share, and tells whether there are any.
func (s *barSet) addAll(node int32, one, other []uint64) (any bool) {
	for n, w := range one {
		if w &= other[n]; w != 0 {
			s.at(node)[n] |= w
			any = true
		}
	}
	return any
}

// at is the bit set of a node.
func (s *barSet) at(node int32) []uint64 {
	set := s.of[node]
	if set == nil {
		set = make([]uint64, s.words)
		s.of[node] = set
	}
	return set
}

// list lists them, by node.
func (s *barSet) list() (out []bar) {
	for _, v := range slices.Sorted(maps.Keys(s.of)) {
		for n, word := range s.of[v] {
			for ; word != 0; word &= word - 1 {
				out = append(out, bar{int32(64*n + bits.TrailingZeros64(word)), v})
			}
		}
	}
	return out
}

// found is what was found at one branch.
func found(branch int32, hopeless bool, bars []bar) faults {
	if hopeless {
		return faults{hopeless: []int32{branch}}
	}
	return faults{bars: bars}
}

// barsOf appends the bars with which a choice of items below some nodes would be compatible with
// all that publish the parent of the branch b, and at or above each other node something.
func (s *state) barsOf(b int32, nodes []int32, allow func(v int32) []uint64, out []bar) []bar {
	allowed := make([][]uint64, len(nodes))
	for n, v := range nodes {
		if !s.tree.Covers(b, v) {
			allowed[n] = allow(v)
		}
	}
	for _, i := range s.who[s.tree.Parent(b)] {
		before := len(out)
		if !s.openAt(i, b) {
			out = append(out, bar{i, b})
		}
		for n, v := range nodes {
			if allowed[n] == nil || allowed[n][i/64]>>(i%64)&1 != 0 {
				continue
			}
			branch := s.branchAbove(i, v)
			if branch < 0 {
				out = out[:before]
				break
			}
			out = append(out, bar{i, branch})
		}
	}
	return out
}

// branchAbove is the child, in direction of v, of the lowest node above v that transaction i
// publishes; -1: there is none.
func (s *state) branchAbove(i, v int32) int32 {
	for up := s.tree.Parent(v); up >= 0; v, up = up, s.tree.Parent(up) {
		if s.publishes(i, up) {
			return v
		}
	}
	return -1
}

// faults are those of condition (c) or, where there are none, those of shares in unions.
func (s *search) faults(ctx context.Context, st *state) (f faults) {
	c := &compatibility{state: st}
	on := watched{s.in.WorkerCount(), func(done, total int64) { s.report("mending", done, total) }}
	st.sortAll()
	if c.findBranches(); len(c.list) > 0 {
		f = c.look(ctx, on)
	}
	for _, plainly := range []bool{false, true} {
		if f.none() && st.div != nil {
			f = st.newUnions(plainly).look(ctx, on)
		}
	}
	for _, plainly := range []bool{false, true} {
		if f.none() && st.div != nil && st.ofPersons() {
			if u := st.newUnionsOfPersons(plainly); u != nil {
				f = u.look(ctx, on)
			} else {
				f.tooMuch = true
			}
		}
	}
	return f
}
