package measure

import (
	"fmt"

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

// Ask counts the transactions with all of these items and groups. Time: one walk over the file. A
// label that neither the tree nor the file has is an *UnknownError.
func (a *Answers) Ask(labels ...string) (Answer, error) {
	var out Answer
	questions := make([]question, len(labels))
	for i, label := range labels {
		var err error
		if questions[i], err = a.question(label); err != nil {
			return out, err
		}
	}
	var line []int32
	lines := a.published.Cursor()
	for i := range a.published.Len() {
		may, surely := true, true
		tx := lines.Tx(i)
		for j := range questions {
			q := &questions[j]
			q.lowest(a.tree, a.node, tx)
			if may = q.surely || q.cover >= 0; !may {
				break
			}
			surely = surely && q.surely
		}
		if !may {
			continue
		}
		out.AtMost++
		if surely {
			out.AtLeast++
		}
		line = line[:0]
		if a.nested[i] {
			line = a.nodes(tx, line)
		}
		probability := 1.0
		for _, q := range questions {
			if !q.surely {
				probability *= a.guess.share(line, q.cover, q.node)
			}
		}
		out.Estimate += probability
	}
	return out, nil
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
	q := question{node: -1, tells: make([]evidence, len(a.node))}
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
