package hierarchy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"mingle/dataset"
)

// Fanout builds a balanced tree over leaves in the order given: each level groups fan consecutive
// nodes of the level below, until one is left. Inner nodes are named "first..last" after their
// leaves, the root "*"; a name that is taken gets as many "*" behind it as it takes. For leaves in
// the order of numbers, sort them with dataset.CompareLabels.
func Fanout(leaves []string, fan int) (*Tree, error) {
	if fan < 2 {
		return nil, fmt.Errorf("fan-out (%d) must be at least 2", fan)
	}
	names, err := distinct(leaves)
	if err != nil {
		return nil, err
	}
	level := make([]span, len(leaves))
	for i, l := range leaves {
		level[i] = span{l, l, l}
	}
	var groups []fanGroup
	for len(level) > 1 {
		var up []span
		for below := range slices.Chunk(level, fan) {
			// a lone node keeps its name and moves up: no chains of single children
			if len(below) == 1 {
				up = append(up, below[0])
				continue
			}
			s := span{first: below[0].first, last: below[len(below)-1].last}
			s.label = s.first + ".." + s.last
			if len(level) <= fan {
				s.label = "*"
			}
			s.label = names.free(s.label)
			groups = append(groups, fanGroup{s.label, below})
			up = append(up, s)
		}
		level = up
	}
	return joinGroups(level[0].label, groups)
}

// span is a node of a fan-out tree, with the first and the last leaf below it.
type span struct{ label, first, last string }

// fanGroup is a node and what is right below it.
type fanGroup struct {
	label string
	below []span
}

// joinGroups adds the groups from the root down, so that children are first named beside each other
// and in order.
func joinGroups(root string, groups []fanGroup) (*Tree, error) {
	b := NewBuilder()
	b.Add(root)
	for _, g := range slices.Backward(groups) {
		for _, child := range g.below {
			b.edge(child.label, g.label, 0)
		}
	}
	return b.Build(BuildOptions{})
}

// Prefix builds a tree over codes such as ICD-9: a level for every length groups the codes that
// share that many first characters, so lengths 3 and 1 put "0389" below "038*" below "0*". A group
// is named by its prefix and "*", with more "*" where that name is taken, so the code "038" is a
// leaf below the group "038*". A code shorter than a length has no group of that length. Groups of
// one code, and groups of the same codes as the group above, are left out: they would generalize
// nothing. root ("*" if empty) is the name of the node above all.
func Prefix(labels []string, lengths []int, root string) (*Tree, error) {
	if root == "" {
		root = "*"
	}
	lengths, err := ascending(lengths)
	if err != nil {
		return nil, err
	}
	names, err := distinct(labels)
	if err != nil {
		return nil, err
	}
	if names[root] {
		return nil, fmt.Errorf("the root cannot be called %q: a leaf has that label; choose "+
			"another name", root)
	}
	names[root] = true
	p := prefixTree{b: NewBuilder(), names: names}
	if len(labels) == 1 {
		p.b.Add(labels[0])
		return p.b.Build(BuildOptions{})
	}
	p.below(root, slices.Sorted(slices.Values(labels)), lengths)
	return p.b.Build(BuildOptions{})
}

type prefixTree struct {
	b     *Builder
	names nameSet
}

// below puts sorted codes below parent, grouped by the lengths still to come.
func (p *prefixTree) below(parent string, codes []string, lengths []int) {
	if len(lengths) == 0 {
		for _, c := range codes {
			p.b.edge(c, parent, 0)
		}
		return
	}
	for rest := codes; len(rest) > 0; {
		prefix, n := samePrefix(rest, lengths[0])
		switch n {
		case len(codes): // the group would be its parent again
			p.below(parent, codes, lengths[1:])
		case 1:
			p.b.edge(rest[0], parent, 0)
		default:
			group := p.names.free(prefix + "*")
			p.b.edge(group, parent, 0)
			p.below(group, rest[:n], lengths[1:])
		}
		rest = rest[n:]
	}
}

// samePrefix is the first characters of the first code, length of them, and how many codes from
// there on share them. A shorter code stands alone.
func samePrefix(codes []string, length int) (prefix string, n int) {
	prefix, ok := firstRunes(codes[0], length)
	if !ok {
		return "", 1
	}
	for n < len(codes) && strings.HasPrefix(codes[n], prefix) {
		n++
	}
	return prefix, n
}

func firstRunes(s string, n int) (string, bool) {
	end := 0
	for range n {
		if end == len(s) {
			return "", false
		}
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	return s[:end], true
}

// ascending sorts the lengths of prefixes and refuses what is none.
func ascending(lengths []int) ([]int, error) {
	if len(lengths) == 0 {
		return nil, errors.New("a prefix tree needs at least one prefix length, such as 3")
	}
	sorted := slices.Sorted(slices.Values(lengths))
	for i, l := range sorted {
		if l < 1 {
			return nil, fmt.Errorf("prefix length (%d) must be at least 1", l)
		}
		if i > 0 && l == sorted[i-1] {
			return nil, fmt.Errorf("prefix length %d is given twice: name it once", l)
		}
	}
	return sorted, nil
}

// nameSet is the labels that are taken.
type nameSet map[string]bool

// free takes the label, with as many "*" behind it as it needs to be new.
func (s nameSet) free(label string) string {
	for s[label] {
		label += "*"
	}
	s[label] = true
	return label
}

// distinct refuses leaves that are none, and tells all repeats at once.
func distinct(leaves []string) (nameSet, error) {
	var bad dataset.Faults
	names := nameSet{}
	if len(leaves) == 0 {
		bad.Addf(0, "the hierarchy is empty: it needs at least one leaf")
	}
	for i, l := range leaves {
		if l == "" {
			bad.Addf(0, "leaf number %d has an empty label: every leaf needs a name", i+1)
		} else if names[l] {
			bad.Addf(0, "leaf %q is given twice: leaves must be distinct", l)
		}
		names[l] = true
	}
	return names, bad.Err("")
}
