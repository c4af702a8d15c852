// Package lists keeps many short lists in one long one: what a list for each would take in heads,
// and leave as it grows, is not held.
package lists

import "slices"

// Lists are as many lists as there are numbers, one after the other. They are filled in two passes:
// Begin, Count for every element, and Room; then Put with every element.
type Lists[T any] struct {
	first []uint32 // list x is all[first[x]:first[x+1]]
	next  []uint32
	all   []T
}

// Of is the list of a number, in the order in which its elements were put; not to be changed.
func (l *Lists[T]) Of(x int32) []T { return l.all[l.first[x]:l.first[x+1]] }

// Begin begins anew with lists of the numbers below n.
func (l *Lists[T]) Begin(n int) { l.first = append(l.first[:0], make([]uint32, n+1)...) }

// Count counts an element of list x.
func (l *Lists[T]) Count(x int32) { l.first[x+1]++ }

// Room makes room for what has been counted, 2^32 elements at most.
func (l *Lists[T]) Room() {
	for x, n := range l.first[:len(l.first)-1] {
		l.first[x+1] += n
	}
	all := int(l.first[len(l.first)-1])
	l.all = slices.Grow(l.all[:0], all)[:all]
	l.next = append(l.next[:0], l.first...)
}

// Put puts an element that has been counted into list x.
func (l *Lists[T]) Put(x int32, element T) {
	at := &l.next[x]
	l.all[*at] = element
	*at++
}
