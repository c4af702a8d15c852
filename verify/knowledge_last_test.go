package verify

import (
	"math/rand/v2"
	"testing"

	"mingle/dataset"
)

// What is counted and found, knowledge one combination after the other, is what a plain look at all
// items that somebody has counts and finds.
func TestKnowledgeOneByOne(t *testing.T) {
	rare, mixed, none := 0, 0, 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 17))
		in := randomInput(r)
		in.Promise.NegativeKnowledge = false
		if r.IntN(3) == 0 { // with lines that lack what they should have, too
			in.Published = thinned(r, in.Published)
		}
		j := newJudgement(in, knowledgeLimit)
		if in.Promise.Diverse() {
			j.sens = in.PublishedSensitive
		}
		found, err := j.search(t.Context(), j.adversary(in.Promise))
		if err != nil {
			t.Fatal(err)
		}
		twin := knowledgeTwin{KMInput: in}
		twin.look(nil, 0)
		if j.f.Itemsets != twin.counted || found.count != twin.rare+twin.mixed {
			t.Fatalf("seed %d: %d counted and %d found, %d and %d by the definition", seed,
				j.f.Itemsets, found.count, twin.counted, twin.rare+twin.mixed)
		}
		rare, mixed, none = rare+int(twin.rare), mixed+int(twin.mixed), none+twin.none
	}
	if rare < 1000 || mixed < 500 || none < 50 {
		t.Errorf("%d times too few lines, %d a share too large, %d no line", rare, mixed, none)
	}
}

// thinned is data with some items left out.
func thinned(r *rand.Rand, d *dataset.Dataset) *dataset.Dataset {
	b := dataset.NewBuilder(d.Dict())
	for i := range d.Len() {
		var tx []int32
		for _, u := range d.Tx(i) {
			if r.IntN(3) > 0 {
				tx = append(tx, u)
			}
		}
		b.Add(tx)
	}
	return b.Build()
}

// knowledgeTwin looks at knowledge of items by the definition.
type knowledgeTwin struct {
	KMInput
	counted, rare, mixed int64
	none                 int
}

// look adds each item from x on to what is known.
func (k *knowledgeTwin) look(known []int32, x int32) {
	for ; int(x) < k.Tree.Leaves(); x++ {
		more := append(known[:len(known):len(known)], x)
		somebody := false
		for i := range k.Original.Len() {
			somebody = somebody || subset(more, k.Original.Tx(i))
		}
		if !somebody {
			continue
		}
		lines := k.matching(more)
		if len(lines) == 0 && k.MaySuppress {
			k.none++
			continue
		}
		if k.counted++; len(lines) < k.Promise.K {
			k.rare++
			continue
		}
		k.mix(lines)
		if len(more) < k.Promise.M {
			k.look(more, x+1)
		}
	}
}

// matching are the lines with each of some items, or a node above it.
func (k *knowledgeTwin) matching(items []int32) (lines []int) {
	for i := range k.Published.Len() {
		if (twin{k.KMInput}).match(k.Published.Tx(i), items) {
			lines = append(lines, i)
		}
	}
	return lines
}

// mix counts the sensitive items that are in too many of some lines.
func (k *knowledgeTwin) mix(lines []int) {
	if !k.Promise.Diverse() {
		return
	}
	for s := range int32(k.PublishedSensitive.Dict().Len()) {
		with := 0
		for _, i := range lines {
			if subset([]int32{s}, k.PublishedSensitive.Tx(i)) {
				with++
			}
		}
		if with*k.Promise.L > len(lines) {
			k.mixed++
		}
	}
}

// The size of an intersection is known exactly where it is less than enough, in sets of any size.
func TestMeetUpTo(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 1))
	for range 2000 {
		a, b, both := bitset(300), bitset(300), bitset(300)
		for range r.IntN(40) {
			i := r.IntN(300)
			a[i/64] |= 1 << (i % 64)
			if r.IntN(2) == 0 {
				b[i/64] |= 1 << (i % 64)
			}
		}
		size, enough := meet(both, a, b), 1+r.IntN(20)
		if n := meetUpTo(enough, a, b); n > size || n < min(size, enough) {
			t.Fatalf("%d of %d, where %d are enough", n, size, enough)
		}
		some := []int32{0, 2, 3}
		if is := both[0]|both[2]|both[3] != 0; is != meetIn(some, a, b) {
			t.Fatalf("they meet in words %v: %v", some, is)
		}
	}
}
