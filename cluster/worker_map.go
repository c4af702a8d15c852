package cluster

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strconv"

	"mingle/cluster/split"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/itemset"
)

// mostPairs is how many pairs of a line and a node are counted at once: 20 bytes each for pairs,
// 28 for triples.
const mostPairs = 8 << 20

// mostUnsent is how many bytes of blocks are held before they are sent: a set that comes again
// after that is sent again, too.
var mostUnsent = 256 << 20

// mapper counts a part of the data.
type mapper struct {
	*Plan
	tree     *hierarchy.Tree
	shape    *itemset.Tree
	tally    *itemset.Tally // nil: there is none
	held     int            // lines in tally
	bytes    int            // of the blocks that are held
	out      *bufio.Writer
	said     mapped
	buckets  []bucketful
	fault    error
	supports []int64 // see Plan.told
	wanted   []bool  // by leaf: a node of With is at or above it
}

// bucketful is the sets of one name: those of the lines under way, and the ones before.
type bucketful struct {
	now    *writer
	blocks run // of now
	before *gather
}

// countSets counts the sets of the plan's size in the lines that r has, and writes blocks of them
// under the names of buckets.
func (p *Plan) countSets(ctx context.Context, r io.Reader, w io.Writer) error {
	tree, err := p.Tree()
	if err != nil {
		return err
	}
	if err := p.fits(tree); err != nil {
		return err
	}
	parent := make([]int32, tree.Nodes())
	for u := range parent {
		parent[u] = tree.Parent(int32(u))
	}
	m := &mapper{
		Plan: p, tree: tree, shape: itemset.NewTree(tree.Leaves(), parent),
		out: bufio.NewWriterSize(w, 64<<10), buckets: make([]bucketful, p.Buckets),
		supports: make([]int64, p.told(tree)),
	}
	m.wanted = m.belowWith()
	m.said.Worker, m.said.Sent = p.Version, map[string]sent{}
	for i := range m.buckets {
		b := &m.buckets[i]
		b.before = &gather{size: p.width()}
		b.now = newWriter(p.width(), func(block []byte) error {
			b.blocks = append(b.blocks, blob{raw: block})
			return nil
		})
	}
	if p.Person != "" {
		err = m.people(ctx, r)
	} else {
		m.tally = itemset.NewTally(m.paths())
		err = p.Chunks(ctx, r, func(d *dataset.Dataset) error { return m.chunk(ctx, d) })
	}
	if err == nil {
		err = errors.Join(m.drain(noItem), m.tell())
	}
	if err != nil {
		return err
	}
	if err := m.sendAll(); err != nil {
		return err
	}
	if m.said.Lines > 0 || p.Person == "" { // else nothing but what others say of themselves came
		if err := writeJSON(m.out, control, "map", m.said); err != nil {
			return err
		}
	}
	return m.out.Flush()
}

// sendAll writes all blocks that are held.
func (m *mapper) sendAll() error {
	for i := range m.buckets {
		b := &m.buckets[i]
		if err := m.send(strconv.Itoa(i), b.before); err != nil {
			return err
		}
		b.before = &gather{size: m.width()}
	}
	m.bytes = 0
	return nil
}

// send writes the blocks of a name.
func (m *mapper) send(name string, all *gather) error {
	own := m.said.Sent[name]
	put := func(block []byte) error {
		own.add(sent{1, checksum(name, block)})
		return writeLine(m.out, name, "block", spell(block))
	}
	err := all.blocks(put)
	if own.Blocks > 0 {
		m.said.Sent[name] = own
	}
	return err
}

// fits refuses a plan that is not of the hierarchy.
func (p *Plan) fits(t *hierarchy.Tree) error {
	if len(p.Cut) != t.Leaves() || p.Size < 1 || p.Buckets < 1 {
		return fmt.Errorf("the plan is not of its hierarchy")
	}
	for _, list := range [][]int32{p.Cut, p.Order, p.With} {
		for _, u := range list {
			if u < 0 || int(u) >= t.Nodes() {
				return fmt.Errorf("the plan names a node that there is not")
			}
		}
	}
	return nil
}

// apart is lines whose items are as in the text, as leaves of the hierarchy, and their sensitive
// items.
func (p *Plan) apart(
	t *hierarchy.Tree, d *dataset.Dataset,
) (plain, sensitive *dataset.Dataset, err error) {
	if plain, sensitive, err = p.Apart(d); err == nil {
		plain, err = t.Encode(plain)
	}
	return plain, sensitive, err
}

