package verify

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/dataset"
	"mingle/internal/soak"
	"mingle/privacy"
)

// randomLines are lines of up to nine nodes with much in common, so that large sets are rare of
// which no part is.
func randomLines(r *rand.Rand) *dataset.Dataset {
	nodes := 5 + r.IntN(5)
	var all [][]int32
	for range 1 + r.IntN(4) {
		likely := r.Float64()
		for range 1 + r.IntN(8) {
			var line []int32
			for u := range int32(nodes) {
				if r.Float64() < likely {
					line = append(line, u)
				}
			}
			all = append(all, line)
		}
	}
	return linesOf(nodes, all...)
}

// What lists of combinations find, of up to six nodes, in data of which a part or all is looked at
// in one go: each is rare and of at most m nodes, none is found twice, and every rare set has one
// in it, or is in one that was found as a whole line.
func TestSoakSearchAgainstEnumeration(t *testing.T) {
	r := soak.Rand(5, 61)
	large := 0
	for range soak.Rounds(t, soak.Share(short(3000, 800), 60_000)) {
		d := randomLines(r)
		p := privacy.KM{K: 2 + r.IntN(3), M: 2 + r.IntN(5)}
		cells, size := maxTriangle*r.IntN(2), chunkSize
		if r.IntN(3) == 0 {
			size = 1 + r.IntN(20)
		}
		found := searchAll(d, nil, p, cells, size)
		_, all := rareSets(d, p)
		if found.count > int64(all) || (found.count == 0) != (all == 0) {
			t.Fatalf("%v: found %d of %d\n%v", p, found.count, all, spellAll(d))
		}
		for i, w := range found.kept {
			if i > 0 && slices.Equal(w.nodes, found.kept[i-1].nodes) {
				t.Fatalf("%v: %v is found twice\n%v", p, w.nodes, spellAll(d))
			}
			if n := supportOf(d, w.nodes); n != w.support || n >= p.K || len(w.nodes) > p.M {
				t.Fatalf("%v: %v is said to have support %d: it is %d\n%v", p, w.nodes, w.support,
					n, spellAll(d))
			}
			if len(w.nodes) > 3 {
				large++
			}
		}
		if found.count > int64(len(found.kept)) {
			continue
		}
		for _, line := range d.All() {
			for _, c := range subsets(line, p.M) {
				if supportOf(d, c) < p.K && !slices.ContainsFunc(found.kept,
					func(w witness) bool { return contains(c, w.nodes) || contains(w.nodes, c) }) {
					t.Fatalf("%v: nothing in %v is found\n%v", p, c, spellAll(d))
				}
			}
		}
	}
	if large < 100 {
		t.Errorf("%d sets of four and more were found", large)
	}
}

// Progress of lists goes from item to item, through all chunks, and never back.
func TestSearchProgress(t *testing.T) {
	d := linesOf(4, []int32{0, 1}, []int32{0, 2}, []int32{0, 3}, []int32{1, 2}, []int32{1, 3},
		[]int32{2, 3})
	p := privacy.KM{K: 2, M: 2}
	s := &search{promise: p, ctx: t.Context(), largest: p.M, cells: maxTriangle}
	var said []int64
	workers := &pool{workers: 1, progress: func(stage string, done, total int64) {
		if stage != "itemsets" || total != 4 {
			t.Errorf("%s of %d", stage, total)
		}
		said = append(said, done)
	}}
	for chunks := newChunks(d, nil, 1); chunks.next(t.Context()); { // a chunk for each item
		checkChunk(t.Context(), workers, chunks, []*search{s})
	}
	if want := []int64{1, 2, 3}; !slices.Equal(said, want) { // nothing is behind the fourth
		t.Errorf("%v, want %v", said, want)
	}
	workers.progress = nil // nobody listens
	for chunks := newChunks(d, nil, 1); chunks.next(t.Context()); {
		checkChunk(t.Context(), workers, chunks, []*search{s})
	}
	if s.count != 2*6 {
		t.Errorf("%d pairs are rare, in two times", s.count)
	}
}
