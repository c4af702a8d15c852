package measure

import (
	"fmt"
	"math/bits"
	"slices"

	"mingle/dataset"
	"mingle/hierarchy"
)

// Answer is what a release says of a count: in how many transactions of its original all of some
// items are, or something below them where they are groups.
//
// AtLeast is certain, and AtMost where nothing was suppressed. The estimate gives each of the n
// leaves that a node of a line likely stands for ([hierarchy.Tree.Likely]) the probability 1/n,
// independently of the others. Its error is what [QueryError] measures.
type Answer struct {
	AtLeast  int     `json:"at_least"`
	AtMost   int     `json:"at_most"`
	Estimate float64 `json:"estimate"`
}

// Answers answers counts by a release alone, its original unknown.
type Answers struct {
	tree      *hierarchy.Tree
	published *dataset.Dataset // over its own labels
	node      []int32          // by label of the file: its node; -1: it stands for itself
	nested    []bool           // by line: whether a label of it is above another
	guess     guess
	line      []int32

	asked  int      // questions so far
	starts []int    // lines of label x are at[starts[x]:starts[x+1]]
	at     []int32  // from the second question on
	set    []uint64 // of lines; empty between questions
}

// UnknownError is of a label that is asked for and is nowhere.
type UnknownError struct{ Label string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("%q is neither in the hierarchy nor in the published file", e.Label)
}

// NewAnswers is of a published file over its own labels. Those that the tree does not have, such as
// sensitive items, stand for themselves.
func NewAnswers(t *hierarchy.Tree, published *dataset.Dataset) *Answers {
	a := &Answers{
		tree: t, published: published, node: make([]int32, published.Dict().Len()),
		guess: guess{tree: t},
	}
	for x, label := range published.Dict().Labels() {
		a.node[x] = -1
		if u, is := t.Node(label); is {
			a.node[x] = u
		}
	}
	a.nested = nested(t, published, func(tx, out []int32) []int32 { return a.nodes(tx, out) })
	return a
}

// Ask counts the transactions with all of these items and groups. Time: one walk over the file for
// the first question, and another to file its lines by label with the second; from then on, over
// the lines with a label that says something of the rarest of what is asked for. A label that
// neither the tree nor the file has is an *UnknownError.
func (a *Answers) Ask(labels ...string) (Answer, error) {
	questions := make([]question, len(labels))
	for i, label := range labels {
		var err error
		if questions[i], err = a.question(label); err != nil {
			return Answer{}, err
		}
	}
	questions = a.needed(questions)
	if a.asked++; a.asked == 2 {
		a.fileLines()
	}
	var out Answer
	a.eachLine(questions, func(i int, tx []int32) { a.look(&out, questions, i, tx) })
	return out, nil
}

// needed leaves out the questions that another one answers: a label that is named twice, a group
// beside something below it. They are no independent ones, which the estimate takes them for.
func (a *Answers) needed(questions []question) []question {
	var out []question
	for i, q := range questions {
		answered := func(j int) bool {
			return a.implies(questions[j], q) && (j < i || !a.implies(q, questions[j]))
		}
		needed := true
		for j := 0; j < len(questions) && needed; j++ {
			needed = j == i || !answered(j)
		}
		if needed {
			out = append(out, q)
		}
	}
	return out
}

// implies tells whether a transaction with what p asks for has what q asks for.
func (a *Answers) implies(p, q question) bool {
	if p.node < 0 || q.node < 0 {
		return p.label == q.label
	}
	from, to := a.tree.Range(p.node)
	above, below := a.tree.Range(q.node)
	return above <= from && to <= below
}

// look counts a line that may be one with all that is asked for.
func (a *Answers) look(out *Answer, questions []question, i int, tx []int32) {
	surely := true
	for j := range questions {
		q := &questions[j]
		q.lowest(a.tree, a.node, tx)
		if !q.surely && q.cover < 0 {
			return
		}
		surely = surely && q.surely
	}
	out.AtMost++
	if surely {
		out.AtLeast++
	}
	a.line = a.line[:0]
	if a.nested[i] {
		a.line = a.nodes(tx, a.line)
	}
	probability := 1.0
	for _, q := range questions {
		if !q.surely {
			probability *= a.guess.share(a.line, q.cover, q.node)
		}
	}
	out.Estimate += probability
}

// fileLines files lines under their labels.
func (a *Answers) fileLines() {
	a.set = make([]uint64, (a.published.Len()+63)/64)
	a.starts = make([]int, len(a.node)+1)
	for x, n := range a.published.Supports() {
		a.starts[x+1] = a.starts[x] + n
	}
	a.at = make([]int32, a.starts[len(a.node)])
	next := slices.Clone(a.starts)
	lines := a.published.Cursor()
	for i := range a.published.Len() {
		for _, x := range lines.Tx(i) {
			a.at[next[x]] = int32(i)
			next[x]++
		}
	}
}

