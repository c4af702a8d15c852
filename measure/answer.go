package measure

import (
	"fmt"

	"mingle/dataset"
	"mingle/hierarchy"
)

// Answer is what a release says of a count: in how many transactions of its original all of some
// items are, or something below them where they are groups.
//
// AtLeast is certain, and AtMost where nothing was suppressed. The estimate gives an item under a
// node of n leaves the probability 1/n, each item independently of the others. Its error is what
// [QueryError] measures.
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
}

// UnknownError is of a label that is asked for and is nowhere.
type UnknownError struct{ Label string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("%q is neither in the hierarchy nor in the published file", e.Label)
}

// NewAnswers is of a published file over its own labels. Those that the tree does not have, such as
// sensitive items, stand for themselves.
func NewAnswers(t *hierarchy.Tree, published *dataset.Dataset) *Answers {
	a := &Answers{tree: t, published: published, node: make([]int32, published.Dict().Len())}
	for x, label := range published.Dict().Labels() {
		a.node[x] = -1
		if u, is := t.Node(label); is {
			a.node[x] = u
		}
	}
	return a
}

// Ask counts the transactions with all of these items and groups. Time: one walk over the file. A
// label that neither the tree nor the file has is an *UnknownError.
func (a *Answers) Ask(labels ...string) (Answer, error) {
	var out Answer
	var asked [][]float64
	for _, label := range labels {
		shares, err := a.shares(label)
		if err != nil {
			return out, err
		}
		asked = append(asked, shares)
	}
	lines := a.published.Cursor()
	for i := range a.published.Len() {
		probability, surely := 1.0, true
		tx := lines.Tx(i)
		for _, shares := range asked {
			most := 0.0
			for _, x := range tx {
				most = max(most, shares[x])
			}
			probability *= most
			surely = surely && most == 1
		}
		if probability > 0 {
			out.AtMost++
			out.Estimate += probability
		}
		if surely {
			out.AtLeast++
		}
	}
	return out, nil
}

// shares is, for every label of the file, how likely what is asked for stands behind it: 1 for the
// label itself and what is below it, the share of its leaves for what is above it.
func (a *Answers) shares(label string) ([]float64, error) {
	out := make([]float64, len(a.node))
	asked, inTree := a.tree.Node(label)
	if id, is := a.published.Dict().ID(label); is {
		out[id] = 1
	} else if !inTree {
		return nil, &UnknownError{label}
	}
	if !inTree {
		return out, nil
	}
	for x, u := range a.node {
		switch {
		case u < 0:
		case a.tree.Covers(asked, u):
			out[x] = 1
		case a.tree.Covers(u, asked):
			out[x] = float64(a.tree.LeafCount(asked)) / float64(a.tree.LeafCount(u))
		}
	}
	return out, nil
}
