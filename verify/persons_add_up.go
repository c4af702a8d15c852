package verify

import (
	"encoding/binary"
	"slices"

	"mingle/dataset"
)

// Where shares of persons need not be checked against knowledge of original items set by set. Each
// of the two conditions is enough; both suppose that the published view keeps the promise, the
// empty combination included, and that no line has a label above another, so that a line matches a
// set J of items in one way.
//
// One way a person: the labels of all lines of a person, taken together, have none above another.
// Proof. Then at most one of them is at or above an item, so that all lines of the person that
// match J publish the same combination, T of the person, all of it. Whoever publishes some T that
// covers J has it as this T. So the persons with a line that matches J are a disjoint union, over
// such T, of the persons with a line that publishes T; the same holds for those of them with a
// sensitive item in such a line, and for lines. A share of at most 1/l in each is one of at most
// 1/l in all.
//
// Whole classes: in every class of equal lines, those with a sensitive item are at most 1/l of the
// lines; and l times the persons with it in a line of the class are at most the persons who have no
// line elsewhere, empty ones aside. Proof. What matches J, which is not empty, is a union of
// classes. Nobody has all lines in two classes, so the union has at least as many persons as the
// classes have such in sum; and the persons with a sensitive item there are at most the sum of
// those of the classes. Lines are in one class each.

// sharesAddUp tells whether shares of persons in the published view are those of what matches any
// knowledge, too.
func (j *judgement) sharesAddUp() bool {
	if j.person == nil || j.nested {
		return false
	}
	u := newPersonLines(j.in.Published, j.person)
	return u.oneWay(j.in.Tree.Parent, j.in.Tree.Nodes()) || u.wholeClasses(j.sens, j.in.Promise.L)
}

// oneWay tells whether no label of a person is above another of the same person.
func (u *personLines) oneWay(parent func(node int32) int32, nodes int) bool {
	has := make([]int32, nodes) // the last person with this label, plus one
	for from := 0; from < len(u.order); {
		p, to := u.person[from], from+1
		for to < len(u.order) && u.person[to] == p {
			to++
		}
		if p != nobody && !u.apart(u.order[from:to], parent, has, p+1) {
			return false
		}
		from = to
	}
	return true
}

// apart tells whether no label of some lines is above another of them. It marks them.
func (u *personLines) apart(lines []int32, parent func(int32) int32, has []int32, mark int32) bool {
	for _, i := range lines {
		for _, v := range u.lines.Tx(int(i)) {
			has[v] = mark
		}
	}
	for _, i := range lines {
		for _, v := range u.lines.Tx(int(i)) {
			for a := parent(v); a >= 0; a = parent(a) {
				if has[a] == mark {
					return false
				}
			}
		}
	}
	return true
}

// wholeClasses tells whether every class of equal lines hides its sensitive items by itself.
func (u *personLines) wholeClasses(sens *dataset.Dataset, l int) bool {
	classes, all := map[string][]int{}, map[int32]int{} // places; lines of each person
	var key []byte
	for at, i := range u.order {
		key = key[:0]
		for _, v := range u.lines.Tx(int(i)) {
			key = binary.LittleEndian.AppendUint32(key, uint32(v))
		}
		if len(key) > 0 {
			classes[string(key)] = append(classes[string(key)], at)
			all[u.person[at]]++
		}
	}
	s := newShares(sens)
	for _, places := range classes {
		if !u.hides(places, all, s, l) {
			return false
		}
	}
	return true
}

// hides judges the lines at some places, which ascend.
func (u *personLines) hides(places []int, all map[int32]int, s *shares, l int) bool {
	s.begin()
	whole, own := 0, map[int32]int{}
	for _, at := range places {
		p := u.person[at]
		s.add(u.order[at], p)
		if own[p]++; p != nobody && own[p] == all[p] {
			whole++
		}
	}
	return !slices.ContainsFunc(s.met, func(x int32) bool {
		return l*s.lines[x] > len(places) || l*s.persons[x] > whole
	})
}
