package dataset

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// randomSets is a dataset over items ids, some of them far apart.
func randomSets(rng *rand.Rand, txs, items int) *Dataset {
	b := NewBuilder(Unnamed(items))
	for range txs {
		tx := make([]int32, rng.IntN(12))
		for i := range tx {
			tx[i] = int32(rng.IntN(items))
		}
		b.Add(tx)
	}
	return b.Build()
}

func TestPackedIsTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, items := range []int{1, 100, 40_000, 1 << 25} {
		d := randomSets(rng, 1000, items)
		p := d.Pack()
		if !p.IsPacked() || d.IsPacked() {
			t.Fatal("Pack packs another one")
		}
		if p.Len() != d.Len() || p.Occurrences() != d.Occurrences() || p.MaxLen() != d.MaxLen() ||
			p.Empty() != d.Empty() {
			t.Fatalf("%v packed is %v", d, p)
		}
		if !slices.Equal(p.Items(), d.Items()) {
			t.Fatal("the occurrences differ")
		}
		for pos, it := range d.Items() {
			if p.Item(pos) != it {
				t.Fatalf("occurrence %d is %d, packed %d", pos, it, p.Item(pos))
			}
		}
		for i := range d.Len() + 1 {
			if p.Start(i) != d.Start(i) {
				t.Fatalf("transaction %d starts at %d, packed at %d", i, d.Start(i), p.Start(i))
			}
		}
		for i, tx := range p.All() {
			if !slices.Equal(tx, d.Tx(i)) {
				t.Fatalf("transaction %d differs", i)
			}
		}
		inOrder, anyOrder, beside := p.Cursor(), p.Cursor(), make([]uint8, d.Occurrences())
		for i := range d.Len() {
			j := rng.IntN(d.Len())
			anyOrder.Ahead([]int32{int32(j), int32(i)}, beside)
			at, start := anyOrder.TxAt(j)
			if !slices.Equal(at, d.Tx(j)) || start != d.Start(j) {
				t.Fatalf("transaction %d is not at its place", j)
			}
			if !slices.Equal(inOrder.Tx(i), d.Tx(i)) || !slices.Equal(anyOrder.Tx(j), d.Tx(j)) ||
				!slices.Equal(p.Tx(j), d.Tx(j)) {
				t.Fatalf("transactions %d or %d differ", i, j)
			}
		}
		if flat := p.Flat(); !slices.Equal(flat.Items(), d.Items()) ||
			flat.Start(500) != d.Start(500) {
			t.Fatal("Flat is not what was packed")
		}
		if !slices.Equal(p.Supports(), d.Supports()) {
			t.Fatal("supports differ")
		}
	}
}

// A long transaction has a chunk of its own; transactions end where chunks end.
func TestPackedChunks(t *testing.T) {
	const items = 1 << 20
	b := newPackedBuilder(Unnamed(items))
	all := make([]int32, items)
	for i := range all {
		all[i] = int32(i)
	}
	for n := range 200 {
		b.Add([]int32{int32(n)})
		if n%50 == 0 {
			b.Add(slices.Clone(all))
		}
	}
	d := b.Build()
	c := d.Cursor()
	long := 0
	for i := range d.Len() {
		c.Ahead([]int32{int32(i)}, nil)
		if len(c.Tx(i)) == items {
			long++
		}
	}
	if long != 4 || len(c.Tx(1)) != items {
		t.Fatalf("%d long transactions, want 4", long)
	}
}

func TestPackedRecodeAndSelect(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	d := randomSets(rng, 500, 300)
	to := make([]int32, 300)
	for i := range to {
		to[i] = int32(rng.IntN(50)) - 5
		if to[i] < 0 {
			to[i] = -1
		}
	}
	dict := Unnamed(50)
	flat, packed := d.Recode(dict, to), d.Pack().Recode(dict, to)
	some := []int32{400, 3, 3, 77, 0}
	if !packed.IsPacked() || !slices.Equal(flat.Items(), packed.Flat().Items()) {
		t.Fatal("recoded differently")
	}
	if !slices.Equal(d.Select(some).Items(), d.Pack().Select(some).Flat().Items()) {
		t.Fatal("selected differently")
	}
}

