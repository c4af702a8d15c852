package verify

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mingle/dataset"
	"mingle/dataset/bag"
	"mingle/privacy"
)

// long is a file that is judged in several goes.
const long = 2*linesPerTask + 800

// repeated are n lines, of which those with a number in other are another.
func repeated(n int, line string, other map[int]string) (out [][]string) {
	for i := range n {
		if text, is := other[i+1]; is {
			out = append(out, strings.Fields(text))
		} else {
			out = append(out, strings.Fields(line))
		}
	}
	return out
}

// Faults are found in every line of a long file, the first and the last of each go among them, by
// any number of workers.
func TestFaultsOfLongFiles(t *testing.T) {
	tree := figure1(t)
	at := []int{1, linesPerTask, linesPerTask + 1, 2 * linesPerTask, 2*linesPerTask + 1, long}
	wrong := map[int]string{}
	for _, line := range at {
		wrong[line] = "b1"
	}
	for _, workers := range []int{1, 4} {
		f := check(t, KMInput{
			Tree: tree, Original: encode(t, tree, repeated(long, "a1", wrong)),
			Published: publish(t, tree, repeated(long, "A", nil)),
			Promise:   privacy.KM{K: 2, M: 1}, Workers: workers,
		})
		var lines []int
		for _, b := range f.Breaches {
			if len(b.Lines) == 1 {
				lines = append(lines, b.Lines[0])
			}
		}
		var want []int // the item is missing, and the node stands for nothing
		for _, line := range at {
			want = append(want, line, line)
		}
		if !slices.Equal(lines, want) || f.BreachCount != int64(len(want)) || !f.Lacking {
			t.Errorf("%d breaches, lines %v, want %v", f.BreachCount, lines, want)
		}
	}
}

// Of many faults the first 20 are spelled out, in one go and in several.
func TestMoreFaultsThanAreSpelledOut(t *testing.T) {
	tree := figure1(t)
	for _, c := range []struct{ from, to, n int }{{1, 19, 19}, {1, 20, 20}, {1, 21, 21}, {
		linesPerTask - 9, linesPerTask + 30, 40,
	}} {
		wrong := map[int]string{}
		for line := c.from; line <= c.to; line++ {
			wrong[line] = "a1 b1"
		}
		f := check(t, KMInput{
			Tree: tree, Original: encode(t, tree, repeated(long, "a1", wrong)),
			Published: publish(t, tree, repeated(long, "A", nil)),
			Promise:   privacy.KM{K: 2, M: 1}, Workers: 2,
		})
		var lines, want []int
		for _, b := range f.Breaches {
			lines = append(lines, b.Lines...)
		}
		for line := c.from; line < c.from+min(c.n, maxBreaches); line++ {
			want = append(want, line)
		}
		if !slices.Equal(lines, want) || f.BreachCount != int64(c.n) {
			t.Errorf("%d breaches, lines %v, want %v", f.BreachCount, lines, want)
		}
	}
}

