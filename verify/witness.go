package verify

import (
	"fmt"
	"strings"
)

// spell turns witnesses into breaches: labels, lines to look up, a sentence. kind is that of breaches by too little
// support.
func (j *judgement) spell(found *shelf, kind string) []Breach {
	out := make([]Breach, 0, len(found.kept))
	for _, w := range found.kept {
		b := Breach{Kind: kind, Support: w.support, Needed: w.needed, Itemset: []string{}}
		for _, code := range w.nodes {
			b.Itemset = append(b.Itemset, j.name(kind, code))
		}
		b.Lines = j.linesOf(w, kind)
		set := "{" + strings.Join(b.Itemset, ", ") + "}"
		switch {
		case w.sensitive >= 0 && kind == KindKnowledge:
			b.Sensitive = j.sens.Dict().Label(w.sensitive)
			b.Message = fmt.Sprintf("%q is in %d of the %d transactions that match the knowledge %s, more than 1/%d of them", b.Sensitive, w.needed/j.in.Promise.L, w.support, set, j.in.Promise.L)
		case w.sensitive >= 0:
			b.Kind = KindDiversity
			b.Sensitive = j.sens.Dict().Label(w.sensitive)
			b.Message = fmt.Sprintf("%q is in %d of the %d transactions with %s, more than 1/%d of them", b.Sensitive, w.needed/j.in.Promise.L, w.support, set, j.in.Promise.L)
		case kind == KindKnowledge:
			b.Message = fmt.Sprintf("the knowledge %s is matched by %d published transactions, fewer than %d", set, w.support, w.needed)
		default:
			b.Message = fmt.Sprintf("%s is in %d published transactions, fewer than %d", set, w.support, w.needed)
		}
		out = append(out, b)
	}
	return out
}

// name spells one element of a witness: a node or, in knowledge, an item that a person has or has not.
func (j *judgement) name(kind string, code int32) string {
	if kind != KindKnowledge {
		return j.in.Tree.Label(code)
	}
	if code&1 == 1 {
		return "not " + j.in.Tree.Label(code>>1)
	}
	return j.in.Tree.Label(code >> 1)
}

// linesOf finds the first lines with the combination and, if any, the sensitive item.
func (j *judgement) linesOf(w witness, kind string) []int {
	var lines []int
	txs := j.in.Published.Cursor()
	for i := 0; i < j.in.Published.Len() && len(lines) < maxLines; i++ {
		tx := txs.Tx(i)
		has := contains(tx, w.nodes)
		if kind == KindKnowledge {
			has = j.matches(tx, w.nodes)
		}
		if has && (w.sensitive < 0 || contains(j.sens.Tx(i), []int32{w.sensitive})) {
			lines = append(lines, j.in.Published.Line(i))
		}
	}
	return lines
}

// matches tells whether a published line matches knowledge: it has each item a person has, or a node above it, and
// does not have, as such, an item the person has not. A node above such an item does not exclude anything.
func (j *judgement) matches(tx, knowledge []int32) bool {
	for _, code := range knowledge {
		x := code >> 1
		if code&1 == 1 {
			if contains(tx, []int32{x}) {
				return false
			}
			continue
		}
		covered := false
		for _, u := range tx {
			covered = covered || j.in.Tree.Covers(u, x)
		}
		if !covered {
			return false
		}
	}
	return true
}