// chunk counts some lines, whose items are as in the text.
func (m *mapper) chunk(ctx context.Context, d *dataset.Dataset) error {
	d, sensitive, err := m.apart(m.tree, d)
	if err != nil {
		return err
	}
	m.look(d, sensitive)
	d = m.within(d)
	m.said.Filled += int64(d.Len() - d.Empty())
	m.said.Longest = max(m.said.Longest, d.MaxLen())
	if err := m.these(ctx, d, noItem); err != nil || m.L == 0 && !m.Told {
		return err
	}
	return m.beside(ctx, d, sensitive)
}

// beside counts the lines that have each sensitive item.
func (m *mapper) beside(ctx context.Context, d, sensitive *dataset.Dataset) error {
	have := make([][]int32, len(m.Sensitive)) // the lines that have each
	for i, items := range sensitive.All() {
		for _, x := range items {
			have[x] = append(have[x], int32(i))
		}
	}
	for x, txs := range have {
		own := d.Select(txs)
		m.supports[x] += int64(own.Len())
		m.supports[len(have)+x] += int64(own.Len() - own.Empty())
		if m.L == 0 || len(txs) == 0 {
			continue
		}
		if err := m.these(ctx, own, int32(x)); err != nil {
			return err
		}
	}
	return nil
}

// fit tells of how many nodes a line is at most, and refuses it if it has too many sets.
func (m *mapper) fit(depth []int, tx []int32) (nodes int, err error) {
	for _, leaf := range tx {
		nodes += depth[leaf]
	}
	if split.Fits(nodes, m.Size) == nil {
		return nodes, nil
	}
	own := map[int32]bool{}
	for _, leaf := range tx {
		for u := m.Cut[leaf]; u != m.tree.Root() && !own[u]; u = m.tree.Parent(u) {
			own[u] = true
		}
	}
	return len(own), split.Fits(len(own), m.Size)
}

// lines counts the sets of some lines, which have a sensitive item, or any. Those of a unit are
// counted at once.
func (m *mapper) lines(ctx context.Context, merged *dataset.Merged, sensitive int32) error {
	depth, from, pairs := m.depths(), 0, 0
	for i, tx := range merged.All() {
		own, err := m.fit(depth, tx)
		if err != nil {
			return err
		}
		of := merged.Units
		if pairs+own > mostPairs && i > from && (of == nil || of[i] < 0 || of[i] != of[i-1]) {
			if err := m.count(ctx, part{merged, from, i}, sensitive); err != nil {
				return err
			}
			from, pairs = i, 0
		}
		pairs += own
	}
	return m.count(ctx, part{merged, from, merged.Len()}, sensitive)
}

// look notes what the control record says of the lines.
func (m *mapper) look(d, sensitive *dataset.Dataset) {
	m.said.Lines += int64(d.Len())
	m.said.Occurrences += int64(d.Occurrences())
	if sensitive != nil {
		m.said.Sensitive += int64(sensitive.Occurrences())
	}
	for i, tx := range d.All() {
		h := mix(uint64(len(tx))+1, tx)
		if sensitive != nil {
			h = mix(h, sensitive.Tx(i))
		}
		m.said.Sum += h
	}
}

// mix hashes some items.
func mix(h uint64, items []int32) uint64 {
	for _, it := range items {
		hi, lo := bits.Mul64(h^uint64(it), 0x9E3779B97F4A7C15)
		h = hi ^ lo + 0xD6E8FEB86659FD93
	}
	return h
}

// told is how many numbers Told sends: in how many lines each sensitive item is, and in how many of
// those that have anything else; where the unit is a person, in how many lines each leaf is, how
// many persons there are, and of each sensitive item both numbers and those of persons.
func (p *Plan) told(t *hierarchy.Tree) int {
	if p.Person != "" {
		return t.Leaves() + 1 + 4*len(p.Sensitive)
	}
	return 2 * len(p.Sensitive)
}

// tell sends what Told asks for, numbered behind the ranks.
func (m *mapper) tell() error {
	if !m.Told {
		return nil
	}
	for i, n := range m.supports {
		rank := []int32{int32(len(m.Order) + i)}
		if n > 0 && m.fault == nil {
			m.said.Sets += n
			m.fault = m.buckets[bucket(rank, m.Buckets)].now.add(rank, n)
		}
	}
	return m.end()
}

