package verify

import (
	"fmt"
	"slices"
	"strings"
)

// spell turns witnesses into breaches: labels, lines to look up, a sentence. kind is that of
// breaches by too little support.
func (j *judgement) spell(found *witnesses, kind string) []Breach {
	out := make([]Breach, 0, len(found.kept))
	for _, w := range found.kept {
		b := Breach{Kind: kind, Support: w.support, Needed: w.needed, Itemset: []string{}}
		for _, code := range w.nodes {
			b.Itemset = append(b.Itemset, j.name(kind, code))
		}
		b.Lines = j.linesOf(w, kind)
		b.Itemset = j.named(b.Itemset)
		set := "{" + strings.Join(b.Itemset, ", ") + "}"
		match := "match"
		unit := plural(w.support, "transaction")
		if w.of == ofPersons {
			unit = plural(w.support, "person")
		}
		if w.support == 1 {
			match = "matches"
		}
		switch {
		case w.of == ofOne:
			n := j.in.Promise.PersonShare
			b.Message = fmt.Sprintf("one person has %d of the %s that %s %s, more "+
				"than 1/%d of them", w.needed/n, plural(w.support, "transaction"), match, set, n)
		case w.beside >= 0 && kind == KindKnowledge:
			b.Sensitive = j.sens.Dict().Label(w.beside)
			b.Message = fmt.Sprintf("%s is in %d of the %s that %s the "+
				"knowledge %s%s, more than 1/%d of them", j.what(b.Sensitive),
				w.needed/j.in.Promise.L, unit, match, set, j.have(), j.in.Promise.L)
		case w.beside >= 0:
			b.Kind = KindDiversity
			b.Sensitive = j.sens.Dict().Label(w.beside)
			b.Message = fmt.Sprintf("%s is in %d of the %s with %s%s, more than "+
				"1/%d of them", j.what(b.Sensitive), w.needed/j.in.Promise.L, unit, set,
				j.have(), j.in.Promise.L)
		case kind == KindKnowledge && w.of == ofPersons:
			b.Message = fmt.Sprintf("the knowledge %s is matched by published transactions of "+
				"%s, fewer than %d", set, unit, w.needed)
		case kind == KindKnowledge:
			b.Message = fmt.Sprintf("the knowledge %s is matched by %s, fewer than %d", set,
				plural(w.support, "published transaction"), w.needed)
		case w.of == ofPersons:
			b.Message = fmt.Sprintf("%s is in published transactions of %s, fewer than %d",
				set, unit, w.needed)
		default:
			b.Message = fmt.Sprintf("%s is in %s, fewer than %d", set,
				plural(w.support, "published transaction"), w.needed)
		}
		out = append(out, b)
	}
	return out
}

// plural counts things.
func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// number is the form of a word that goes with a number of things.
func number(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// name spells one element of a witness: a node or, in knowledge, a claim.
func (j *judgement) name(kind string, code int32) string {
	if kind != KindKnowledge {
		return j.in.Tree.Label(code)
	}
	label := j.in.Tree.Label(claim(code).node())
	switch {
	case claim(code).what() == lacksItem:
		return "not " + label
	case claim(code).what() == hasItem &&
		j.in.Promise.NegativeKnowledge: // the node of that label is another claim
		return label + " at any level"
	}
	return label
}

// linesOf finds the first lines with the combination and, if any, the sensitive item.
func (j *judgement) linesOf(w witness, kind string) []int {
	txs := j.in.Published.Cursor()
	n := newNesting(j.in.Tree)
	return firstLines(j.in.Published.Len(), func(i int) bool {
		has := false
		if tx := txs.Tx(i); kind == KindKnowledge {
			n.arrange(tx)
			has = n.matches(w.nodes)
		} else {
			has = contains(tx, w.nodes)
		}
		return has && (w.beside < 0 || contains(j.sens.Tx(i), []int32{w.beside}))
	}, j.in.Published.Line)
}

// matches tells whether a published line matches knowledge: it has each item that a person has, or
// a node above it, and each node that is claimed; and every node of it keeps a leaf of its own that
// the person may have.
func (n *nesting) matches(knowledge []int32) bool {
	var lacked []int32
	for _, code := range knowledge {
		u := claim(code).node()
		has := false
		switch claim(code).what() {
		case lacksItem:
			lacked = append(lacked, u)
			has = true
		case hasNode:
			has = slices.Contains(n.nodes, u)
		case hasItem:
			has = slices.ContainsFunc(n.nodes, func(v int32) bool { return n.tree.Covers(v, u) })
		}
		if !has {
			return false
		}
	}
	for at := range n.nodes {
		if n.own[at] > len(lacked) || len(lacked) == 0 {
			continue
		}
		if !slices.ContainsFunc(n.leavesOf(at, nil),
			func(x int32) bool { return !slices.Contains(lacked, x) }) {
			return false
		}
	}
	return true
}
