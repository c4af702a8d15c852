package levels

import (
	"cmp"
	"container/heap"
	"crypto/sha256"
	"math/rand/v2"
	"slices"
)

// shares is what a step knows of the shares of sensitive items where they are bounded.
//
// Of a set with a child of u it is known how many of its lines may go back before a share can be
// too large, whatever they have. Where that may have happened the lines are looked at (examine).
// Lines only come to the sets with u, so there the largest share is kept up to date.
type shares struct {
	*told
	slack []int32 // by cell: how many lines may go back; negative: they are to be looked at
	first []int32 // by cell: in how many lines it was when all had left
	doubt []int32 // cells whose lines are to be looked at: a heap (see doubts)
	stale []bool  // by child: what is known of its slack is little, or nothing
	fresh bool    // no line has gone back since all rows were last looked at

	// of the lines that stay, by node
	with   withItem
	groups []stayed // all lines, and those with each mark
	uneven []bool   // a share is too large

	turns   []uint32 // see newTurns
	tell    teller
	mixture *mixture
	spaces  []judging // of each worker
}

// stayed is what shares are taken of, by node: how many lines there are, and how many at most have
// one sensitive item.
type stayed struct{ lines, worst []int32 }

func newShares(t *told, seed *[32]byte, nodes, workers, room int) *shares {
	sh := &shares{
		told: t, mixture: newMixture(t), uneven: make([]bool, nodes),
		groups: make([]stayed, 1+len(t.marks)), spaces: make([]judging, workers),
		with: newWithItem(nodes, len(t.among), room), turns: newTurns(seed, t.sensitive.Len()),
	}
	for g := range sh.groups {
		sh.groups[g] = stayed{make([]int32, nodes), make([]int32, nodes)}
	}
	return sh
}

// newTurns draws an order of the lines from the secret seed, for those between which nothing else
// decides who stays: by their places who knows the order of the lines could tell who did. Without a
// seed nothing is left to chance, and the places decide.
func newTurns(seed *[32]byte, lines int) []uint32 {
	turns := make([]uint32, lines)
	if seed == nil {
		return turns
	}
	// not the draws of the refusals
	own := sha256.Sum256(append([]byte("levels: turns "), seed[:]...))
	rng := rand.New(rand.NewChaCha8(own))
	for i := range turns {
		turns[i] = rng.Uint32()
	}
	return turns
}

// before compares two rows by who stays first if nothing else decides.
func (s *step) before(a, b int32) int {
	if sh := s.shares; sh != nil {
		return cmp.Or(cmp.Compare(sh.turns[s.lines[a]], sh.turns[s.lines[b]]), cmp.Compare(a, b))
	}
	return cmp.Compare(a, b)
}

// begin begins a step, when all lines have left.
func (sh *shares) begin(table []int32, children int) {
	sh.first = append(sh.first[:0], table...)
	sh.slack = append(sh.slack[:0], table...)
	sh.stale = slices.Repeat([]bool{true}, children)
	sh.doubt, sh.fresh, sh.tell = sh.doubt[:0], false, sh.teller()
	sh.with.begin()
}

// stay counts a line with some sensitive items that stays, for the set of u and a node.
func (sh *shares) stay(y int32, tx []int32) {
	sh.groups[0].lines[y]++
	for _, x := range tx {
		n := sh.with.more(y, x)
		if of := sh.among[x]; of != nothing {
			g := &sh.groups[1+of]
			g.worst[y] = max(g.worst[y], n)
		} else {
			sh.groups[1+slices.Index(sh.marks, x)].lines[y]++
		}
	}
	sh.uneven[y] = false
	for _, g := range sh.groups {
		if sh.spare(g.lines[y], g.worst[y]) < 0 {
			sh.uneven[y] = true
		}
	}
}

// forget forgets what is known of u and a node.
func (sh *shares) forget(y int32) {
	for _, g := range sh.groups {
		g.lines[y], g.worst[y] = 0, 0
	}
	sh.uneven[y] = false
	sh.with.forget(y)
}

// doubts is a heap of cells: those in few lines come first, as they were when all had left.
type doubts shares

func (d *doubts) Len() int { return len(d.doubt) }

func (d *doubts) Less(i, j int) bool { return d.before(d.doubt[i], d.doubt[j]) < 0 }

