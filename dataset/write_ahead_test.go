package dataset

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// Several goroutines write what one does, and a listener hears of the same transactions.
func TestLinesBySeveralAreThoseOfOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 5))
	for _, n := range []int{tellEvery + 1, 2 * tellEvery, 7*tellEvery + 5} {
		b := NewBuilder(MustDictionary(func() (labels []string) {
			for i := range 40 {
				labels = append(labels, strconv.Itoa(i*7%40))
			}
			return labels
		}()))
		for range n {
			var tx []int32
			for range rng.IntN(5) {
				tx = append(tx, rng.Int32N(40))
			}
			b.Add(tx)
		}
		d := b.Build()
		for format, header := range map[Format]Header{Fimi: 0, Basket: HeaderPresent} {
			written := func(workers int) (text []byte, told []int64) {
				var out bytes.Buffer
				err := Write(&out, d, Options{
					Format: format, Workers: workers, Header: header,
					Progress: func(done, _ int64) { told = append(told, done) },
				})
				if err != nil {
					t.Fatal(err)
				}
				return out.Bytes(), slices.Compact(told)
			}
			want, wantTold := written(1)
			for _, workers := range []int{2, 3, 5} {
				got, told := written(workers)
				if !bytes.Equal(got, want) || !slices.Equal(told, wantTold) {
					t.Fatalf("%v, %d transactions, %d goroutines: another text, or told %v, not %v",
						format, n, workers, told, wantTold)
				}
			}
		}
	}
}

// What cannot be written ends the writing, with the error.
func TestLinesBySeveralEndWithAnError(t *testing.T) {
	b := NewBuilder(MustDictionary([]string{"1"}))
	for range 9 * tellEvery {
		b.Add([]int32{0})
	}
	w := &full{room: 3 * tellEvery}
	err := Write(w, b.Build(), Options{Format: Fimi, Workers: 2})
	if !errors.Is(err, errFull) || w.after > 0 {
		t.Fatalf("%v, and %d more writes", err, w.after)
	}
}

var errFull = errors.New("full")

// full takes so many bytes.
type full struct{ room, after int }

func (f *full) Write(text []byte) (int, error) {
	if f.room < 0 {
		f.after++
	}
	if f.room -= len(text); f.room < 0 {
		return 0, errFull
	}
	return len(text), nil
}
