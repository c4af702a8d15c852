package nonreciprocal

import (
	"context"

	"mingle/anonymize/order"
	"mingle/dataset"
)

// listWidth is how many near neighbours a record is given to choose among for each match it needs.
const listWidth = 3

// openWidth is the same in the search among those that still have room.
const openWidth = 2

// swapRounds bounds the swap search that improves a graph.
const swapRounds = 8

// openRounds bounds how often the open records are searched for neighbours among themselves.
const openRounds = 12

// Nearest is a regular graph of small distances: greedy by distance, then a swap search, without a
// table of all pairs.
//
//  1. Records with the same items in at least `degree` copies form rings of distance 0 by
//     themselves. By the triangle inequality no graph of less distance joins them to others.
//  2. The others get lists of near neighbours (neighbours.go); every record is connected to its
//     own slot.
//  3. Pairs are taken by ascending distance, both ways, while records and slots have room (greedy).
//  4. The records left with room are searched for neighbours among themselves, and step 3 is
//     repeated with those.
//  5. What is then missing is completed by augmenting paths.
//  6. Pairs of edges swap their slots while that lessens the sum of distances (swapSearch).
//
// Time is near-linear in the records beyond ten thousand; memory about 12·listWidth·degree bytes a
// record for the lists and 16·degree for the edges. degree must not be more than the number of
// records.
func Nearest(ctx context.Context, d *dataset.Dataset, degree int, in Input) (*Graph, error) {
	merged := dataset.Merge(d)
	copies := make([][]int32, merged.Len())
	for u, kind := range merged.Of {
		copies[kind] = append(copies[kind], int32(u))
	}
	var rest []int32
	slots := make([]int32, d.Len()*degree)
	for _, same := range copies {
		if len(same) >= degree {
			ringInto(slots, same, degree)
		} else {
			rest = append(rest, same...)
		}
	}
	if len(rest) < degree { // too few to match each other: all take part
		rest = rest[:0]
		for u := range int32(d.Len()) {
			rest = append(rest, u)
		}
	}
	sub := d.Select(rest)
	b, err := nearestOf(ctx, sub, degree, in)
	if err != nil {
		return nil, err
	}
	for i, u := range rest {
		for j, v := range b.row(int32(i)) {
			slots[int(u)*degree+j] = rest[v]
		}
	}
	return regular(d.Len(), degree, slots), nil
}

func ringInto(slots, cycle []int32, degree int) {
	for p, u := range cycle {
		for j := range degree {
			slots[int(u)*degree+j] = cycle[(p+j)%len(cycle)]
		}
	}
}

// nearestOf are steps 2 to 6.
func nearestOf(ctx context.Context, d *dataset.Dataset, degree int, in Input) (*builder, error) {
	n := d.Len()
	m := order.NewDistances(d)
	b := newBuilder(n, degree, m.Between)
	all := make([]int32, n)
	for u := range int32(n) {
		b.connect(u, u, 0)
		all[u] = u
	}
	in.report("neighbours")
	lists, err := neighbours(ctx, d, listWidth*degree, thorough, in.Workers)
	if err != nil {
		return nil, err
	}
	in.report("graph")
	b.greedy(lists, all)
	open := b.open()
	for range openRounds {
		if len(open) < 2 {
			break
		}
		part := d.Select(open)
		near, err := neighbours(ctx, part, openWidth*degree, quick, in.Workers)
		if err != nil {
			return nil, err
		}
		b.greedy(near, open)
		still := b.open()
		if len(still) == len(open) {
			break
		}
		open = still
	}
	if err := b.complete(ctx); err != nil {
		return nil, err
	}
	in.report("swap search")
	return b, b.swapSearch(ctx, lists, swapRounds)
}
