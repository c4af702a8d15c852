package proofs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/global"
	"mingle/anonymize/global/exact"
	"mingle/anonymize/local"
	"mingle/anonymize/partition"
	"mingle/anonymize/peel"
	"mingle/dataset"
	"mingle/internal/brute"
	"mingle/privacy"
	"mingle/verify"
)

// kmWorld is a release over a hierarchy.
type kmWorld struct {
	in        anonymize.Input
	published *dataset.Dataset
}

// numbers spells a release as serve.dfy reads it.
func (w kmWorld) numbers(b *strings.Builder) {
	p, t := w.in.Promise, w.in.Tree
	bit := map[bool]int{true: 1}
	fmt.Fprintf(b, "0 %d %d %d %d %d %d %d %d", p.K, p.L, p.M, bit[p.NegativeKnowledge],
		bit[p.Persons], p.PersonShare, t.Leaves(), t.Nodes())
	for u := range int32(t.Nodes()) {
		fmt.Fprintf(b, " %d", t.Parent(u))
	}
	secrets := 0
	if w.in.Sensitive != nil {
		secrets = w.in.Sensitive.Dict().Len()
	}
	fmt.Fprintf(b, " %d %d", secrets, w.in.Data.Len())
	for i := range w.in.Data.Len() {
		spellSet(b, w.in.Data.Tx(i))
		spellSet(b, w.published.Tx(i))
		if w.in.Sensitive != nil {
			spellSet(b, w.in.Sensitive.Tx(i))
		} else {
			spellSet[int32](b, nil)
		}
		whose := int32(-1)
		if p.Persons {
			whose = w.in.Persons[i]
		}
		fmt.Fprintf(b, " %d", whose)
	}
}

// randomKM is a small original with a release of it by some algorithm, or with random nodes.
func randomKM(t *testing.T, rng *rand.Rand) (world, bool) {
	t.Helper()
	in := brute.Random(rng)
	algorithms := []anonymize.Algorithm{
		global.AA{}, exact.Algorithm{}, local.Algorithm{}, partition.Algorithm{},
	}
	if rng.IntN(3) == 0 {
		in = brute.RandomPersons(rng, in)
		algorithms = append(algorithms, peel.Algorithm{})
	}
	if rng.IntN(12) == 0 {
		return oneOfMany(rng, in)
	}
	in.Seed = &[32]byte{byte(rng.IntN(256))}
	n := rng.IntN(len(algorithms) + 2)
	if n < len(algorithms) {
		g, err := algorithms[n].Anonymize(t.Context(), in)
		if err != nil {
			return nil, false
		}
		return kmWorld{in, g.Published()}, true
	}
	b := dataset.NewBuilder(in.Tree.Dict())
	for i := range in.Data.Len() {
		var line []int32
		for _, u := range in.Data.Tx(i) {
			for u != in.Tree.Root() && rng.IntN(2) == 0 {
				u = in.Tree.Parent(u)
			}
			line = append(line, u)
		}
		b.Add(line)
	}
	return kmWorld{in, b.Build()}, true
}

// oneOfMany is lines with a label, some with an item below it besides, of which one person may have
// too many: of those with the label, or of those that are read child by child.
func oneOfMany(rng *rand.Rand, in anonymize.Input) (world, bool) {
	t := in.Tree
	low := rng.Int32N(int32(t.Leaves()))
	child := low
	for rng.IntN(2) == 0 && t.Parent(t.Parent(child)) >= 0 {
		child = t.Parent(child)
	}
	up := t.Parent(child)
	lo, hi := t.Range(up)
	var other []int32 // items that stand at the label beside the item
	for x := lo; x < hi; x++ {
		if !t.Covers(child, x) {
			other = append(other, x)
		}
	}
	if len(other) == 0 {
		return nil, false
	}
	in.Sensitive, in.Values = nil, nil
	in.Promise = privacy.KM{
		K: 2, M: 1 + rng.IntN(2), Persons: true, PersonShare: 2 + rng.IntN(2),
	}
	original, published := dataset.NewBuilder(t.LeafDict()), dataset.NewBuilder(t.Dict())
	in.Persons = nil
	for range 4 + rng.IntN(6) {
		item := lo + rng.Int32N(hi-lo)
		if rng.IntN(3) > 0 {
			original.Add([]int32{item})
			published.Add([]int32{up})
		} else {
			original.Add([]int32{low, other[rng.IntN(len(other))]})
			published.Add([]int32{low, up})
		}
		if n := int32(len(in.Persons)); rng.IntN(2) == 0 { // nobody has more than a line but one
			in.Persons = append(in.Persons, n)
		} else {
			in.Persons = append(in.Persons, 0)
		}
	}
	in.Data = original.Build()
	return kmWorld{in, published.Build()}, true
}

// edited is a release with one label dropped, added or exchanged for that above it, or with two
// lines exchanged.
func (w kmWorld) edited(rng *rand.Rand) world {
	t := w.in.Tree
	var lines [][]int32
	for i := range w.published.Len() {
		lines = append(lines, append([]int32(nil), w.published.Tx(i)...))
	}
	if len(lines) == 0 {
		return w
	}
	i, j := rng.IntN(len(lines)), rng.IntN(len(lines))
	switch line := lines[i]; {
	case rng.IntN(4) == 0:
		lines[i], lines[j] = lines[j], lines[i]
	case len(line) == 0 || rng.IntN(3) == 0:
		lines[i] = append(line, int32(rng.IntN(t.Nodes())))
	case rng.IntN(2) == 0:
		lines[i] = line[1:]
	default:
		at := rng.IntN(len(line))
		line[at] = max(line[at], t.Parent(line[at]))
	}
	b := dataset.NewBuilder(t.Dict())
	for _, line := range lines {
		b.Add(line)
	}
	return kmWorld{w.in, b.Build()}
}

// holds is the verdict of the verifier that runs.
func (w kmWorld) holds(ctx context.Context, t *testing.T) bool {
	t.Helper()
	f, err := verify.KM(ctx, verify.KMInput{
		Tree: w.in.Tree, Published: w.published, PublishedSensitive: w.in.Sensitive,
		Original: w.in.Data, OriginalSensitive: w.in.Sensitive, Promise: w.in.Promise,
		Persons: w.in.Persons, Workers: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	return f.Holds
}

func (w kmWorld) String() string {
	text := fmt.Sprintf("%+v\noriginal %v\npublished %v\npersons %v", w.in.Promise,
		linesOf(w.in.Data), linesOf(w.published), w.in.Persons)
	if w.in.Sensitive != nil {
		text += fmt.Sprintf("\nsensitive %v", linesOf(w.in.Sensitive))
	}
	return text
}

func linesOf(d *dataset.Dataset) [][]string {
	var out [][]string
	for i := range d.Len() {
		out = append(out, d.Labels(i))
	}
	return out
}
