package attack

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/hierarchy"
)

func smallTree(t *testing.T) *hierarchy.Tree {
	t.Helper()
	b := hierarchy.NewBuilder()
	for _, path := range []string{"a1 A *", "a2 A *", "b1 B *", "c1 C D *", "c2 C D *"} {
		if err := b.Path(strings.Fields(path), 0); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := b.Build(hierarchy.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func itemsOf(set int) (out []int32) {
	for x := range int32(bits.Len(uint(set))) {
		if set>>x&1 == 1 {
			out = append(out, x)
		}
	}
	return out
}

// publish recodes items by a random set of nodes: each goes to the lowest of them above it.
func publish(rng *rand.Rand, t *hierarchy.Tree, items []int32) []int32 {
	nodes := map[int32]bool{t.Root(): true}
	for u := range int32(t.Nodes()) {
		nodes[u] = nodes[u] || rng.IntN(3) == 0
	}
	var out []int32
	for _, x := range items {
		for !nodes[x] {
			x = t.Parent(x)
		}
		out = append(out, x)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// The records counted for what a person has and has not are those that some transaction with the
// ones and without the others is published as, by trying all transactions.
func TestLackingAgainstAllOriginals(t *testing.T) {
	tree := smallTree(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		data, published := dataset.NewBuilder(tree.LeafDict()), dataset.NewBuilder(tree.Dict())
		for range 1 + rng.IntN(8) {
			items := itemsOf(rng.IntN(1 << tree.Leaves()))
			data.Add(items)
			published.Add(publish(rng, tree, items))
		}
		c, err := Generalized(tree, data.Build(), published.Build())
		if err != nil {
			t.Fatal(err)
		}
		if err := c.prepareLacking(Options{M: 5}); err != nil {
			t.Fatal(err)
		}
		after, before := newCounter(c.after), newCounter(c.before)
		for has := range 1 << tree.Leaves() {
			if slices.ContainsFunc(itemsOf(has),
				func(x int32) bool { return c.data.Supports()[x] == 0 }) {
				continue // nobody has it
			}
			for lacks := range 1 << tree.Leaves() {
				if has&lacks != 0 {
					continue
				}
				records, transactions := 0, 0
				for i := range c.published.Len() {
					if comes(tree, c.published.Tx(i), has, lacks) {
						records++
					}
					set := 0
					for _, x := range c.data.Tx(i) {
						set |= 1 << x
					}
					if set&has == has && set&lacks == 0 {
						transactions++
					}
				}
				if n := after.without(itemsOf(has),
					c.needs.excluded(itemsOf(lacks))); n != records {
					t.Fatalf("%b without %b: %d records, want %d", has, lacks, n, records)
				}
				if n := before.without(itemsOf(has),
					c.had.excluded(itemsOf(lacks))); n != transactions {
					t.Fatalf("%b without %b: %d transactions, want %d", has, lacks, n, transactions)
				}
			}
		}
	}
}

// comes tells whether some transaction with some items and without others is published as a line.
func comes(t *hierarchy.Tree, line []int32, has, lacks int) bool {
	for set := range 1 << t.Leaves() {
		if set&has != has || set&lacks != 0 {
			continue
		}
		var got []int32
		for _, x := range itemsOf(set) {
			for x >= 0 && !slices.Contains(line, x) {
				x = t.Parent(x)
			}
			got = append(got, x)
		}
		slices.Sort(got)
		if slices.Equal(slices.Compact(got), line) {
			return true
		}
	}
	return false
}

// Who knows that a person has neither a1 nor a2 finds the one line without A; the attack sees it,
// and sees nobody where it is hidden.
func TestLackingFindsGroups(t *testing.T) {
	tree := smallTree(t)
	for published, found := range map[string]bool{
		"A b1|a2 b1|A b1|a2 b1|b1": true,
		"A b1|A b1|A b1|A b1|A b1": false,
	} {
		data := dataset.NewBuilder(tree.LeafDict())
		b := dataset.NewBuilder(tree.Dict())
		for i, line := range strings.Split(published, "|") {
			data.Add(idsOf(tree, strings.Split("a1 b1|a2 b1|a1 b1|a2 b1|b1", "|")[i]))
			b.Add(idsOf(tree, line))
		}
		c, err := Generalized(tree, data.Build(), b.Build())
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.Run(t.Context(), Options{M: 2, K: 2, Draws: 2000, NegativeKnowledge: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Lacking) != 2 || (r.Lacking[1].After.UnderK.Value > 0) != found ||
			r.Lacking[1].Before.UnderK.Value == 0 {
			t.Errorf("%s: %+v", published, r.Lacking)
		}
	}
}

func idsOf(tree *hierarchy.Tree, line string) (out []int32) {
	for _, label := range strings.Fields(line) {
		u, _ := tree.Node(label)
		out = append(out, u)
	}
	return out
}
