package judge

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"mingle/cluster/engine"
	"mingle/hierarchy"
)

// Shares of persons where an item is not the same label in all lines. Whoever knows a set J of
// items is left with lines that publish different sets of labels, and a person may have several of
// them. So the share of the persons with a sensitive item is not too large in each of these sets,
// and may be in what is left. Either of two conditions is enough, where no line has a label above
// another:
//
// One level a person: of the labels of all lines of a person none is above another. Then one of
// them at most is above an item, and all lines of the person that J leaves publish the same of
// them. So the persons that J leaves are a disjoint union, over the sets of at most m labels, of
// those that publish all of a set, which were looked at.
//
// Whole classes: among the lines with the same labels, l times the persons with a sensitive item
// are not more than the persons who have no other line, but for empty ones. What J leaves is a
// union of such classes, and nobody has all lines in two of them.
//
// Both are those of docs/persons.md. Lines need neither: the labels of a line above the items of J
// are one set, so that what J leaves is a disjoint union of lines.

// addUp looks at what unions of lines tell of persons.
func (r Release) addUp(ctx context.Context, f *Finding) error {
	r.tell("verifying shares of persons in unions of lines")
	p := r.plan(ofClasses)
	p.Placed = true
	own := &Finding{Lines: f.Lines}
	err := r.personsOf(ctx, own, engine.Job{
		Name: "verify classes", Input: r.Placed, Plan: encode(p), By: workWhose, Map: "verify",
		Below: 1, Share: 1,
	})
	if err == nil && own.crossed > 0 && own.Broken > 0 {
		f.breach(Breach{Text: fmt.Sprintf("%d persons have labels above others of theirs in other "+
			"lines, and %d times lines with the same labels do not hide a sensitive item by themselves: "+
			"shares in the lines of persons are then judged on one machine alone", own.crossed,
			own.Broken)})
	}
	return err
}

// classes is the lines of a person by their labels.
type classes struct {
	tree *hierarchy.Tree
	of   map[string][]int32 // by labels, spelt: the sensitive items of these lines
	has  []int64            // by node: the last person who has it
	all  []int32            // the labels of the person
	turn int64
}

func newClasses(t *hierarchy.Tree) *classes {
	return &classes{tree: t, of: map[string][]int32{}, has: make([]int64, t.Nodes()), turn: 1}
}

// add adds a line. One without a label is left by nothing that is known.
func (c *classes) add(labels, sensitive []int32) {
	if len(labels) == 0 {
		return
	}
	var name []byte
	for _, u := range labels {
		name = binary.BigEndian.AppendUint32(name, uint32(u))
		if c.has[u] != c.turn {
			c.has[u], c.all = c.turn, append(c.all, u)
		}
	}
	c.of[string(name)] = append(c.of[string(name)], sensitive...)
}

// crossed tells whether a label is above another.
func (c *classes) crossed() bool {
	return slices.ContainsFunc(c.all, func(u int32) bool {
		for u = c.tree.Parent(u); u >= 0; u = c.tree.Parent(u) {
			if c.has[u] == c.turn {
				return true
			}
		}
		return false
	})
}

// endPerson counts the classes of the person under way, of whom there may be none: the persons who
// have no other, and with each sensitive item those who have it there.
func (c *personCounter) endPerson() {
	own := c.own
	if own == nil {
		return
	}
	if c.name != "" && !strings.HasPrefix(c.name, nobody) {
		if own.crossed() {
			c.crossed++
		}
		for name, sensitive := range own.of {
			whole := c.of(name)
			if len(own.of) == 1 {
				whole.n++
			}
			slices.Sort(sensitive)
			for _, x := range slices.Compact(sensitive) {
				c.of(string(c.beyond([]byte(name), x))).n++
			}
		}
	}
	clear(own.of)
	own.all = own.all[:0]
	own.turn++
}
