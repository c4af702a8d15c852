package dataset

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Items that are more than once in a transaction are counted, and the line of the first is told, in
// every format, plain and packed.
func TestRepeats(t *testing.T) {
	for _, c := range []struct {
		format Format
		text   string
		want   Repeats
	}{
		{Fimi, "a b\n\nc a c c\nb b\n", Repeats{3, 3}},
		{Fimi, "a b\n\nc a\n", Repeats{}},
		{Basket, "b,a,c,a\n\"q,q\"\nc\n", Repeats{1, 1}},
		{Long, "transaction,item\n1,b\n2,c\n2,a\n1,c\n2,a\n", Repeats{1, 3}},
		{Table, "id,items\n1,a;b\n2,c;c\n", Repeats{1, 3}},
		{JSONL, `{"items":[]}` + "\n" + `{"items":["b","a","b"]}` + "\n", Repeats{1, 2}},
		{SPMF, "@ITEM=1=z\n@ITEM=2=y\n1 2\n2 1 1\n", Repeats{1, 4}},
	} {
		for _, packed := range []bool{false, true} {
			opts := Options{Format: c.format, Packed: packed, Workers: 2, block: 8}
			d := mustRead(t, c.text, opts)
			plain, apart, err := Split(d, []string{"s"})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range []*Dataset{d, d.Pack(), d.Flat(), plain, apart} {
				if d.Repeats != c.want {
					t.Errorf("%s, packed %t: %+v, want %+v", c.format, packed, d.Repeats, c.want)
				}
			}
		}
	}
}

// In much data the first repeat is the one that a walk over the text finds.
func TestFirstRepeatOfMany(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	var text strings.Builder
	first, line := 150_000+rng.IntN(1_000), ""
	for i := range 200_000 {
		line = fmt.Sprintf("%d %d y%d", 100+rng.IntN(50), rng.IntN(50), rng.IntN(50))
		if i >= first {
			line += fmt.Sprintf(" x%d x%d z z", 60+i%7, 60+i%7)
		}
		text.WriteString(line + "\n")
	}
	want := Repeats{2 * (200_000 - first), first + 1}
	for workers := 1; workers <= 3; workers++ {
		for _, packed := range []bool{false, true} {
			opts := Options{Format: Fimi, Workers: workers, Packed: packed}
			if d := mustRead(t, text.String(), opts); d.Repeats != want {
				t.Errorf("%d workers, packed %t: %+v, want %+v", workers, packed, d.Repeats, want)
			}
		}
	}
}

// What Recode makes of an original with repeats is a release without.
func TestRecodeHasNoRepeats(t *testing.T) {
	d := mustRead(t, "a a\nb\n", Options{Format: Fimi})
	for _, to := range [][]int32{{0, 1}, {1, 1}} {
		if got := d.Recode(d.Dict(), to).Repeats; got != (Repeats{}) {
			t.Errorf("%v: %+v", to, got)
		}
	}
}
