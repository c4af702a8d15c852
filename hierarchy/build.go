package hierarchy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mingle/dataset"
	"mingle/internal/limits"
)

// Builder collects the edges of a hierarchy and says what is wrong with them. Children stand in the
// order in which they were first named.
type Builder struct {
	labels []string
	index  map[string]int32
	parent []int32
	line   []int // where the edge to the parent was given; 0 = no source
	named  []int // where the label was first named
	leaf   []int // where the node was said to be a leaf: a line, 0 = on no line, notALeaf = nowhere

	beyond string // what is beyond the bounds on nodes and labels: nothing more is collected
	where  int    // its line

	ended func() error // why nothing more is wanted; nil: nobody is asked
}

const notALeaf = -1

// NewBuilder starts an empty hierarchy.
func NewBuilder() *Builder { return &Builder{index: map[string]int32{}} }

// BuildOptions says how a hierarchy is completed.
type BuildOptions struct {
	// Root, if not empty, is put above everything when the edges form a forest. A forest is an
	// error otherwise.
	Root string
}

// Add names a node without saying what is above it.
func (b *Builder) Add(label string) int32 { return b.add(label, 0) }

func (b *Builder) add(label string, line int) int32 {
	if id, ok := b.index[label]; ok {
		return id
	}
	if b.refuses(label, line) {
		return 0
	}
	id := int32(len(b.labels))
	b.index[label] = id
	b.labels = append(b.labels, label)
	b.parent = append(b.parent, -1)
	b.line = append(b.line, 0)
	b.named = append(b.named, line)
	b.leaf = append(b.leaf, notALeaf)
	return id
}

// refuses tells whether a new label is beyond the bounds, and says so when the tree is built.
func (b *Builder) refuses(label string, line int) bool {
	if len(b.labels)%askedEvery == 0 {
		b.askWhetherEnded()
	}
	switch {
	case b.beyond != "":
	case len(label) > maxLabel:
		b.refuse(
			fmt.Sprintf(
				"the label %.40q... has more than %s, the longest that is read", label,
				limits.Bytes(maxLabel),
			),
			line,
		)
	case len(b.labels) == maxNodes:
		b.refuse(maxNodesTold, line)
	}
	return b.beyond != ""
}

// askedEvery so many labels it is asked whether more is wanted.
const askedEvery = 1 << 10

// askWhetherEnded ends the collecting where nothing more is wanted.
func (b *Builder) askWhetherEnded() {
	if b.ended == nil {
		return
	}
	if err := b.ended(); err != nil {
		b.refuse(err.Error(), 0)
	}
}

var maxNodesTold = fmt.Sprintf("the hierarchy has more than %d nodes, the most that are read: "+
	"leave out items that no transaction has", maxNodes)

// refuse ends the collecting.
func (b *Builder) refuse(why string, line int) {
	if b.beyond == "" {
		b.beyond, b.where = why, line
	}
}

// Edge puts child below parent. Giving the same edge again is harmless; a second parent is an error
// that names both. line, if positive, is where the edge stands in its source.
func (b *Builder) Edge(child, parent string, line int) error {
	if fault := b.edge(child, parent, line); fault != "" {
		return errors.New(at(line) + fault)
	}
	return nil
}

// edge is Edge with the text of the fault alone, empty if there is none.
func (b *Builder) edge(child, parent string, line int) string {
	if child == parent {
		return fmt.Sprintf("node %q is its own parent: name its parent, or remove the line", child)
	}
	c, p := b.add(child, line), b.add(parent, line)
	if b.beyond != "" {
		return ""
	}
	if b.parent[c] >= 0 && b.parent[c] != p {
		return fmt.Sprintf("node %q has two parents, %q%s and %q: a node has one; remove one of "+
			"them, or give the nodes different labels",
			child, b.labels[b.parent[c]], onLine(b.line[c]), parent)
	}
	if b.parent[c] < 0 {
		b.parent[c], b.line[c] = p, line
	}
	return ""
}

// Path adds a leaf with all its ancestors, the leaf first. A label repeated next to itself means
// the same node.
func (b *Builder) Path(labels []string, line int) error {
	if fault := b.path(labels, line); fault != "" {
		return errors.New(at(line) + fault)
	}
	return nil
}

func (b *Builder) path(labels []string, line int) string {
	if len(labels) > 0 {
		leaf := b.add(labels[0], line)
		if b.beyond != "" {
			return ""
		}
		if b.leaf[leaf] == notALeaf {
			b.leaf[leaf] = line
		}
	}
	for i := 1; i < len(labels); i++ {
		if labels[i] == labels[i-1] {
			continue
		}
		if fault := b.edge(labels[i-1], labels[i], line); fault != "" {
			return fault
		}
	}
	return ""
}

