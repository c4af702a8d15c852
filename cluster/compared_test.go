package cluster_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mingle/attack"
	"mingle/cluster"
	"mingle/cluster/engine"
	"mingle/cluster/fake"
	"mingle/cluster/split"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/soak"
	"mingle/measure"
)

// pair is an original and a global recoding of it, in files and in memory.
type pair struct {
	compared            cluster.Compared
	fake                *fake.Engine
	tree                *hierarchy.Tree
	original, published *dataset.Dataset // bound to the hierarchy
	sensitive           *dataset.Dataset // nil: there are none
	persons             []int32          // nil: lines are counted
}

// randomLayout is a hierarchy, in which groups of one item are frequent.
func randomLayout(rng *rand.Rand) split.Layout {
	var tree strings.Builder
	for i := range 2 + rng.IntN(8) {
		group := i / (1 + rng.IntN(3))
		fmt.Fprintf(&tree, "i%d;g%d;h%d;*\n", i, 10*i/3+group%2, i/3)
	}
	return split.Layout{
		Format:    []dataset.Format{dataset.Fimi, dataset.Basket}[rng.IntN(2)],
		Hierarchy: []byte(tree.String()),
	}
}

// randomCut is for every leaf the node of a random cut.
func randomCut(rng *rand.Rand, t *hierarchy.Tree) []int32 {
	out := make([]int32, t.Leaves())
	for leaf := 0; leaf < len(out); {
		u := int32(leaf)
		for p := t.Parent(u); p >= 0 && rng.IntN(3) > 0; p = t.Parent(p) {
			if lo, _ := t.Range(p); int(lo) != leaf {
				break
			}
			u = p
		}
		_, hi := t.Range(u)
		for ; leaf < int(hi); leaf++ {
			out[leaf] = u
		}
	}
	return out
}

// randomPair lays data and a recoding out in files.
func randomPair(t *testing.T, rng *rand.Rand) *pair {
	t.Helper()
	p := &pair{}
	layout := randomLayout(rng)
	lines := 1 + rng.IntN(30)
	spelt := make([]string, lines)
	if rng.IntN(3) == 0 {
		layout.Format, layout.Person = dataset.JSONL, "who"
		for i := range spelt {
			p.persons = append(p.persons, int32(rng.IntN(1+lines/2))-int32(rng.IntN(2)*rng.IntN(2)))
			spelt[i] = fmt.Sprintf(`{"who":"p%d",`, p.persons[i])
			if p.persons[i] < 0 {
				spelt[i] = `{`
			}
		}
	}
	if rng.IntN(2) == 0 {
		layout.Sensitive = []string{"s0", "s1"}
	}
	tree, err := layout.Tree()
	if err != nil {
		t.Fatal(err)
	}
	p.tree = tree
	some := func(dict *dataset.Dictionary, share float64) *dataset.Dataset {
		b := dataset.NewBuilder(dict)
		for range lines {
			var tx []int32
			for x := range int32(dict.Len()) {
				if rng.Float64() < share {
					tx = append(tx, x)
				}
			}
			b.Add(tx)
		}
		return b.Build()
	}
	p.original = some(tree.LeafDict(), 0.1+0.5*rng.Float64())
	if layout.Sensitive != nil {
		p.sensitive = some(dataset.MustDictionary(layout.Sensitive), 0.2)
	}
	p.published = p.original.Recode(tree.Dict(), randomCut(rng, tree))
	p.fake = &fake.Engine{Work: work, Rng: fake.Own(rng), Lines: 1 + rng.IntN(20)}
	dir := t.TempDir()
	p.compared = cluster.Compared{
		Engine: p.fake, Version: version, Layout: layout, AllowUnknown: true,
		Original: filepath.Join(dir, "in"), Published: filepath.Join(dir, "out"),
		Buckets: 1 + rng.IntN(5),
	}
	p.write(t, rng, p.compared.Original, p.original, spelt)
	p.write(t, rng, p.compared.Published, p.published, nil)
	return p
}

