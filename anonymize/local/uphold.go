package local

import (
	"cmp"
	"maps"
	"slices"
)

// upholder makes a release that keeps k^m-anonymity keep l^m-diversity too, and changes it only
// where it does not.
//
// A breach is a set of nodes beside which a sensitive item is too frequent. It is ended by lifts of
// single transactions (lift.go), by chains of lifts (chain.go), or by moves: as many of those that
// have the item as are too many are barred from a node y of the set, or as many others as are
// missing from a child of a node u of the set, so that they publish u. Who is barred from a node
// may no longer publish it, nor anything below it. Then what is published at or below the barred
// node goes back to its parent, in all transactions, and is specialised anew, with the bars (see
// neighbourhood). All moves for one breach are tried, and the one that loses least for what it
// repairs is made.
//
// k^m-anonymity is kept by every one of these. Bars are never lifted, so there are finitely many
// moves. Where work ends before, diverse says what is done.
//
// Time: a look for all breaches takes a walk over the sets of at most m nodes of the transactions
// with a sensitive item, as far as they are frequent enough there, and for each of these a walk
// over who publishes one of its nodes. Memory: what these publish, and 8 bytes for each set of
// theirs.
type upholder struct {
	*neighbourhood
	*diversity
	find    *finder
	open    []breach
	moves   uint64
	journal []before
	failed  map[string]int
	beside  [][]int32       // by node: the transactions with sensitive items that publish it
	counts  []int64         // by sensitive item: working space of countBeside
	places  map[int32][]int // by node: of the breaches in open that have it
}

// move is one to be tried: nodes barred, and the branch that is specialised anew.
type move struct {
	branch int32
	bars   []int32 // transactions
	seed   uint64
}

// outcome is what a move leads to.
type outcome struct {
	loss, excess int64
	open         []breach
}

func (s *search) newUpholder(st *state, d *diversity) *upholder {
	return &upholder{
		neighbourhood: s.newNeighbourhood(st, 2), diversity: d, find: newFinder(st, d),
		counts: make([]int64, len(d.by)), failed: map[string]int{},
	}
}

// uphold ends the breaches of a release; it is false where there are too many for that, or the work
// limit is reached before.
func (u *upholder) uphold() bool {
	begun, budget := u.work, u.search.budget.uphold
	u.limit = begun + budget
	for u.refresh(); u.liftAll(); u.refresh() {
		u.search.report(keeping, u.work-begun, budget)
	}
	if len(u.open) > mostOpen {
		return false
	}
	for _, longest := range chains {
		u.chainAll(longest)
	}
	for len(u.open) > 0 && !u.spent() && u.step() {
		u.search.report(keeping, u.work-begun, budget)
		if u.refresh(); u.liftAll() {
			u.refresh()
		}
		u.chainAll(chains[0])
	}
	if len(u.open) > 0 {
		return false
	}
	u.limit = u.work + u.search.budget.repair
	u.improve()
	return true
}

const keeping = "keeping diversity"

// mostOpen is how many breaches may be left after the lifts: each of them takes a chain, or a part
// of the release made anew, so that there is no end to more.
const mostOpen = 64

// chains are how many lifts follow from one another, at most, one round after the other.
var chains = []int{8, 30}

// refresh finds the breaches, and lists what lifts ask for.
func (u *upholder) refresh() {
	u.open = u.find.all()
	u.placeAll()
	u.listBeside()
}

// step makes the best move for the worst breach; it is false where there is none.
func (u *upholder) step() bool {
	worst := slices.MaxFunc(u.open, func(a, b breach) int {
		return cmp.Compare(a.excess, b.excess)
	})
	before := outcome{u.loss, excessOf(u.open), u.open}
	var best move
	var made outcome
	found := false
	for _, m := range u.movesFor(worst) {
		o := u.try(m)
		u.undoMove(m)
		if !found || before.better(o, made) {
			best, made, found = m, o, true
		}
	}
	if !found {
		return false
	}
	u.open = u.try(best).open
	return true
}

// better tells whether a is the better outcome: it repairs more for each loss.
func (before outcome) better(a, b outcome) bool {
	da, db := before.excess-a.excess, before.excess-b.excess
	if da <= 0 || db <= 0 {
		return da > db || da == db && a.loss < b.loss
	}
	la, lb := max(a.loss-before.loss, 1), max(b.loss-before.loss, 1)
	return float64(la)*float64(db) < float64(lb)*float64(da)
}

func excessOf(list []breach) int64 {
	n := int64(0)
	for _, b := range list {
		n += b.excess
	}
	return n
}

// try makes a move.
func (u *upholder) try(m move) outcome {
	to := u.tree.Parent(m.branch)
	for _, i := range m.bars {
		u.bar(i, m.branch)
	}
	u.anew(part{to, m.branch}, m.seed)
	r := region{to, m.branch}
	open := slices.DeleteFunc(slices.Clone(u.open), func(b breach) bool {
		return u.touchedBy(r, b)
	})
	open = append(open, u.find.in(r)...)
	return outcome{u.loss, excessOf(open), open}
}

// undo undoes the move just made.
func (u *upholder) undoMove(m move) {
	u.restore()
	for _, i := range m.bars {
		u.barred[i] = u.barred[i][:len(u.barred[i])-1]
	}
}

