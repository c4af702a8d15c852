package verify

import (
	"slices"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/privacy"
)

// emptied tells, word by word, whether the lines that publish nothing hide what is sensitive, where
// suppressed items have emptied one that tells something.
func (t twin) emptied() bool {
	if !t.MaySuppress || t.Original == nil || !t.Promise.Diverse() {
		return true
	}
	var lines, telling []int
	for i := range t.Published.Len() {
		if len(t.Published.Tx(i)) > 0 {
			continue
		}
		lines = append(lines, i)
		tells := t.PublishedSensitive != nil && len(t.PublishedSensitive.Tx(i)) > 0 ||
			t.Promise.NullIsValue
		for _, c := range t.Columns {
			tells = tells || c.Published[i] != ""
		}
		if tells {
			telling = append(telling, i)
		}
	}
	emptied := false
	for _, i := range telling {
		emptied = emptied || t.Original.Len() == t.Published.Len() && len(t.Original.Tx(i)) > 0
	}
	if t.Original.Len() != t.Published.Len() {
		emptied = !t.fromEmpty(telling, map[int]bool{})
	}
	if !emptied {
		return true
	}
	if hidden := t.hidden(); hidden != nil && t.Promise.HasSensitiveItems() {
		hide := slices.DeleteFunc(slices.Clone(lines), func(i int) bool {
			return !slices.Contains(telling, i) && len(hidden(i)) == 0 &&
				!t.itemsAlone(lines, telling)
		})
		if !t.evenly(hide, hidden) {
			return false
		}
	}
	for _, c := range t.Columns {
		valued := slices.DeleteFunc(slices.Clone(lines), func(i int) bool {
			return strings.TrimSpace(c.Published[i]) == "" && !t.Promise.NullIsValue
		})
		if !t.evenly(valued, func(i int) []string {
			v := strings.TrimSpace(c.Published[i])
			if slices.Contains(t.NotSensitive, v) {
				return nil
			}
			return []string{v}
		}) {
			return false
		}
	}
	return true
}

// itemsAlone tells whether some set of items can be left out of all lines, and no line, so that
// what is left is published as it is; the lines that publish nothing and tell nothing had nothing
// to tell.
func (t twin) itemsAlone(lines, telling []int) bool {
	if t.Original.Len() != t.Published.Len() || t.OriginalSensitive == nil {
		return false
	}
	for _, i := range lines {
		if slices.Contains(telling, i) {
			continue
		}
		if len(t.OriginalSensitive.Tx(i)) > 0 {
			return false
		}
		for _, c := range t.Columns {
			if c.Original == nil || c.Original[i] != "" {
				return false
			}
		}
	}
	for out := range 1 << t.Tree.Leaves() {
		all := true
		for i := range t.Original.Len() {
			var left []int32
			for _, x := range t.Original.Tx(i) {
				if out>>x&1 == 0 {
					left = append(left, x)
				}
			}
			all = all && t.isRecoding(left, t.Published.Tx(i))
		}
		if all {
			return true
		}
	}
	return false
}

// isRecoding tells whether every item is below a node, and every node is the lowest above an item.
func (t twin) isRecoding(items, nodes []int32) bool {
	reached := map[int32]bool{}
	for _, x := range items {
		lowest := int32(-1)
		for _, u := range nodes {
			if t.Tree.Covers(u, x) && (lowest < 0 || t.Tree.Covers(lowest, u)) {
				lowest = u
			}
		}
		reached[lowest] = true
	}
	return !reached[-1] && len(reached) == len(nodes)
}

// fromEmpty tells whether lines that publish nothing may be, in some order, original lines without
// items that have beside them what the published lines have.
func (t twin) fromEmpty(lines []int, taken map[int]bool) bool {
	if len(lines) == 0 {
		return true
	}
	for at := range t.Original.Len() {
		if taken[at] || len(t.Original.Tx(at)) > 0 || !t.same(at, lines[0]) {
			continue
		}
		taken[at] = true
		if t.fromEmpty(lines[1:], taken) {
			return true
		}
		delete(taken, at)
	}
	return false
}

// hidden tells the sensitive items of a published line; nil: they are not to be had.
func (t twin) hidden() func(i int) []string {
	switch {
	case t.PublishedSensitive != nil:
		return t.PublishedSensitive.Labels
	case t.OriginalSensitive != nil && t.Original.Len() == t.Published.Len():
		return t.OriginalSensitive.Labels
	}
	return nil
}