// write writes lines into some files of a folder; those of persons that are published, which have
// no fields but their items, in any order.
func (p *pair) write(
	t *testing.T, rng *rand.Rand, folder string, d *dataset.Dataset, fields []string,
) {
	t.Helper()
	var text bytes.Buffer
	err := dataset.Write(&text, with(t, d, p.sensitive), p.compared.Layout.Options())
	if err == nil {
		err = os.Mkdir(folder, 0o777)
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text.Bytes(), []byte("\n"))
	lines = lines[:len(lines)-1]
	for i := range lines {
		if fields != nil && fields[i] != "" {
			lines[i] = append([]byte(fields[i]), lines[i][1:]...)
		}
	}
	if fields == nil && p.persons != nil {
		rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	}
	for f, n := 0, 1+rng.IntN(3); f < n; f++ {
		own := bytes.Join(lines[f*len(lines)/n:(f+1)*len(lines)/n], nil)
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprint("part", f)), own, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// Losses are those of one machine, to the last digit.
func TestMeasureIsThatOfOneMachine(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 70))
	for range 60 {
		randomPair(t, rng).measure(t)
	}
}

// measure measures what was lost where the files lie and here, which must be the same.
func (p *pair) measure(t *testing.T) measure.Loss {
	t.Helper()
	want, err := measure.NCPOf(t.Context(), p.tree, p.original, p.published, 1)
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.compared.Measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if spelt(t, got.NCP) != spelt(t, want) || got.Transactions != int64(p.original.Len()) {
		t.Fatalf("the cluster says %s, one machine %s", spelt(t, got), spelt(t, want))
	}
	return want
}

// recodeLocally publishes each line by a cut of its own; in some the items below one child of a
// label are published as themselves, beside the label of the others.
func (p *pair) recodeLocally(rng *rand.Rand) {
	b := dataset.NewBuilder(p.tree.Dict())
	for i := range p.original.Len() {
		cut := randomCut(rng, p.tree)
		aside := int32(-1) // a child whose items are published as themselves
		for _, x := range p.original.Tx(i) {
			c := x
			for c != cut[x] && p.tree.Parent(c) != cut[x] {
				c = p.tree.Parent(c)
			}
			others := func(y int32) bool { return cut[y] == cut[x] && !p.tree.Covers(c, y) }
			if slices.ContainsFunc(p.original.Tx(i), others) && rng.IntN(2) == 0 {
				aside = c
			}
		}
		var line []int32
		for _, x := range p.original.Tx(i) {
			if aside >= 0 && p.tree.Covers(aside, x) {
				line = append(line, x)
				continue
			}
			line = append(line, cut[x])
		}
		b.Add(line)
	}
	p.published = b.Build()
}

// Losses of local recodings are those of one machine, too, to the last digit; who attacks them is
// told that they are not looked at.
func TestMeasureOfLocalRecodings(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 74))
	local := 0
	for range 80 {
		p := randomPair(t, rng)
		if p.persons != nil {
			continue // it is not known whose each line is
		}
		p.recodeLocally(rng)
		if err := os.RemoveAll(p.compared.Published); err != nil {
			t.Fatal(err)
		}
		p.write(t, rng, p.compared.Published, p.published, nil)
		want := p.measure(t)
		if want.Rules == nil && want.Penalty > 0 {
			local++
			_, err := p.compared.Attack(t.Context(), 2, 2)
			if no := (*cluster.RecodingError)(nil); !errors.As(err, &no) {
				t.Fatalf("attacked: %v", err)
			}
		}
	}
	if local < 20 {
		t.Errorf("only %d were local recodings", local)
	}
}