// Build checks that the edges form one rooted tree and numbers it. Every fault is told, up to 20
// and then a count.
func (b *Builder) Build(opts BuildOptions) (*Tree, error) {
	var bad dataset.Faults
	t := b.build(opts, &bad)
	return t, bad.Err("")
}

// build is nil where bad gets, or has, a fault.
func (b *Builder) build(opts BuildOptions, bad *dataset.Faults) *Tree {
	if b.askWhetherEnded(); b.beyond != "" {
		bad.Addf(b.where, "%s", b.beyond)
		return nil
	}
	b.findEmpty(bad)
	b.findCycles(bad)
	b.findLeavesWithChildren(bad)
	if bad.Any() {
		return nil // the roots of broken edges would only mislead
	}
	labels, parent := b.rooted(opts.Root, bad)
	if bad.Any() {
		return nil
	}
	t, err := assemble(labels, parent)
	if err != nil {
		bad.Addf(0, "%v", err)
		return nil
	}
	if fault := t.tooDeep(); fault != "" {
		bad.Addf(0, "%s", fault)
		return nil
	}
	return t
}

func (b *Builder) findEmpty(bad *dataset.Faults) {
	if len(b.labels) == 0 && !bad.Any() {
		bad.Addf(0, "the hierarchy is empty: it needs at least one leaf")
	}
	if id, ok := b.index[""]; ok {
		bad.Addf(b.named[id], "a node has an empty label: every node needs a name")
	}
}

// rooted is the nodes and their parents with one root above all.
func (b *Builder) rooted(root string, bad *dataset.Faults) (labels []string, parent []int32) {
	var roots []int32
	for u, p := range b.parent {
		if p < 0 {
			roots = append(roots, int32(u))
		}
	}
	labels, parent = b.labels, b.parent
	if len(roots) <= 1 {
		return labels, parent
	}
	if root == "" {
		bad.Addf(0, "the hierarchy has %d roots (%s): it must have one; a common root can be "+
			"put above them with --add-root, and a line of column names must be taken out",
			len(roots), b.some(roots))
		return nil, nil
	}
	if _, taken := b.index[root]; taken {
		bad.Addf(
			0, "cannot add the root %q: a node has that label already; choose another name", root,
		)
		return nil, nil
	}
	labels = append(slices.Clone(labels), root)
	parent = append(slices.Clone(parent), -1)
	for _, r := range roots {
		parent[r] = int32(len(labels) - 1)
	}
	return labels, parent
}

// findCycles tells every cycle once.
func (b *Builder) findCycles(bad *dataset.Faults) {
	const unseen, open, done = 0, 1, 2
	state := make([]byte, len(b.parent))
	for u := range b.parent {
		var path []int32
		v := int32(u)
		for ; v >= 0 && state[v] == unseen; v = b.parent[v] {
			state[v] = open
			path = append(path, v)
		}
		if v >= 0 && state[v] == open {
			cycle := append(slices.Clone(path[slices.Index(path, v):]), v)
			bad.Addf(
				b.line[v], "the hierarchy has a cycle: %s: remove one of these steps",
				b.chain(cycle),
			)
		}
		for _, w := range path {
			state[w] = done
		}
	}
}

// findLeavesWithChildren tells nodes that one path gives as its leaf and another as a group.
func (b *Builder) findLeavesWithChildren(bad *dataset.Faults) {
	told := map[int32]bool{}
	for c, p := range b.parent {
		if p >= 0 && b.leaf[p] != notALeaf && !told[p] {
			told[p] = true
			bad.Addf(b.leaf[p], "node %q is given as a leaf, but %q is below it%s: an item "+
				"cannot be a group too; give the group another label, such as %q",
				b.labels[p], b.labels[c], onLine(b.line[c]), b.labels[p]+"*")
		}
	}
}

// chain spells out a path up; of a long one only both ends.
func (b *Builder) chain(nodes []int32) string {
	const shown = 10
	var names []string
	for i, u := range nodes {
		switch {
		case i == shown-1 && len(nodes) > shown+1:
			names = append(names, "...")
		case i < shown-1 || i >= len(nodes)-2:
			names = append(names, fmt.Sprintf("%q%s", b.labels[u], onLine(b.line[u])))
		}
	}
	return strings.Join(names, " below ")
}

func (b *Builder) some(nodes []int32) string {
	const shown = 5
	var names []string
	for _, u := range nodes[:min(shown, len(nodes))] {
		names = append(names, fmt.Sprintf("%q%s", b.labels[u], onLine(b.named[u])))
	}
	if len(nodes) > shown {
		names = append(names, "...")
	}
	return strings.Join(names, ", ")
}

func at(line int) string {
	if line <= 0 {
		return ""
	}
	return fmt.Sprintf("line %d: ", line)
}

func onLine(line int) string {
	if line <= 0 {
		return ""
	}
	return fmt.Sprintf(" (line %d)", line)
}
