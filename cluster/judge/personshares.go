package judge

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// Shares where the unit is a person: of the persons who have a set in a single line, and of the
// lines that have it, at most 1/l have a sensitive item in such a line, and no person has more than
// 1/n of the lines. The empty set is one of them: all lines have it. Persons and lines are counted
// by a job each.
//
// What is sent of a set with a sensitive item, or of one person, is multiplied by l, or by n: then
// it must not be more than what is sent of the set. All is multiplied by unit, and has one more for
// each flush that has it, of which a part of a set has no more than the set.

// emptySet is the name of the set of no label.
const emptySet = "e"

// shares tells whether any are bounded.
func (p *plan) shares() bool { return p.L > 0 || p.Share > 0 }

// with counts a set that is spelt, and the set with each sensitive item of the line under way.
func (c *personCounter) with(spelt []byte, somebody bool) {
	c.one(spelt, somebody)
	if c.L > 0 {
		for _, x := range c.beside {
			c.one(c.beyond(spelt, x), somebody)
		}
	}
}

// beyond spells a set with a sensitive item.
func (c *personCounter) beyond(spelt []byte, x int32) []byte {
	return binary.BigEndian.AppendUint32(spelt, uint32(c.tree.Nodes())+uint32(x))
}

// of is the count of a set that is spelt.
func (c *personCounter) of(spelt string) *personCount {
	n := c.sets[spelt]
	if n == nil {
		n = &personCount{}
		c.sets[spelt] = n
	}
	return n
}

// one counts a set that is spelt, in a line of somebody or of nobody known.
func (c *personCounter) one(spelt []byte, somebody bool) {
	n := c.of(string(spelt))
	if c.What == ofLines {
		n.n++
	}
	if !somebody {
		return
	}
	if n.last != c.turn {
		n.last, n.own = c.turn, 0
		if c.What == ofPersons {
			n.n++
		}
	}
	n.own++
	n.most = max(n.most, n.own)
}

// spell is the name of a set that is spelt, and what its number is multiplied by.
func (c *personCounter) spell(set string) (name []byte, times int64) {
	times = 1
	for i := 0; i < len(set); i += 4 {
		u := binary.BigEndian.Uint32([]byte(set[i : i+4]))
		switch x := int(u) - c.tree.Nodes(); {
		case x >= 0:
			if len(name) == 0 {
				name = append(name, emptySet...)
			}
			name, times = strconv.AppendInt(append(name, '/'), int64(x), 10), int64(c.L)
		case len(name) == 0:
			name = strconv.AppendUint(name, uint64(u), 10)
		default:
			name = strconv.AppendUint(append(name, ' '), uint64(u), 10)
		}
	}
	if len(name) == 0 {
		name = append(name, emptySet...)
	}
	return name, times
}

// tell writes a number.
func (c *personCounter) tell(name []byte, n int64) {
	n = n*unit + 1
	c.sum += n
	fmt.Fprintf(c.out, "%s\t%d\n", name, n)
}

// tooMuch says whose share of a set is too large.
func (r Release) tooMuch(ofLines bool) string {
	var what []string
	if r.L > 0 && ofLines {
		what = append(what, fmt.Sprintf("a sensitive item is in more than 1/%d of their lines", r.L))
	} else if r.L > 0 {
		what = append(what, fmt.Sprintf("more than 1/%d of their persons have a sensitive item", r.L))
	}
	if r.PersonShare > 0 && ofLines {
		what = append(what, fmt.Sprintf("one person has more than 1/%d of their lines",
			r.PersonShare))
	}
	return strings.Join(what, ", or ")
}
