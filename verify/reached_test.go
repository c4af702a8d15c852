package verify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/privacy"
)

// Places of the judge that other tests do not come to: because their inputs are too small for what
// is done once in thousands of lines, or for a limit.

// nestedBehind is a release of the last lines of an original alone, in which a node is beside an
// item below it.
func nestedBehind(t *testing.T, before int) KMInput {
	tree := figure1(t)
	original, published := dataset.NewBuilder(tree.LeafDict()), dataset.NewBuilder(tree.Dict())
	for range before {
		original.Add([]int32{2})
	}
	for range 3 {
		original.Add([]int32{0, 1})
		published.Add([]int32{0, 4})
	}
	return KMInput{
		Tree: tree, Original: original.Build(), Published: published.Build(), MaySuppress: true,
		Promise: privacy.KM{K: 2, M: 2}, Workers: 1,
	}
}

// The lines that a release begins with may be far behind in the original: the judge is stopped on
// the way there, too, both times that it goes.
func TestAJudgeIsStoppedOnTheWayToTheFirstLine(t *testing.T) {
	in := nestedBehind(t, 2*linesPerTask)
	StopsEverywhere(t, func(ctx context.Context) (*Finding, error) { return KM(ctx, in) })
}

// A search for pairs of items that is stopped finds no more than one that is not.
func TestASearchForPairsIsStopped(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	b := dataset.NewBuilder(figure1(t).Dict())
	for range 200 {
		b.Add([]int32{int32(r.IntN(3)), 3 + int32(r.IntN(2)), 5 + int32(r.IntN(2))})
	}
	d, p := b.Build(), privacy.KM{K: 20, M: 3}
	all := searchAll(d, nil, p, 0, chunkSize)
	for n := 0; ; n++ {
		ctx := StoppedAfter(n)
		s := &search{promise: p, ctx: ctx, largest: 3, cells: 0}
		for chunks := newChunks(d, nil, chunkSize); chunks.next(context.Background()); {
			checkChunk(ctx, &pool{workers: 1}, chunks, []*search{s})
		}
		if s.witnesses.count > all.count {
			t.Fatalf("stopped after %d looks it finds %d, else %d", n, s.witnesses.count, all.count)
		}
		if ctx.(countdown).left.Load() >= 0 {
			if s.witnesses.count != all.count || n < 5 {
				t.Errorf("after %d looks it finds %d of %d", n, s.witnesses.count, all.count)
			}
			return
		}
	}
}

// Where the condition against any algorithm has too much to look at, it is not taken to be kept:
// what is broken child by child stays broken.
func TestWhatIsTooLargeToBeDecidedIsNotKept(t *testing.T) {
	b := hierarchy.NewBuilder()
	paths := [][]string{{"x1", "X", "ALL"}, {"x2", "X", "ALL"}}
	for i := range 60 {
		paths = append(paths, []string{fmt.Sprintf("i%02d", i), "ALL"})
	}
	for _, path := range paths {
		if err := b.Path(path, 0); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := b.Build(hierarchy.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	published := dataset.NewBuilder(tree.Dict())
	for range 2 { // they certainly have what the next may have
		var every []int32
		for x := range int32(tree.Leaves()) {
			every = append(every, x)
		}
		published.Add(every)
	}
	published.Add([]int32{0, tree.Parent(tree.Parent(0))})
	for m, decided := range map[int]bool{2: true, 12: false} {
		j := &judgement{pool: &pool{workers: 1}, in: KMInput{
			Tree: tree, Published: published.Build(), Promise: privacy.KM{K: 2, M: m},
		}}
		if _, err := j.classesOfLines(t.Context()); (err == nil) != decided {
			t.Errorf("m=%d: %v", m, err)
		}
		if kept, err := j.meetsCertain(t.Context()); kept != decided || err != nil {
			t.Errorf("m=%d: %v, %v", m, kept, err)
		}
	}
}

// What is kept of sets of lines is forgotten when it takes too much memory, and found again.
func TestSetsThatAreForgottenAreFoundAgain(t *testing.T) {
	tree := figure1(t)
	r := rand.New(rand.NewPCG(7, 8))
	b := dataset.NewBuilder(tree.Dict())
	for range 200 {
		var line []int32
		for u := range int32(tree.Nodes()) {
			if r.IntN(3) == 0 {
				line = append(line, u)
			}
		}
		b.Add(line)
	}
	v := newReading(tree, b.Build())
	fresh, full := newCovering(v), newCovering(v)
	for round := range 3 {
		for u := range int32(tree.Nodes()) {
			full.bytes = maxCovering
			if !slices.Equal(fresh.of(u), full.of(u)) ||
				!slices.Equal(fresh.atOrBelow(u), full.atOrBelow(u)) {
				t.Errorf("round %d: node %d has other lines", round, u)
			}
		}
	}
	kept := func(c covering) (n int) {
		for _, set := range c.lines {
			if set != nil {
				n++
			}
		}
		return n
	}
	if kept(full) >= kept(fresh) {
		t.Errorf("%d sets are kept", kept(full))
	}
	s := newUnionSeeker(t.Context(), &reader{reading: v, work: &atomic.Int64{}})
	s.byPerson.sensitive = []int32{0, 3, 60}
	want := slices.Clone(s.sensitiveAt(0))
	s.byPerson.words = maxCovering / 8
	if s.sensitiveAt(1); len(s.byPerson.may) != 1 || s.byPerson.words != len(want) {
		t.Errorf("%d sets of lines with a sensitive item are kept, %d words", len(s.byPerson.may),
			s.byPerson.words)
	}
	if !slices.Equal(s.sensitiveAt(0), want) {
		t.Error("other lines have a sensitive item")
	}
}

// The same of the lines that match items.
func TestMatchesThatAreForgottenAreFoundAgain(t *testing.T) {
	tree := figure1(t)
	lines := 1 << 20
	v := &reading{tree: tree, sets: make([][]int32, lines), with: make([][]int32, tree.Nodes())}
	for u := range v.with {
		v.with[u] = []int32{int32(u), 100, int32(lines - 1 - u)}
	}
	s := newUnionSeeker(t.Context(), &reader{reading: v, how: plainly, work: &atomic.Int64{}})
	want := slices.Clone(s.all(0))
	for u := int32(-1); len(s.matches)*len(want) <= maxCovering/8; u-- {
		s.matches[u] = nil // of other nodes
	}
	s.all(3)
	if len(s.matches) != 1 {
		t.Fatalf("%d sets are kept", len(s.matches))
	}
	if !slices.Equal(s.all(0), want) {
		t.Error("other lines match")
	}
}
