package hierarchy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Builder collects the edges of a hierarchy and says what is wrong with them. Children stand in the order in which
// they were first named.
type Builder struct {
	labels []string
	index  map[string]int32
	parent []int32
	line   []int // where the edge to the parent was given; 0 = no source
}

// NewBuilder starts an empty hierarchy.
func NewBuilder() *Builder { return &Builder{index: map[string]int32{}} }

// BuildOptions says how a hierarchy is completed.
type BuildOptions struct {
	// Root, if not empty, is put above everything when the edges form a forest. A forest is an error otherwise.
	Root string
}

// Add names a node without saying what is above it.
func (b *Builder) Add(label string) int32 {
	if id, ok := b.index[label]; ok {
		return id
	}
	id := int32(len(b.labels))
	b.index[label] = id
	b.labels = append(b.labels, label)
	b.parent = append(b.parent, -1)
	b.line = append(b.line, 0)
	return id
}

// Edge puts child below parent. Giving the same edge again is harmless; a second parent is an error that names both.
// line, if positive, is where the edge stands in its source.
func (b *Builder) Edge(child, parent string, line int) error {
	if child == parent {
		return fmt.Errorf("%snode %q is its own parent", at(line), child)
	}
	c, p := b.Add(child), b.Add(parent)
	if b.parent[c] >= 0 && b.parent[c] != p {
		return fmt.Errorf("%snode %q has two parents, %q%s and %q", at(line), child, b.labels[b.parent[c]], onLine(b.line[c]), parent)
	}
	if b.parent[c] < 0 {
		b.parent[c], b.line[c] = p, line
	}
	return nil
}

// Path adds a leaf with all its ancestors, the leaf first. A label repeated next to itself means the same node.
func (b *Builder) Path(labels []string, line int) error {
	if len(labels) > 0 {
		b.Add(labels[0])
	}
	for i := 1; i < len(labels); i++ {
		if labels[i] == labels[i-1] {
			continue
		}
		if err := b.Edge(labels[i-1], labels[i], line); err != nil {
			return err
		}
	}
	return nil
}

// Build checks that the edges form one rooted tree and numbers it.
func (b *Builder) Build(opts BuildOptions) (*Tree, error) {
	if len(b.labels) == 0 {
		return nil, errors.New("the hierarchy is empty")
	}
	if err := b.findCycle(); err != nil {
		return nil, err
	}
	var roots []int32
	for u, p := range b.parent {
		if p < 0 {
			roots = append(roots, int32(u))
		}
	}
	labels, parent := b.labels, b.parent
	if len(roots) > 1 {
		if opts.Root == "" {
			return nil, fmt.Errorf("the hierarchy has %d roots (%s): it must have one; a common root can be put above them with --add-root", len(roots), b.some(roots))
		}
		if _, taken := b.index[opts.Root]; taken {
			return nil, fmt.Errorf("cannot add the root %q: a node has that label already", opts.Root)
		}
		labels = append(slices.Clone(labels), opts.Root)
		parent = append(slices.Clone(parent), -1)
		for _, r := range roots {
			parent[r] = int32(len(labels) - 1)
		}
	}
	return assemble(labels, parent)
}

func (b *Builder) findCycle() error {
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
			cycle := append(path[slices.Index(path, v):], v)
			return fmt.Errorf("%sthe hierarchy has a cycle: %s", at(b.line[v]), b.chain(cycle))
		}
		for _, w := range path {
			state[w] = done
		}
	}
	return nil
}

func (b *Builder) chain(nodes []int32) string {
	var names []string
	for _, u := range nodes {
		names = append(names, fmt.Sprintf("%q", b.labels[u]))
	}
	return strings.Join(names, " below ")
}

func (b *Builder) some(nodes []int32) string {
	const shown = 5
	var names []string
	for _, u := range nodes[:min(shown, len(nodes))] {
		names = append(names, fmt.Sprintf("%q", b.labels[u]))
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

// Fanout builds a balanced tree over leaves in the order given: each level groups fan consecutive nodes of the level
// below, until one is left. Inner nodes are named "first..last" after their leaves, the root "*".
func Fanout(leaves []string, fan int) (*Tree, error) {
	if fan < 2 {
		return nil, fmt.Errorf("fan-out (%d) must be at least 2", fan)
	}
	type span struct {
		label       string
		first, last string
	}
	b := NewBuilder()
	level := make([]span, len(leaves))
	for i, l := range leaves {
		level[i] = span{l, l, l}
		b.Add(l)
	}
	if len(b.labels) != len(leaves) {
		return nil, errors.New("the leaves of a fan-out tree must be distinct")
	}
	for len(level) > 1 {
		var up []span
		for i := 0; i < len(level); i += fan {
			group := level[i:min(i+fan, len(level))]
			s := span{first: group[0].first, last: group[len(group)-1].last}
			s.label = s.first + ".." + s.last
			if len(level) <= fan {
				s.label = "*"
			}
			if len(group) == 1 { // a lone node keeps its name and moves up: no chains of single children
				up = append(up, group[0])
				continue
			}
			for _, g := range group {
				if err := b.Edge(g.label, s.label, 0); err != nil {
					return nil, fmt.Errorf("a leaf label collides with the name of an inner node: %w", err)
				}
			}
			up = append(up, s)
		}
		level = up
	}
	return b.Build(BuildOptions{})
}