// Whether it is to end a check asks now and then, not at each line; and it ends where it is told.
func TestLongFilesCanBeEnded(t *testing.T) {
	tree := figure1(t)
	published := publish(t, tree, repeated(long, "A", nil))
	// the last line is the only one that fits the last of the release
	original := encode(t, tree, repeated(long, "a1", map[int]string{long: "b1"}))
	few := publish(t, tree, repeated(2, "A", map[int]string{2: "B"}))
	sensitive := dataset.FromLabels(repeated(long, "s", nil))
	km := func(in KMInput) *judgement {
		in.Tree, in.Promise = tree, privacy.KM{K: 2, M: 1}
		return &judgement{in: in, pool: &pool{workers: 1}, f: &Finding{}}
	}
	missing := func() *judgement {
		return km(KMInput{Original: original, Published: few, MaySuppress: true})
	}
	numbers := func() *bag.Bags {
		b, err := bag.FromFields(bag.Numbers(), repeated(long, "1 2", nil))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}()
	labels := dataset.FromLabels(repeated(long, "a s", nil))
	for name, run := range map[string]func(ctx *ending) error{
		"align": func(ctx *ending) error {
			matched, err := missing().align(ctx, newLiner(tree, true))
			if err == nil && !matched {
				return errors.New("the lines match")
			}
			return err
		},
		"sensitive": func(ctx *ending) error {
			j := km(KMInput{
				Original: original, Published: published, PublishedSensitive: sensitive,
				OriginalSensitive: sensitive,
			})
			return j.sensitive(ctx)
		},
		"coherence": func(ctx *ending) error {
			in := CoherenceInput{Published: labels, Original: labels, Private: []string{"s"}}
			in.Promise = privacy.Coherence{H: 1, K: 2, P: 1}
			return newCoherence(in).lines(ctx)
		},
		"bags": func(ctx *ending) error {
			in := ContinuousInput{Original: numbers, Published: numbers}
			return (&bagJudge{in: in, f: &Finding{}}).original(ctx)
		},
		"chunks": func(ctx *ending) error {
			newChunks(published, nil, chunkSize).next(ctx)
			return ctx.Context.Err()
		},
		"own leaves": func(ctx *ending) error {
			_, err := km(KMInput{Published: published}).ownSets(ctx)
			return err
		},
		"classes of lines": func(ctx *ending) error {
			var distinct [][]int32
			for set := range 1 << 13 {
				distinct = append(distinct, itemsOf(set+1))
			}
			wide := leafTree(t, strings.Fields("i0 *"), strings.Fields("i1 *"), strings.Fields("i2 *"),
				strings.Fields("i3 *"), strings.Fields("i4 *"), strings.Fields("i5 *"),
				strings.Fields("i6 *"), strings.Fields("i7 *"), strings.Fields("i8 *"),
				strings.Fields("i9 *"), strings.Fields("j0 *"), strings.Fields("j1 *"),
				strings.Fields("j2 *"), strings.Fields("j3 *"))
			j := km(KMInput{})
			j.in.Tree, j.in.Published = wide, ofNodes(wide, distinct...)
			_, err := j.classesOfLines(ctx)
			return err
		},
	} {
		ctx := endingAfter(t.Context(), 1<<40)
		if err := run(ctx); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		asked := 1<<40 - ctx.left.Load()
		if asked < 2 || asked > 12 {
			t.Errorf("%s asks %d times in %d lines", name, asked, long)
		}
		for after := range asked {
			ctx := endingAfter(t.Context(), after)
			if err := run(ctx); !errors.Is(err, ctx.why) && name != "chunks" || err == nil {
				t.Errorf("%s, asked %d times: %v", name, after, err)
			}
			if left := ctx.left.Load(); left < -3 {
				t.Errorf("%s goes on when it is ended", name)
			}
		}
	}
}

// The first witnesses of all that were filed, in whatever order, are kept, and all are counted.
func TestTheFirstWitnessesAreKept(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 1))
	for range 200 {
		var all []witness
		parts := []*witnesses{{}, {}, {}}
		for range r.IntN(3 * maxBreaches) {
			w := witness{
				beside: int32(r.IntN(3) - 1), support: 1, needed: 2, of: unit(r.IntN(3)),
			}
			for range r.IntN(4) {
				w.nodes = append(w.nodes, int32(r.IntN(6)))
			}
			parts[r.IntN(3)].file(w)
			w.nodes = slices.Clone(w.nodes)
			slices.Sort(w.nodes)
			all = append(all, w)
		}
		slices.SortStableFunc(all, compareWitnesses)
		merged := &witnesses{}
		for _, s := range parts {
			if len(s.kept) > maxBreaches {
				t.Fatalf("%d are kept", len(s.kept))
			}
			merged.merge(s)
		}
		var got, want []string
		for _, w := range merged.kept {
			got = append(got, fmt.Sprint(w))
		}
		for _, w := range all[:min(len(all), maxBreaches)] {
			want = append(want, fmt.Sprint(w))
		}
		if diff := cmp.Diff(want, got); diff != "" || merged.count != int64(len(all)) {
			t.Fatalf("%d counted of %d\n%s", merged.count, len(all), diff)
		}
	}
	// what is filed may be changed afterwards
	nodes := []int32{2, 1}
	s := &witnesses{}
	s.add(nodes, -1, 1, 2)
	nodes[0] = 7
	if !slices.Equal(s.kept[0].nodes, []int32{1, 2}) || !slices.Equal(nodes, []int32{7, 1}) {
		t.Errorf("%v %v", s.kept[0].nodes, nodes)
	}
}

// A set of lines takes its own lines out of bits, and no others, kept as a list or as bits.
func TestLineSets(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 2))
	for range 300 {
		lines := 1 + r.IntN(2000)
		var list []int32
		is := make([]bool, lines)
		for range r.IntN(1 + lines/100) {
			is[r.IntN(lines)] = true
		}
		for i, in := range is {
			if in {
				list = append(list, int32(i))
			}
		}
		s, bits := newLineSet(list, lines), ones(lines)
		s.removeFrom(bits)
		for i, in := range is {
			if left := bits[i/64]>>(i%64)&1 == 1; left == in {
				t.Fatalf("line %d of %d with %v", i, lines, list)
			}
		}
		if s.size != len(list) {
			t.Fatalf("%d lines of %d", s.size, len(list))
		}
	}
}