// evenly tells whether nothing is with more than 1/l of some lines, or of their persons.
func (t twin) evenly(lines []int, has func(i int) []string) bool {
	with, who, all := map[string]int{}, map[string]map[int32]bool{}, map[int32]bool{}
	for _, i := range lines {
		person := int32(i)
		if t.Promise.Persons {
			person = t.Persons[i]
		}
		if person >= 0 {
			all[person] = true
		}
		for _, s := range has(i) {
			if with[s]++; who[s] == nil {
				who[s] = map[int32]bool{}
			}
			if person >= 0 {
				who[s][person] = true
			}
		}
	}
	for s, n := range with {
		if n*t.Promise.L > len(lines) || len(who[s])*t.Promise.L > len(all) {
			return false
		}
	}
	return true
}

// b is suppressed, and empties lines.
func TestEmptiedByExample(t *testing.T) {
	tree := leafTree(t, []string{"a", "*"}, []string{"b", "*"})
	for _, c := range []struct {
		name             string
		lines, cells     string
		published, shown string
		holds            bool
	}{
		{"one, with a value of its own", "aaaab", "xyxyz", "aaaa-", "xyxyz", false},
		{"two, with different ones", "aaaabb", "xyxyxy", "aaaa--", "xyxyxy", true},
		{"two, one of them without a value", "aaaabb", "xyxyx-", "aaaa--", "xyxyx-", false},
		{"one beside another that had nothing", "aaaab-", "xyxyxy", "aaaa--", "xyxyxy", true},
		{"both with one value", "aaaab-", "xyxyzz", "aaaa--", "xyxyzz", false},
		{"none is emptied", "aaaa--", "xyxyzz", "aaaa--", "xyxyzz", true},
		{"withheld beside others", "aaaab--", "xyxyxzz", "aaaa---", "xyxy-zz", true},
		{"left out beside others", "aaaab--", "xyxyxzz", "aaaa--", "xyxyzz", true},
		{"left out, and one is emptied", "aaaabb", "xyxyxz", "aaaa-", "xyxyz", false},
		{"left out, the emptied one beside another value", "aaaa-b", "xyxyyz", "aaaa-", "xyxyz", false},
	} {
		in := KMInput{Tree: tree, MaySuppress: true}
		in.Promise = privacy.KM{K: 2, M: 1, L: 2, Columns: []string{"c"}, ColumnsOnly: true}
		all := publish(t, tree, itemsOfLetters(c.lines))
		in.Original = all.Recode(tree.LeafDict(), []int32{0, 1, -1})
		in.Published = publish(t, tree, itemsOfLetters(c.published))
		in.Columns = []SensitiveColumn{{
			Name: "c", Published: cellsOf(c.shown), Original: cellsOf(c.cells),
		}}
		if f := check(t, in); f.Holds != c.holds || f.Holds != kept(in) {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}

// a is suppressed, b is not. Lines that show nothing hide the sensitive item of others only where
// they lost nothing but items that are left out everywhere.
func TestEmptiedBesideSilentLines(t *testing.T) {
	tree := leafTree(t, []string{"a", "*"}, []string{"b", "*"}, []string{"c", "*"})
	for _, c := range []struct {
		name             string
		lines, secret    string
		published, shown string
		holds            bool
	}{
		{"all with a have it", "aaabbb", "sss---", "---bbb", "s-----", false},
		{"one with a has it", "aaabbb", "s-----", "---bbb", "s-----", true},
		{"they had b, which others publish", "abbbbb", "s-----", "---bbb", "s-----", false},
		{"they were empty", "a--bbb", "s-----", "---bbb", "s-----", true},
		{"one of them is left out", "aaabbb", "s-----", "--bbb", "s----", false},
		{"one had it, another not", "aaabbb", "ss----", "---bbb", "s-----", false},
		{"half have it for all to see", "aabbb", "s----", "--bbb", "s----", true},
		{"most have it for all to see", "aaabbb", "ss----", "---bbb", "ss----", false},
		{"all have it for all to see", "aabbb", "ss---", "--bbb", "ss---", false},
		{"one had b, and others after it not", "abbbba", "s-----", "---bb-", "s-----", false},
		{"others publish two things", "aaabccb", "s------", "---bccb", "s------", true},
	} {
		in := KMInput{Tree: tree, MaySuppress: true, Promise: privacy.KM{K: 2, M: 1, L: 2}}
		all := publish(t, tree, itemsOfLetters(c.lines))
		in.Original = all.Recode(tree.LeafDict(), []int32{0, 1, 2, -1})
		in.Published = publish(t, tree, itemsOfLetters(c.published))
		in.OriginalSensitive = secrets(itemsOfLetters(c.secret))
		in.PublishedSensitive = secrets(itemsOfLetters(c.shown))
		if f := check(t, in); f.Holds != c.holds || f.Holds != kept(in) {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}

// secrets are sensitive items, of which s is one.
func secrets(lines [][]string) *dataset.Dataset {
	b, dict := dataset.NewBuilder(dataset.MustDictionary([]string{"s"})), []int32{0}
	for _, line := range lines {
		b.Add(slices.Clone(dict[:len(line)]))
	}
	return b.Build()
}