// within is the lines without the items that are not to be counted.
func (m *mapper) within(d *dataset.Dataset) *dataset.Dataset {
	if m.To == 0 {
		return d
	}
	to := make([]int32, m.tree.Leaves())
	for leaf := range to {
		to[leaf] = -1
		if m.From <= int32(leaf) && int32(leaf) < m.To {
			to[leaf] = int32(leaf)
		}
	}
	return d.Recode(d.Dict(), to)
}

// depths is how many nodes are at or above the cut of each leaf.
func (m *mapper) depths() []int {
	out := make([]int, len(m.Cut))
	for leaf, u := range m.Cut {
		out[leaf] = m.tree.Depth(u)
	}
	return out
}

// part is the transactions from and up to, without, a place.
type part struct {
	*dataset.Merged
	from, to int
}

// count counts transactions, which have a sensitive item, or any.
func (m *mapper) count(ctx context.Context, d part, sensitive int32) error {
	cursor, from, to := d.Cursor(), d.from, d.to
	data := itemset.Data{
		Len: to - from, Items: d.Dict().Len(), Weights: d.Weights[from:to],
		Tx: func(i int) []int32 { return cursor.Tx(from + i) },
	}
	if d.Units != nil {
		data.Units = d.Units[from:to]
	}
	paths := m.paths()
	paths.Data = data
	err := paths.Each(ctx, m.sets(sensitive))
	return errors.Join(m.end(), err)
}

// paths are the sets that are counted.
func (m *mapper) paths() itemset.Paths {
	return itemset.Paths{Tree: m.shape, To: m.Cut, Order: m.Order, Size: m.Size, With: m.With}
}

// sets puts ascending sets into the blocks under way.
func (m *mapper) sets(sensitive int32) func(ranks []int32, support int32) {
	set := make([]int32, m.width())
	if m.width() > m.Size {
		set[m.Size] = m.number(sensitive)
	}
	return func(ranks []int32, support int32) {
		if m.fault == nil {
			m.said.Sets += int64(support)
			copy(set, ranks)
			m.fault = m.buckets[bucket(ranks, m.Buckets)].now.add(set, int64(support))
		}
	}
}

// end puts what was counted to what was before.
func (m *mapper) end() error {
	for i := range m.buckets {
		if m.fault == nil {
			n := 0
			n, m.fault = m.buckets[i].end()
			m.bytes += n
		}
	}
	if m.fault == nil && m.bytes > mostUnsent {
		m.fault = m.sendAll()
	}
	return m.fault
}

// end puts what was counted in the lines under way to what was before, and tells its bytes.
func (b *bucketful) end() (n int, err error) {
	if err := b.now.flush(); err != nil || len(b.blocks) == 0 {
		return 0, err
	}
	for _, one := range b.blocks {
		n += len(one.raw)
	}
	own := b.blocks
	b.blocks = nil
	return n, b.before.add(own)
}

// bucket is the name that a set is sent under.
func bucket(ranks []int32, buckets int) int {
	h := uint64(0)
	for _, r := range ranks {
		h = (h ^ uint64(r)) * 0x9E3779B97F4A7C15
		h ^= h >> 32
	}
	return int(h % uint64(buckets))
}

func writeLine(w *bufio.Writer, name, kind, text string) error {
	for _, s := range []string{name, "\t", kind, ":", text, "\n"} {
		if _, err := w.WriteString(s); err != nil {
			return err
		}
	}
	return nil
}

func writeJSON(w *bufio.Writer, name, kind string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return writeLine(w, name, kind, string(text))
}

// publish writes the lines that r has as the plan's cut publishes them.
func (p *Plan) publish(ctx context.Context, r io.Reader, w io.Writer) error {
	tree, err := p.Tree()
	if err != nil {
		return err
	}
	if len(p.Cut) != tree.Leaves() {
		return fmt.Errorf("the plan is not of its hierarchy")
	}
	out := bufio.NewWriterSize(w, 64<<10)
	err = p.Chunks(ctx, r, func(d *dataset.Dataset) error {
		d, sensitive, err := p.apart(tree, d)
		if err != nil {
			return err
		}
		d = d.Recode(tree.Dict(), p.Cut)
		if sensitive != nil {
			if d, err = dataset.Join(d, sensitive); err != nil {
				return err
			}
		}
		return dataset.Write(out, d, p.Options())
	})
	if err != nil {
		return err
	}
	return out.Flush()
}