// eachLine calls do with lines, ascending: all that may have all that is asked for, and others.
func (a *Answers) eachLine(questions []question, do func(i int, tx []int32)) {
	lines := a.published.Cursor()
	rarest, fewest := -1, a.published.Len()
	for j, q := range questions {
		if a.asked == 1 {
			break // nothing is filed
		}
		if n := a.postings(&q); n < fewest {
			rarest, fewest = j, n
		}
	}
	if rarest < 0 {
		for i := range a.published.Len() {
			do(i, lines.Tx(i))
		}
		return
	}
	for x, tells := range questions[rarest].tells {
		if tells != nothing {
			for _, i := range a.at[a.starts[x]:a.starts[x+1]] {
				a.set[i>>6] |= 1 << (i & 63)
			}
		}
	}
	for w, word := range a.set {
		for ; word != 0; word &= word - 1 {
			i := w<<6 + bits.TrailingZeros64(word)
			do(i, lines.Tx(i))
		}
		a.set[w] = 0
	}
}

// postings is how many lines have a label that says something of what is asked for, those with
// several counted as often.
func (a *Answers) postings(q *question) (n int) {
	for x, tells := range q.tells {
		if tells != nothing {
			n += a.starts[x+1] - a.starts[x]
		}
	}
	return n
}

// nodes appends the nodes that labels of the file are.
func (a *Answers) nodes(tx, out []int32) []int32 {
	for _, x := range tx {
		if a.node[x] >= 0 {
			out = append(out, a.node[x])
		}
	}
	return out
}

// question is an item or a group that is asked for.
type question struct {
	label string
	node  int32      // -1: the tree does not have it
	tells []evidence // by label of the file
	// of the line at hand: a label says that it is there; else the lowest node above it, -1: none
	surely bool
	cover  int32
}

// evidence is what a label in a line says of a question.
type evidence uint8

const (
	nothing evidence = iota
	itIs             // it is what is asked for, or below it
	itMayBe          // it is above it
)

// question finds what every label of the file says of a label.
func (a *Answers) question(label string) (question, error) {
	q := question{label: label, node: -1, tells: make([]evidence, len(a.node))}
	asked, inTree := a.tree.Node(label)
	if id, is := a.published.Dict().ID(label); is {
		q.tells[id] = itIs
	} else if !inTree {
		return q, &UnknownError{label}
	}
	if !inTree {
		return q, nil
	}
	q.node = asked
	for x, u := range a.node {
		switch {
		case u < 0:
		case a.tree.Covers(asked, u) || a.tree.LeafCount(asked) == a.tree.LeafCount(u) &&
			a.tree.Covers(u, asked): // a group of one item is that item
			q.tells[x] = itIs
		case a.tree.Covers(u, asked):
			q.tells[x] = itMayBe
		}
	}
	return q, nil
}

// lowest looks at a line.
func (q *question) lowest(t *hierarchy.Tree, node, tx []int32) {
	q.surely, q.cover = false, -1
	for _, x := range tx {
		switch q.tells[x] {
		case itIs:
			q.surely = true
			return
		case itMayBe:
			if q.cover < 0 || t.Covers(q.cover, node[x]) {
				q.cover = node[x]
			}
		}
	}
}

// nested tells, by line, whether a node of it is above another. The function appends the nodes that
// the labels of a line are.
func nested(
	t *hierarchy.Tree, published *dataset.Dataset, nodes func(tx, out []int32) []int32,
) []bool {
	out := make([]bool, published.Len())
	last := make([]int32, t.Nodes()) // the last line that has a node, from 1 on
	var line []int32
	lines := published.Cursor()
	for i := range out {
		line = nodes(lines.Tx(i), line[:0])
		for _, u := range line {
			last[u] = int32(i) + 1
		}
		for _, u := range line {
			for v := t.Parent(u); v >= 0 && !out[i]; v = t.Parent(v) {
				out[i] = last[v] == int32(i)+1
			}
		}
	}
	return out
}

// guess is how likely items are where a release publishes a node above them.
type guess struct {
	tree  *hierarchy.Tree
	spans []hierarchy.Span
}

// share is the share of what is asked for, an item or a group below u, in the leaves that node u of
// a line likely stands for. A line without a node above another may be left out.
func (g *guess) share(line []int32, u, asked int32) float64 {
	if len(line) == 0 {
		return float64(g.tree.LeafCount(asked)) / float64(g.tree.LeafCount(u))
	}
	g.spans = g.tree.Likely(line, u, g.spans[:0])
	from, to := g.tree.Range(asked)
	var all, mine int32
	for _, s := range g.spans {
		all += s.To - s.From
		mine += max(0, min(to, s.To)-max(from, s.From))
	}
	return float64(mine) / float64(all)
}