// movesFor lists the moves for a breach.
func (u *upholder) movesFor(b breach) (list []move) {
	add := func(branch int32, bars []int32) {
		if len(bars) > 0 {
			u.moves++
			list = append(list, move{branch, bars, u.moves})
		}
	}
	for _, y := range b.nodes {
		if y != u.tree.Root() {
			add(y, u.leavers(y))
		}
		for _, c := range u.tree.Children(y) {
			add(c, u.joiners(b, y, c))
		}
	}
	return list
}

// leavers are transactions with a sensitive item that are to leave a node: for every breach with
// the node as many as are too many, those first that are in most breaches, and lose least.
func (u *upholder) leavers(y int32) []int32 {
	in := map[int32]int{}
	for _, b := range u.open {
		if slices.Contains(b.nodes, y) {
			for _, i := range b.rows {
				in[i]++
			}
		}
	}
	chosen := map[int32]bool{}
	var out []int32
	for _, b := range u.open {
		if !slices.Contains(b.nodes, y) {
			continue
		}
		rows := slices.Clone(b.rows)
		slices.SortFunc(rows, func(i, j int32) int {
			return cmp.Or(
				cmp.Compare(in[j], in[i]),
				cmp.Compare(u.items(i, y, y), u.items(j, y, y)), cmp.Compare(i, j),
			)
		})
		left := b.excess
		for _, i := range rows {
			if chosen[i] {
				left -= int64(u.merged.Weights[i])
			}
		}
		for _, i := range rows {
			if left > 0 && !chosen[i] {
				chosen[i] = true
				out = append(out, i)
				left -= int64(u.merged.Weights[i])
			}
		}
	}
	return out
}

// joiners are transactions without a sensitive item that publish the rest of a breach with node y,
// and could publish y in place of what they publish at or below its child c: as many as are
// missing, those with the fewest items there first; none where they are too few.
func (u *upholder) joiners(b breach, y, c int32) []int32 {
	rest := slices.DeleteFunc(slices.Clone(b.nodes), func(v int32) bool { return v == y })
	var able []int32
	size := map[int32]int{}
	for _, v := range u.under(c, nil) {
		for _, i := range u.who[v] {
			_, met := size[i]
			if met || u.has[i] || u.publishes(i, y) || !u.holds(i, rest, b.topmost) {
				continue
			}
			items, _ := u.below(i, c)
			size[i] = len(items)
			able = append(able, i)
		}
	}
	slices.SortFunc(able, func(i, j int32) int {
		return cmp.Or(cmp.Compare(size[i], size[j]), cmp.Compare(i, j))
	})
	missing := b.missing
	for n, i := range able {
		if missing -= int64(u.merged.Weights[i]); missing <= 0 {
			return able[:n+1]
		}
	}
	return nil
}

// giveWay ends all breaches: of the lowest nodes of each an eighth, those with most that is too
// many, go back to their parents in all transactions, with what is below them, until there is
// none. When the context has ended, all of them do.
func (u *upholder) giveWay() {
	for u.refresh(); len(u.open) > 0; u.refresh() {
		excess := map[int32]int64{}
		for _, b := range u.open {
			excess[u.lowest(b)] += b.excess
		}
		lows := slices.SortedFunc(maps.Keys(excess), func(v, w int32) int {
			return cmp.Or(cmp.Compare(excess[w], excess[v]), cmp.Compare(v, w))
		})
		if !u.stopped() {
			lows = lows[:(len(lows)+7)/8]
		}
		for _, v := range lows {
			u.takeBackNode(v)
		}
	}
}

// lowest is the lowest node of a breach.
func (u *upholder) lowest(b breach) int32 {
	return slices.MaxFunc(b.nodes, func(v, w int32) int {
		return cmp.Or(cmp.Compare(u.tree.Depth(v), u.tree.Depth(w)), cmp.Compare(w, v))
	})
}

// takeBackNode takes a node back in all transactions, with what is below it: to its parent, or, the
// root, from all below it.
func (s *state) takeBackNode(v int32) {
	if v != s.tree.Root() {
		s.takeBackBranch(v)
		return
	}
	for _, c := range s.tree.Children(v) {
		s.takeBackBranch(c)
	}
}

// improve destroys and repairs parts and keeps what loses less, where nothing breaks the promise.
func (u *upholder) improve() {
	for vain := 0; vain < maxVain && u.loss > 0 && !u.spent(); vain++ {
		u.choose()
		u.save()
		before := u.loss
		if u.destroy(); u.loss == before {
			continue
		}
		u.repair()
		if u.loss > before || u.breaksIn(u.parts) {
			u.restore()
		} else if u.loss < before {
			vain = 0
		}
	}
}

// breaksIn tells whether something in the parts breaks the promise.
func (u *upholder) breaksIn(parts []part) bool {
	return slices.ContainsFunc(parts, func(p part) bool { return len(u.find.in(region(p))) > 0 })
}

// with are the places of the open breaches that have a node; places may be out of date.
func (u *upholder) with(v int32) []int {
	return u.places[v]
}

// index finds the places anew.
func (u *upholder) placeAll() {
	u.places = map[int32][]int{}
	for n, b := range u.open {
		for _, v := range b.nodes {
			u.places[v] = append(u.places[v], n)
		}
	}
}
