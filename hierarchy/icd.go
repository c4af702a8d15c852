package hierarchy

import (
	"cmp"
	"slices"
	"strings"

	"mingle/dataset"
)

// ICDOptions say how a tree of codes of diseases is made. The zero value is usable.
type ICDOptions struct {
	Version ICDVersion // 0: by the table
	Titles  bool       // groups are named with their titles; else by their codes alone
	Other   string     // a group for what is no code, or in no range; "": such items are faults
	Root    string     // the name of the node above all; "": "*"
}

// ICD builds a tree over codes of ICD-9-CM or ICD-10: chapters and blocks are the ranges of a
// table, each inside the smallest that holds it, then come the categories, and a level for each
// further character. The leaves are the codes as they are given; dots, small letters and missing
// leading zeros make no difference to where they stand. A range is named "001-139", a category
// "250*", with more "*" where that is a code. Groups of one code, and groups of the same codes as
// the group above, are left out: they would generalize nothing.
func ICD(codes []string, ranges []CodeRange, o ICDOptions) (*Tree, error) {
	names, err := distinct(codes)
	if err != nil {
		return nil, err
	}
	if o.Version == 0 && len(ranges) > 0 {
		o.Version = VersionOf(ranges)
	}
	var bad dataset.Faults
	t := icdTree{ICDOptions: o, b: NewBuilder(), names: names, titles: map[string]string{}}
	nested := o.Version.nested(ranges, &bad)
	if err := bad.Err(""); err != nil {
		return nil, err
	}
	known, others := t.sort(codes, nested)
	if o.Other == "" {
		for _, label := range others {
			bad.Addf(0, "item %q is no code of ICD-%d in any of the ranges: correct it, complete the "+
				"table, or give such items a group of their own with --other NAME", label, o.Version)
		}
	}
	if err := bad.Err(""); err != nil {
		return nil, err
	}
	root := t.names.free(cmp.Or(o.Root, "*"))
	t.b.Add(root)
	t.below(root, known, nested)
	if len(others) > 0 {
		group := t.names.free(o.Other)
		t.b.edge(group, root, 0)
		for _, label := range others {
			t.b.edge(label, group, 0)
		}
	}
	return t.b.Build(BuildOptions{})
}

// icdCode is a code with its label in the data.
type icdCode struct{ code, category, label string }

type icdTree struct {
	ICDOptions
	b      *Builder
	names  nameSet
	titles map[string]string // of categories
}

// sort spells the codes and puts them into their order; others are those that are in no range.
func (t *icdTree) sort(labels []string, ranges []*icdRange) (known []icdCode, others []string) {
	for _, label := range labels {
		code, ok := t.Version.spell(label)
		if !ok {
			others = append(others, label)
			continue
		}
		c := icdCode{code, code[:t.Version.categoryLen(code)], label}
		if rangeOf(ranges, c) == nil {
			others = append(others, label)
			continue
		}
		known = append(known, c)
	}
	slices.SortStableFunc(known, func(a, b icdCode) int {
		return cmp.Or(strings.Compare(a.code, b.code), strings.Compare(a.label, b.label))
	})
	return known, others
}

// rangeOf is the range that has a code.
func rangeOf(ranges []*icdRange, c icdCode) *icdRange {
	for _, r := range ranges {
		if r.From <= c.category && c.category <= r.To {
			return r
		}
	}
	return nil
}

// below puts sorted codes below parent: by the ranges inside it, else by their categories.
func (t *icdTree) below(parent string, codes []icdCode, ranges []*icdRange) {
	for rest := codes; len(rest) > 0; {
		r := rangeOf(ranges, rest[0])
		n := 1
		for n < len(rest) && rangeOf(ranges, rest[n]) == r &&
			(r != nil || rest[n].category == rest[0].category) {
			n++
		}
		switch {
		case r != nil && r.From == r.To:
			t.titles[r.From] = r.Title
			t.group(parent, rest[:n], len(codes), len(r.From))
		case r == nil:
			t.group(parent, rest[:n], len(codes), len(rest[0].category))
		case n == 1:
			t.b.edge(rest[0].label, parent, 0)
		case n == len(codes):
			t.below(parent, rest, r.inside)
		default:
			group := t.names.free(t.named(r.From+"-"+r.To, r.Title))
			t.b.edge(group, parent, 0)
			t.below(group, rest[:n], r.inside)
		}
		rest = rest[n:]
	}
}

// group puts codes that share their first characters, length of them, below parent, which has
// siblings codes below it.
func (t *icdTree) group(parent string, codes []icdCode, siblings, length int) {
	if len(codes) == 1 {
		t.b.edge(codes[0].label, parent, 0)
		return
	}
	if len(codes) < siblings {
		prefix := codes[0].code[:length]
		name := t.names.free(t.named(prefix+"*", t.titles[prefix]))
		t.b.edge(name, parent, 0)
		parent, siblings = name, len(codes)
	}
	for rest := codes; len(rest) > 0; {
		n := 1
		if len(rest[0].code) > length {
			next := rest[0].code[:length+1]
			for n < len(rest) && strings.HasPrefix(rest[n].code, next) {
				n++
			}
			t.group(parent, rest[:n], siblings, length+1)
		} else {
			t.b.edge(rest[0].label, parent, 0)
		}
		rest = rest[n:]
	}
}

// named is the name of a group.
func (t *icdTree) named(code, title string) string {
	if !t.Titles || title == "" {
		return code
	}
	return code + " " + title
}