func spelt(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// attackHere attacks in this process, whatever the number of combinations.
func (p *pair) attackHere(t *testing.T, k, m int) *attack.Result {
	t.Helper()
	c, err := attack.Generalized(p.tree, p.original, p.published)
	if err == nil && p.sensitive != nil {
		err = c.Sensitive(p.sensitive, p.sensitive)
	}
	if err == nil && p.persons != nil {
		err = c.ByPersons(p.persons)
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Run(t.Context(), attack.Options{K: k, M: m, Exact: 1 << 40, Draws: 1, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	r.Linking, r.Seed = nil, 0
	r.Notes = append(r.Notes, cluster.NotLinked)
	return r
}

// near tells whether two values of JSON are the same but for rounding.
func near(a, b any) bool {
	switch a := a.(type) {
	case float64:
		b, is := b.(float64)
		return is && math.Abs(a-b) <= 1e-9*max(1, math.Abs(a))
	case []any:
		b, is := b.([]any)
		if !is || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !near(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, is := b.(map[string]any)
		if !is || len(a) != len(b) {
			return false
		}
		for key := range a {
			if !near(a[key], b[key]) {
				return false
			}
		}
		return true
	}
	return a == b
}

func loose(t *testing.T, text string) any {
	t.Helper()
	var out any
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// What an adversary gains is what one machine tells that looks at all combinations.
func TestAttackIsThatOfOneMachineSoak(t *testing.T) {
	rng := soak.Rand(20, 71)
	persons, sensitive := 0, 0
	for range soak.Rounds(t, soak.Share(200, 500)) {
		p := randomPair(t, rng)
		k, m := 2+rng.IntN(4), 1+rng.IntN(4)
		want := spelt(t, p.attackHere(t, k, m))
		r, err := p.compared.Attack(t.Context(), k, m)
		if err != nil {
			t.Fatal(err)
		}
		if got := spelt(t, r); !near(loose(t, got), loose(t, want)) {
			t.Fatalf("the cluster says\n%s\none machine\n%s", got, want)
		}
		if p.persons != nil {
			persons++
		}
		for _, i := range r.Inference {
			if i.Of == "sensitive" {
				sensitive++
			}
		}
	}
	if persons < 40 || sensitive < 40 {
		t.Errorf("only %d were of persons, %d of sensitive items", persons, sensitive)
	}
}

// Files that are no recoding of the original are not compared, and those that are not one by one
// cut are not attacked.
func TestOthersAreNotCompared(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 72))
	layout := split.Layout{Format: dataset.Fimi, Hierarchy: []byte("a;A;*\nb;A;*\nc;C;*\nd;C;*\n")}
	const no, local, global = 0, 1, 2
	for published, is := range map[string]int{
		"A c\nA\nC\n":    local, // c by itself and as C
		"A C\nA\n":       no,    // a line less
		"A C\nA\nC\nC\n": no,
		"A C\nC\nA\n":    no, // in another order
		"A C\nA\n\n":     no,
		"A C\nb\nC\n":    local, // b below A
		"A c\nb\nC\n":    local,
		"c A\nC\nC\n":    no,
		"A C\nA\nC\n":    global,
		"A c\nA\nd\n":    global,
		"*\n*\n*\n":      global,
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"in": "a c\nb\nd\n", "out": published} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		c := cluster.Compared{
			Engine:  &fake.Engine{Work: work, Rng: fake.Own(rng), Lines: 2},
			Version: version, Layout: layout,
			Original: filepath.Join(dir, "in"), Published: filepath.Join(dir, "out"),
		}
		_, err := c.Measure(t.Context())
		var refused *cluster.RecodingError
		if err != nil && !errors.As(err, &refused) {
			t.Fatal(err)
		}
		if (err == nil) != (is >= local) {
			t.Errorf("%q: %v", published, err)
		}
		if _, attacked := c.Attack(t.Context(), 2, 2); (attacked == nil) != (is == global) {
			t.Errorf("%q: %v", published, attacked)
		}
	}
}

// What is lost, doubled or changed between workers, or on the way back, does no harm, or is seen.
func TestSpoiltAttacks(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 73))
	refused := 0
	for n := range 16 {
		p := randomPair(t, rng)
		want := spelt(t, p.attackHere(t, 3, 2))
		for how, spoils := range spoilt {
			job, done := rng.IntN(6), false
			spoil := func(_ engine.Job, lines []string) []string {
				if job--; done || job >= 0 || len(lines) == 0 {
					return lines
				}
				done = true
				return spoils(rng, lines)
			}
			p.fake.Unsafe, p.fake.Spoil = nil, spoil
			if n%2 == 0 {
				p.fake.Unsafe, p.fake.Spoil = spoil, nil
			}
			r, err := p.compared.Attack(t.Context(), 3, 2)
			if err != nil {
				refused++
				continue
			}
			if got := spelt(t, r); !near(loose(t, got), loose(t, want)) {
				t.Fatalf("%s: the cluster says\n%s\none machine\n%s", how, got, want)
			}
		}
	}
	if refused < 25 {
		t.Errorf("only %d were refused", refused)
	}
}
