package cluster

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"mingle/cluster/split"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/itemset"
)

// What an adversary who knows Size items of a person gains is counted by what is known: a set of
// items before, and after the set of labels that publishes them. Under the name of such a set goes
// all that its figures need, each number a row of its own (see figure): how many lines have the
// set, and how many persons; how many of them have one more label, or a sensitive item; and of
// which transactions its items may be known, by the number of their items, for the items of a
// transaction are drawn among all that it has.

// Sides of an attack, as names begin.
const (
	ofBefore = "b"
	ofAfter  = "a"
)

// mostRows is how many rows are counted before they are sorted and put away.
const mostRows = 1 << 20

// figures are the numbers of a set, in the order of their codes. A row is the set, filled up to
// Size numbers, a code that says what is counted, and one that says of which lines.
type figures struct {
	fill  int32 // the numbers behind the nodes, with which sets are filled up
	what  int32 // the first code of what is counted
	lines int32 // the first code of lines
	most  int32 // items, labels and sensitive items are below
	items int32 // sensitive items a line has are below
}

func (p *Plan) figures(t *hierarchy.Tree) figures {
	n := int32(t.Nodes())
	f := figures{fill: n, what: n + int32(p.Size), items: int32(len(p.Sensitive)) + 1}
	f.most = max(n, f.items)
	f.lines = f.what + 3 + 4*f.most
	return f
}

// The kinds of what is counted of a set.
const (
	inLines   = iota // the lines that have it
	ofPersons        // their persons
	known            // the lines of which it may be known, by their length
	withLabel        // the lines that have one more label: behind the three, by label
	ofItem           // the lines that have one more item, of which the set may be known
	withSensitive
	ofSensitive
)

func (f figures) code(kind int, of int32) int32 {
	if kind < withLabel {
		return f.what + int32(kind)
	}
	return f.what + 3 + int32(kind-withLabel)*f.most + of
}

// read is the kind of a code, and the label, item or sensitive item.
func (f figures) read(code int32) (kind int, of int32) {
	if code -= f.what; code < 3 {
		return int(code), 0
	}
	code -= 3
	return withLabel + int(code/f.most), code % f.most
}

// attacker is one run of "attack".
type attacker struct {
	*Plan
	figures
	tree *hierarchy.Tree
	flat *itemset.Tree // of the nodes alone
	all  []int32       // the nodes
	out  *bufio.Writer
	said attacked

	before, after *figureRows
}

// attacked is what a run of "attack" says of itself.
type attacked struct {
	mapped
	Lengths map[int]int64 `json:"lengths"` // how many lines have so many items
	// how many have so many items, and sensitive ones
	Sensitive map[int]int64 `json:"sensitive_lengths"`
	Persons   int64         `json:"persons"`
	Nobody    int64         `json:"nobody"` // lines of nobody known
}

// attack counts what knowing Size items tells in the lines that r has.
func (p *Plan) attack(ctx context.Context, r io.Reader, w io.Writer) error {
	tree, err := p.Tree()
	if err == nil {
		err = p.fits(tree)
	}
	if err != nil {
		return err
	}
	a := &attacker{
		Plan: p, figures: p.figures(tree), tree: tree, flat: flatNodes(tree.Nodes()),
		out: bufio.NewWriterSize(w, 64<<10),
	}
	for u := range tree.Nodes() {
		a.all = append(a.all, int32(u))
	}
	a.said.Worker, a.said.Sent = p.Version, map[string]sent{}
	a.said.Lengths, a.said.Sensitive = map[int]int64{}, map[int]int64{}
	a.before, a.after = newFigureRows(p), newFigureRows(p)
	if p.Person != "" {
		err = a.people(ctx, r)
	} else {
		err = p.Chunks(ctx, r, func(d *dataset.Dataset) error {
			d, sensitive, err := p.apart(tree, d)
			if err != nil {
				return err
			}
			return a.lines(ctx, d, sensitive, nil)
		})
	}
	if err != nil {
		return err
	}
	return a.end()
}

// flatNodes is a hierarchy of so many nodes below one.
func flatNodes(n int) *itemset.Tree {
	parent := slices.Repeat([]int32{int32(n)}, n+1)
	parent[n] = -1
	return itemset.NewTree(n, parent)
}

// end sends what was counted.
func (a *attacker) end() error {
	for side, rows := range map[string]*figureRows{ofBefore: a.before, ofAfter: a.after} {
		if err := rows.flush(); err != nil {
			return err
		}
		a.said.mapped.Sets += rows.sum
		for i, all := range rows.names {
			name, own := side+strconv.Itoa(i), sent{}
			err := all.blocks(func(block []byte) error {
				own.add(sent{1, checksum(name, block)})
				return writeLine(a.out, name, "block", spell(block))
			})
			if err != nil {
				return err
			}
			if own.Blocks > 0 {
				a.said.Sent[name] = own
			}
		}
	}
	if err := writeSealed(a.out, control, "attack", a.said); err != nil {
		return err
	}
	return a.out.Flush()
}

