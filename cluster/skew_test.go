package cluster_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/anonymize"
	"mingle/cluster"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/soak"
	"mingle/privacy"
)

// skewed is a place with these lines, and groups of so many items.
func skewed(t *testing.T, fanout int, lines [][]int) *place {
	t.Helper()
	var text bytes.Buffer
	for _, tx := range lines {
		text.WriteString(strings.Trim(fmt.Sprint(tx), "[]") + "\n")
	}
	d, err := dataset.Read(t.Context(), &text, dataset.Options{Format: dataset.Fimi})
	if err != nil {
		t.Fatal(err)
	}
	tree, err := hierarchy.Fanout(d.Dict().Labels(), fanout)
	if err != nil {
		t.Fatal(err)
	}
	if d, err = tree.Encode(d); err != nil {
		t.Fatal(err)
	}
	in := anonymize.Input{Data: d, Tree: tree, Promise: privacy.KM{K: 3, M: 2}}
	p := lay(t, rand.New(rand.NewPCG(20, 10)), in)
	p.release.Algorithm, p.release.Buckets, p.fake.Lines = "aa", 8, 10_000
	return p
}

// released makes a release and compares it with that of one process.
func (p *place) released(t *testing.T) {
	t.Helper()
	want, err := p.local(t)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.release.Make(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(p.published(t), want) {
		t.Error("another release than that of one process")
	}
}

// An item that is in every transaction is in many sets: their names are hashes, so none has many
// more than others.
func TestItemOfAllMakesNoNameLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 11))
	var lines [][]int
	for range 3000 {
		lines = append(lines, []int{0, 1 + rng.IntN(300), 301 + rng.IntN(300), 601 + rng.IntN(300)})
	}
	p := skewed(t, 10, lines)
	p.released(t)
	tree, err := p.release.Layout.Tree()
	if err != nil {
		t.Fatal(err)
	}
	plan := cluster.Plan{
		Layout: p.release.Layout, Cut: hierarchy.BottomCut(tree).Map(), Size: 2, Buckets: 8,
	}
	for u := range tree.Root() {
		plan.Order = append(plan.Order, u)
	}
	var text, out bytes.Buffer
	if err := dataset.Write(&text, p.in.Data, p.release.Layout.Options()); err != nil {
		t.Fatal(err)
	}
	if err := plan.Map(t.Context(), &text, &out); err != nil {
		t.Fatal(err)
	}
	sent := map[string]int{}
	most, all := 0, 0
	for line := range strings.Lines(out.String()) {
		if name, block, _ := strings.Cut(line, "\t"); name != "@" {
			sent[name] += len(block)
			most, all = max(most, sent[name]), all+len(block)
		}
	}
	if len(sent) != 8 || most*8 > 2*all {
		t.Errorf("of %d bytes under %d names one has %d", all, len(sent), most)
	}
}

// A long transaction among short ones is counted where its sets can be listed, and refused where
// not, with how many there are.
func TestLongTransaction(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 12))
	of := func(n, times int) [][]int {
		var long []int
		for x := range n {
			long = append(long, x)
		}
		lines := slices.Repeat([][]int{long}, times)
		for range 500 {
			lines = append(lines, []int{rng.IntN(n), rng.IntN(n), rng.IntN(n)})
		}
		return lines
	}
	skewed(t, 10, of(1000, 1)).released(t)
	p := skewed(t, 10, of(1200, 3)) // of which no set is rare, so that nothing shortens the line
	p.release.Promise.M = 3
	_, err := p.release.Make(t.Context())
	if err == nil || !strings.Contains(err.Error(), "million sets of 3") ||
		!strings.Contains(err.Error(), "a smaller m") {
		t.Errorf("1,200 items for m=3: %v", err)
	}
	if p.published(t) != nil || len(p.left(t)) > 0 {
		t.Error("something was published, or left behind")
	}
}

// Many items of few transactions each: most sets are rare, and all of them are delivered.
func TestManyRareItemsSoak(t *testing.T) {
	cluster.SendOften(t.Cleanup, 100_000)
	rng := rand.New(rand.NewPCG(20, 13))
	order := rng.Perm(soak.Share(4_000, 40_000))
	var lines [][]int
	for range 2 {
		for i := 0; i < len(order); i += 5 {
			lines = append(lines, order[i:i+5])
		}
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	skewed(t, 200, lines).released(t)
}