// Reading into packed form gives the same dataset, for all formats and any number of workers.
func TestReadPacked(t *testing.T) {
	for _, f := range []struct {
		format Format
		text   string
	}{
		{Fimi, "b a c a\n\nc\nx10 x9 a\n"},
		{Basket, "b,a,c,a\n\"q,q\"\nc\n"},
		{Long, "transaction,item\n1,b\n1,a\n2,c\n1,a\n3,\n"},
		{Table, "id,items\n1,b;a;b\n2,c\n"},
		{JSONL, `{"id":1,"items":["b","a","b"]}` + "\n" + `{"items":[]}` + "\n"},
		{SPMF, "@ITEM=1=z\n@ITEM=2=y\n2 1\n1\n"},
	} {
		for workers := 1; workers <= 3; workers++ {
			opts := Options{Format: f.format, Workers: workers, block: 8}
			flat, err := Read(t.Context(), strings.NewReader(f.text), opts)
			if err != nil {
				t.Fatal(err)
			}
			opts.Packed = true
			packed, err := Read(t.Context(), strings.NewReader(f.text), opts)
			if err != nil {
				t.Fatal(err)
			}
			same := slices.Equal(flat.Items(), packed.Items()) &&
				slices.Equal(flat.Dict().Labels(), packed.Dict().Labels()) &&
				slices.Equal(flat.Notes, packed.Notes) &&
				flat.Len() == packed.Len()
			for i := range flat.Len() {
				same = same && flat.Line(i) == packed.Line(i)
			}
			if !packed.IsPacked() || !same ||
				mustWrite(t, flat, opts) != mustWrite(t, packed, opts) {
				t.Fatalf(
					"%s with %d workers: %v is %v when packed", f.format, workers, flat, packed,
				)
			}
		}
	}
}

// Many blocks of transactions that come in are put together as if they were one; lines that are
// longer than a block, empty ones and repeats among them.
func TestReadPackedInManyBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	var text strings.Builder
	for i := range 200_000 {
		n := rng.IntN(12)
		if i == 150_000 {
			n = looseSize
		}
		for range n {
			fmt.Fprintf(&text, "%d ", int(300*rng.ExpFloat64()*rng.ExpFloat64()))
		}
		text.WriteByte('\n')
	}
	opts := Options{Format: Fimi, Workers: 3}
	flat, err := Read(t.Context(), strings.NewReader(text.String()), opts)
	if err != nil {
		t.Fatal(err)
	}
	for opts.Workers = 1; opts.Workers <= 3; opts.Workers++ {
		opts.Packed = true
		packed, err := Read(t.Context(), strings.NewReader(text.String()), opts)
		if err != nil {
			t.Fatal(err)
		}
		if len(packed.packed.chunks) < 5 || !slices.Equal(flat.Notes, packed.Notes) {
			t.Fatalf("%d chunks, notes %v", len(packed.packed.chunks), packed.Notes)
		}
		if flat.Len() != packed.Len() || flat.MaxLen() != packed.MaxLen() ||
			flat.Empty() != packed.Empty() || flat.Occurrences() != packed.Occurrences() {
			t.Fatalf("%v is %v when packed", flat, packed)
		}
		forward, cursor := packed.Cursor(), packed.Cursor()
		for i := range flat.Len() {
			j := rng.IntN(flat.Len())
			if !slices.Equal(flat.Tx(i), forward.Tx(i)) || !slices.Equal(flat.Tx(j), cursor.Tx(j)) {
				t.Fatalf("transaction %d or %d is another one when packed", i, j)
			}
		}
	}
}

// Blocks of lines that are longer than others are not larger than sixteen of them need.
func TestLooseBlocksOfLongLines(t *testing.T) {
	const items = 3_000
	p := &part{}
	for i := range int32(64) {
		for it := range int32(items) {
			p.items = append(p.items, 1_000*it+i)
		}
		p.ends = append(p.ends, uint32(len(p.items)))
	}
	var l loose
	for range 10 {
		l.add(p, nil)
	}
	if l.n != 640 || l.occurrences != 640*items {
		t.Errorf("%d transactions of %d items", l.n, l.occurrences)
	}
	for _, b := range l.blocks {
		if most := looseSize + markEvery*5*(items+1); len(b.text) > most {
			t.Errorf("a block of %d bytes, more than %d", len(b.text), most)
		}
	}
}