// people counts lines that come by their persons.
func (a *attacker) people(ctx context.Context, r io.Reader) error {
	pass := func(text string) error {
		_, err := a.out.WriteString(control + "\t" + text + "\n")
		return err
	}
	came, err := a.Plan.people(ctx, r, pass, func(p people) error {
		a.said.Persons += int64(len(p.names))
		for _, u := range p.units {
			if u < 0 {
				a.said.Nobody++
			}
		}
		return a.lines(ctx, p.lines, p.sensitive, p.units)
	})
	a.said.Came = came
	return err
}

// lines counts some lines; units are their persons, nil: lines are counted alone.
func (a *attacker) lines(ctx context.Context, d, sensitive *dataset.Dataset, units []int32) error {
	look := &mapper{said: a.said.mapped}
	look.look(d, sensitive)
	a.said.mapped = look.said
	byLength := map[int][]int32{}
	for i, tx := range d.All() {
		a.said.Lengths[len(tx)]++
		byLength[len(tx)] = append(byLength[len(tx)], int32(i))
	}
	for _, n := range slices.Sorted(maps.Keys(byLength)) {
		if n < a.Size {
			continue
		}
		own := dataset.Merge(d.Select(byLength[n]))
		if err := a.drawn(ctx, own, int32(n)); err != nil {
			return err
		}
	}
	published := d.Recode(a.tree.Dict(), a.Cut)
	if err := a.matching(ctx, dataset.Merge(published)); err != nil {
		return err
	}
	if units != nil {
		if err := a.persons(ctx, d, published, units); err != nil {
			return err
		}
	}
	if sensitive != nil {
		return a.beside(ctx, d, published, sensitive)
	}
	return nil
}

// drawn counts of which lines of one length sets may be known, and one more item be inferred.
func (a *attacker) drawn(ctx context.Context, lines *dataset.Merged, length int32) error {
	err := a.sets(ctx, lines, a.Size, func(set []int32, n int64) error {
		return a.both(set, a.code(known, 0), length, n)
	})
	if err != nil || int(length) == a.Size {
		return err
	}
	knows := make([]int32, a.Size)
	return a.sets(ctx, lines, a.Size+1, func(set []int32, n int64) error {
		for at, item := range set {
			copy(knows, set[:at])
			copy(knows[at:], set[at+1:])
			if err := a.both(knows, a.code(ofItem, item), length, n); err != nil {
				return err
			}
		}
		return nil
	})
}

// both counts what is known before, and as which labels it is known after.
func (a *attacker) both(set []int32, code, line int32, n int64) error {
	if err := a.before.add(a.row(set, code, line), n); err != nil {
		return err
	}
	return a.after.add(a.row(a.labels(set), code, line), n)
}

