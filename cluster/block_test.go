package cluster

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/internal/soak"
)

// someSets is random ascending sets with counts.
func someSets(rng *rand.Rand, size, n int) (sets [][]int32, counts []int64) {
	for range n {
		set := make([]int32, 0, size)
		for len(set) < size {
			if r := rng.Int32N(int32(3 * size)); !slices.Contains(set, r) {
				set = append(set, r)
			}
		}
		slices.Sort(set)
		sets = append(sets, set)
	}
	slices.SortFunc(sets, slices.Compare)
	sets = slices.CompactFunc(sets, slices.Equal)
	for range sets {
		counts = append(counts, 1+rng.Int64N(1000))
	}
	return sets, counts
}

// What is gathered from many blocks is the sum of what they hold, in order; with more of them than
// are merged at once, too.
func TestGatheringAddsUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 4))
	for range 40 {
		size := 1 + rng.IntN(4)
		sum := map[string]int64{}
		g := &gather{size: size}
		file, err := newStore()
		if err != nil {
			t.Fatal(err)
		}
		for range rng.IntN(3 * fan) {
			sets, counts := someSets(rng, size, 1+rng.IntN(20))
			var own run
			w := newWriter(size, func(block []byte) error {
				b := blob{raw: block}
				if rng.IntN(2) == 0 {
					var err error
					if b, err = file.put(block); err != nil {
						return err
					}
				}
				own = append(own, b)
				return nil
			})
			for i, s := range sets {
				sum[string(spelt(s))] += counts[i]
				if err := w.add(s, counts[i]); err != nil {
					t.Fatal(err)
				}
				if rng.IntN(8) == 0 { // a run of several blocks
					if err := w.flush(); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := w.flush(); err != nil {
				t.Fatal(err)
			}
			if err := g.add(own); err != nil {
				t.Fatal(err)
			}
		}
		var last []int32
		err = g.each(func(set []int32, n int64) error {
			if last != nil && slices.Compare(last, set) >= 0 {
				t.Fatalf("%v comes after %v", set, last)
			}
			last = slices.Clone(set)
			if sum[string(spelt(set))] != n {
				t.Fatalf("%v is counted %d times, not %d", set, n, sum[string(spelt(set))])
			}
			delete(sum, string(spelt(set)))
			return nil
		})
		if err := file.close(); err != nil {
			t.Error(err)
		}
		if err != nil || len(sum) > 0 {
			t.Fatalf("%v; %d sets are missing", err, len(sum))
		}
	}
}

func spelt(set []int32) string {
	var s strings.Builder
	for _, r := range set {
		s.WriteRune(rune(r))
	}
	return s.String()
}

// Rare sets are found, and nothing else is, in one block and in many.
func TestRareSetsAreFound(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 5))
	for range 100 {
		size := 1 + rng.IntN(3)
		sets, counts := someSets(rng, size, 1+rng.IntN(60))
		s := &rareSets{size: size, lists: map[int]*list{}, most: rng.IntN(30)}
		w := newWriter(size, func(block []byte) error {
			s.blocks = append(s.blocks, blob{raw: block})
			return nil
		})
		for i, set := range sets {
			if len(s.first) == len(s.blocks) {
				s.first = append(s.first, slices.Clone(set))
			}
			if err := w.add(set, counts[i]); err != nil {
				t.Fatal(err)
			}
			if rng.IntN(5) == 0 {
				if err := w.flush(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.flush(); err != nil {
			t.Fatal(err)
		}
		others, _ := someSets(rng, size, 60)
		for _, set := range append(others, sets...) {
			want := -1
			if i, is := slices.BinarySearchFunc(sets, set, slices.Compare); is {
				want = int(counts[i])
			}
			if n, err := s.Support(set); err != nil || n != want {
				t.Fatalf("%v: %v (%v), not %v", set, n, err, want)
			}
		}
	}
}

// A block of anything is read to its end, or refused; what is read is ascending and counted.
// Lines of nobody alone count as none.
func FuzzBlock(f *testing.F) {
	rng := rand.New(rand.NewPCG(20, 6))
	for size := range 3 {
		sets, counts := someSets(rng, size+1, 5)
		w := newWriter(size+1, func(block []byte) error {
			raw, err := decoder().DecodeAll(block, nil)
			f.Add(raw, size+1)
			return err
		})
		for i, s := range sets {
			if err := w.add(s, counts[i]); err != nil {
				f.Fatal(err)
			}
		}
		if err := w.flush(); err != nil {
			f.Fatal(err)
		}
	}
	soak.Fuzz(f, func(t *testing.T, raw []byte, size int) {
		if size < 1 || size > 8 {
			return
		}
		s, err := open(coder().EncodeAll(raw, nil), size)
		if err != nil {
			return
		}
		var last []int32
		for {
			more, err := s.next()
			if err != nil || !more {
				return
			}
			if last != nil && slices.Compare(last, s.set) >= 0 {
				t.Fatalf("%v comes after %v", s.set, last)
			}
			if !slices.IsSortedFunc(s.set, cmp.Compare) || s.set[0] < 0 || s.n < 0 {
				t.Fatalf("%v, counted %d times", s.set, s.n)
			}
			last = append(last[:0], s.set...)
		}
	})
}

// What a job returns is taken apart or refused, and never believed in part.
func FuzzDelivery(f *testing.F) {
	f.Add("@\tmap:{\"worker\":\"v\",\"lines\":1}\n0\tmerge:{\"worker\":\"v\"}")
	f.Add("0\trare:AAAA\n0\tmerge:{}")
	soak.Fuzz(f, func(t *testing.T, text string) {
		d := newDelivery()
		defer d.close()
		var err error
		for _, line := range strings.Split(text, "\n") {
			if err == nil {
				err = d.line(line, "v")
			}
		}
		if err == nil {
			err = d.check()
		}
		if err == nil && d.total.workers == 0 {
			t.Fatal("nobody has worked")
		}
	})
}