func (d *doubts) before(a, b int32) int {
	return cmp.Or(cmp.Compare(d.first[a], d.first[b]), cmp.Compare(a, b))
}

func (d *doubts) Swap(i, j int) { d.doubt[i], d.doubt[j] = d.doubt[j], d.doubt[i] }

func (d *doubts) Push(cell any) { d.doubt = append(d.doubt, cell.(int32)) }

func (d *doubts) Pop() any {
	last := len(d.doubt) - 1
	cell := d.doubt[last]
	d.doubt = d.doubt[:last]
	return cell
}

// less counts a line less in some cells, each of which is in so many lines now.
func (sh *shares) less(cells, table []int32, k int32) {
	sh.fresh = false
	for _, cell := range cells {
		if sh.slack[cell]--; sh.slack[cell] == -1 && table[cell] >= k {
			heap.Push((*doubts)(sh), cell)
		}
	}
}

// look begins a look at all rows.
func (sh *shares) look() { sh.doubt, sh.fresh = sh.doubt[:0], true }

// inDoubt lists the cells of a child that are in k lines and are to be looked at, in their order,
// and notes them.
func (s *step) inDoubt(c int) (cells []int32) {
	if s.shares == nil {
		return nil
	}
	for at, end := c*s.tree.Nodes(), (c+1)*s.tree.Nodes(); at < end; at++ {
		if s.shares.slack[at] < 0 && s.table[at] >= s.k {
			cells = append(cells, int32(at))
		}
	}
	slices.SortFunc(cells, (*doubts)(s.shares).before)
	for _, cell := range cells {
		heap.Push((*doubts)(s.shares), cell)
	}
	return cells
}

// tells is the sensitive items of a row, until the next call.
func (s *step) tells(i int) []int32 {
	if s.shares == nil {
		return nil
	}
	return s.shares.tell.of(s.lines[i])
}

// doubtful tells whether there is a cell to be looked at.
func (s *step) doubtful() bool { return s.shares != nil && len(s.shares.doubt) > 0 }

// even looks at the lines of the first cell in doubt, or has all rows looked at first.
func (s *step) even(read func(i int) []int32) {
	sh := s.shares
	cell := heap.Pop((*doubts)(sh)).(int32)
	if s.table[cell] < s.k || sh.slack[cell] >= 0 {
		return
	}
	switch c := int(cell) / s.tree.Nodes(); {
	case s.few.listed[cell]:
		var rows []int32
		s.few.each(c, cell, func(i int32) {
			if !s.stay(int(i)) {
				rows = append(rows, i)
			}
		})
		s.examine(cell, rows, read)
	case sh.fresh: // there was no room to list it
		s.examine(cell, s.with(cell), read)
	default:
		heap.Push((*doubts)(sh), cell)
		sh.stale[c], s.again = true, true
	}
}

// with are the rows that leave and have a cell.
func (s *step) with(cell int32) []int32 {
	scratch := make([][]int32, s.workers)
	return s.which(0, len(s.lines), func(worker int, _ int32, row []int32) bool {
		scratch[worker] = s.sets(scratch[worker][:0], row)
		return slices.Contains(scratch[worker], cell)
	})
}

// examine looks at the rows that leave with a cell. Where a share is too large among them, those
// with fewest occurrences at u stay until it is not, or until they are in fewer than k lines: then
// all stay. Who comes first does not depend on who has a sensitive item.
func (s *step) examine(cell int32, rows []int32, read func(i int) []int32) {
	sh := s.shares
	m := sh.mixture
	m.begin()
	items := make([]int32, len(rows)) // occurrences at u
	order := make([]int32, len(rows))
	for n, i := range rows {
		items[n], order[n] = read(int(i))[1], int32(n)
		m.add(sh.tell.of(s.lines[i]), 1)
	}
	if !m.fails() {
		sh.slack[cell] = m.spareAll()
		return
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(items[a], items[b]), s.before(rows[a], rows[b]))
	})
	gone := 0
	for ; gone < len(rows) && m.total >= s.k && m.fails(); gone++ {
		m.add(sh.tell.of(s.lines[rows[order[gone]]]), -1)
	}
	if m.total < s.k {
		gone = len(rows)
	}
	sh.slack[cell] = int32(gone) + m.spareAll()
	for _, n := range order[:gone] {
		s.back(int(rows[n]), read(int(rows[n])))
	}
}