// labels is what publishes some items, ascending.
func (a *attacker) labels(items []int32) []int32 {
	out := make([]int32, 0, len(items))
	for _, x := range items {
		out = append(out, a.Cut[x])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// row is a set with what is counted, of which lines.
func (a *attacker) row(set []int32, code, line int32) []int32 {
	out := append(make([]int32, 0, a.Size+2), set...)
	for len(out) < a.Size {
		out = append(out, a.fill+int32(len(out)))
	}
	return append(out, code, a.figures.lines+line)
}

// matching counts the published lines that have sets of labels, and one label more.
func (a *attacker) matching(ctx context.Context, published *dataset.Merged) error {
	rest := make([]int32, a.Size)
	for size := 1; size <= a.Size+1; size++ {
		err := a.sets(ctx, published, size, func(set []int32, n int64) error {
			if size <= a.Size {
				if err := a.after.add(a.row(set, a.code(inLines, 0), 0), n); err != nil {
					return err
				}
			}
			for at := 0; at < size && size > 1; at++ {
				copy(rest, set[:at])
				copy(rest[at:], set[at+1:])
				row := a.row(rest[:size-1], a.code(withLabel, set[at]), 0)
				if err := a.after.add(row, n); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// persons counts the persons of sets of items, and of labels.
func (a *attacker) persons(
	ctx context.Context, d, published *dataset.Dataset, units []int32,
) error {
	code := a.code(ofPersons, 0)
	err := a.sets(ctx, dataset.MergeUnits(d, units), a.Size, func(set []int32, n int64) error {
		return a.before.add(a.row(set, code, 0), n)
	})
	merged := dataset.MergeUnits(published, units)
	for size := 1; size <= a.Size && err == nil; size++ {
		err = a.sets(ctx, merged, size, func(set []int32, n int64) error {
			return a.after.add(a.row(set, code, 0), n)
		})
	}
	return err
}

// beside counts the lines that have sets with each sensitive item.
func (a *attacker) beside(ctx context.Context, d, published, sensitive *dataset.Dataset) error {
	for i, has := range sensitive.All() {
		if len(has) == 0 {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		length := len(d.Tx(i))
		line := int64(length)*int64(a.items) + int64(len(has))
		if line > 1<<31-1-int64(a.figures.lines) {
			return fmt.Errorf("a line of %d items is too long for an attack beside %d sensitive items",
				length, a.items-1)
		}
		if length >= a.Size {
			a.said.Sensitive[int(line)]++
		}
		err := combinations(d.Tx(i), a.Size, a.Size, func(set []int32) error {
			for _, x := range has {
				if err := a.both(set, a.code(ofSensitive, x), int32(line), 1); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		err = combinations(published.Tx(i), 1, a.Size, func(set []int32) error {
			for _, x := range has {
				if err := a.after.add(a.row(set, a.code(withSensitive, x), 0), 1); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// combinations calls do for each set of from to to of the items, which must not keep it.
func combinations(items []int32, from, to int, do func(set []int32) error) error {
	set := make([]int32, 0, to)
	var extend func(rest []int32) error
	extend = func(rest []int32) error {
		for i, x := range rest {
			set = append(set, x)
			if len(set) >= from {
				if err := do(set); err != nil {
					return err
				}
			}
			if len(set) < to {
				if err := extend(rest[i+1:]); err != nil {
					return err
				}
			}
			set = set[:len(set)-1]
		}
		return nil
	}
	return extend(items)
}

// sets counts the sets of a size of lines, those of a unit at once.
func (a *attacker) sets(
	ctx context.Context, d *dataset.Merged, size int, do func(set []int32, n int64) error,
) error {
	from, pairs := 0, 0
	for i, tx := range d.All() {
		if err := split.Fits(len(tx), min(size, len(tx))); err != nil {
			return err
		}
		of := d.Units
		if pairs > mostPairs && (of == nil || of[i] < 0 || of[i] != of[i-1]) {
			if err := a.count(ctx, part{d, from, i}, size, do); err != nil {
				return err
			}
			from, pairs = i, 0
		}
		pairs += len(tx)
	}
	return a.count(ctx, part{d, from, d.Len()}, size, do)
}

func (a *attacker) count(
	ctx context.Context, d part, size int, do func(set []int32, n int64) error,
) error {
	cursor, from, to := d.Cursor(), d.from, d.to
	data := itemset.Data{
		Len: to - from, Items: d.Dict().Len(), Weights: d.Weights[from:to],
		Tx: func(i int) []int32 { return cursor.Tx(from + i) },
	}
	if d.Units != nil {
		data.Units = d.Units[from:to]
	}
	var fault error
	err := itemset.Paths{
		Data: data, Tree: a.flat, To: a.all, Order: a.all, Size: size,
	}.Each(ctx, func(set []int32, n int32) {
		if fault == nil {
			fault = do(set, int64(n))
		}
	})
	return cmp.Or(fault, err)
}

// figureRows are rows with their counts, in any order first, then in runs that ascend, by name.
type figureRows struct {
	width, set int
	counts     map[string]int64
	names      []*gather
	sum        int64
}

func newFigureRows(p *Plan) *figureRows {
	f := &figureRows{width: p.Size + 2, set: p.Size, counts: map[string]int64{}}
	for range p.Buckets {
		f.names = append(f.names, &gather{size: f.width})
	}
	return f
}

// add counts a row.
func (f *figureRows) add(row []int32, n int64) error {
	key := make([]byte, 0, 64)
	for _, x := range row {
		key = binary.BigEndian.AppendUint32(key, uint32(x))
	}
	f.counts[string(key)] += n
	f.sum += n
	if len(f.counts) < mostRows {
		return nil
	}
	return f.flush()
}

// flush puts away what was counted.
func (f *figureRows) flush() error {
	runs, writers := make([]run, len(f.names)), make([]*writer, len(f.names))
	for i := range writers {
		writers[i] = newWriter(f.width, func(block []byte) error {
			runs[i] = append(runs[i], blob{raw: block})
			return nil
		})
	}
	row := make([]int32, f.width)
	for _, key := range slices.Sorted(maps.Keys(f.counts)) {
		for i := range row {
			row[i] = int32(binary.BigEndian.Uint32([]byte(key[4*i:])))
		}
		err := writers[bucket(row[:f.set], len(writers))].add(row, f.counts[key])
		if err != nil {
			return err
		}
	}
	clear(f.counts)
	for i, w := range writers {
		err := w.flush()
		if err == nil && len(runs[i]) > 0 {
			err = f.names[i].add(runs[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}
