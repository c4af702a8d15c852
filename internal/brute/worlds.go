package brute

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/privacy"
)

// Worlds are all originals of a number of lines, each a set of leaves of a tree, every ordered list
// of lines once and equally likely. They are what an adversary who runs the algorithm in mind has
// to choose from.
type Worlds struct {
	Tree    *hierarchy.Tree
	Lines   int
	Promise privacy.KM
	// Ordered runs the algorithm on every ordered list of lines. Without it the algorithm runs on
	// every multiset once, which is sound for an algorithm that publishes reordered lines as it
	// published them, in the new order: then identical published lines can be exchanged, and a list
	// counts as often as it has orders.
	Ordered bool
	// Empty has lines of no leaf, too; else each has one at least.
	Empty bool
	// Secret has one sensitive item in some lines, none, or all, each equally likely, too; it is
	// published as it is.
	Secret bool
}

// Original is an original, whose items are leaves of a tree, and which of its lines have the
// sensitive item: nil where there is none.
type Original struct {
	*dataset.Dataset
	Secret []bool
}

// Outcome is what may be published of an original, and how likely that is.
type Outcome struct {
	Published   *dataset.Dataset // items are nodes of the tree, line by line
	Probability float64          // over the algorithm's secret randomness; more than 0
}

// Publisher is an algorithm as the adversary runs it in mind: all that may be published of an
// original; none if it is refused.
type Publisher func(o Original) []Outcome

// Exposure is what the adversary concludes, over all worlds.
type Exposure struct {
	Originals int // all ordered originals of which something is published
	Releases  int // that are published of some original, up to the order of the lines
	// Short is the share of the originals (with randomness: of original and outcome together) in
	// which for some knowledge J of somebody fewer than k lines contain J in any original that may
	// be published the same.
	Short float64
	// Told is the same share in which one of these lines publishes something.
	Told float64
	// Over is the same share in which for some J more than 1/l of these lines have the sensitive
	// item.
	Over float64
	// Posterior is the largest probability, over all releases and all J, that one line is that of
	// the person of whom J is known, where originals and lines are equally likely before.
	Posterior float64
	// Secret is the largest probability that the person has the sensitive item.
	Secret  float64
	Witness string // of the first release that tells too much; "": there is none
}

func (e Exposure) String() string {
	told, secret := "", ""
	if e.Told < e.Short {
		told = fmt.Sprintf(" (%.4f %% but for who publishes nothing)", 100*e.Told)
	}
	if e.Secret > 0 {
		secret = fmt.Sprintf(", of the sensitive item %.4f, %.4f %% with a share over 1/l", e.Secret,
			100*e.Over)
	}
	return fmt.Sprintf("%d originals, %d releases: %.4f %% with fewer than k candidates%s, largest "+
		"posterior %.4f%s%s", e.Originals, e.Releases, 100*e.Short, told, e.Posterior, secret,
		e.Witness)
}

// Expose enumerates the worlds and groups them by what is published.
//
// With J known, the candidates in a release are the lines that contain J in some original of its
// group. Without Ordered a line is looked at with all that are published like it: if one of them
// contains J in some original, each of them does in the same original with the lines exchanged.
func (w Worlds) Expose(publish Publisher) Exposure {
	groups, names := map[string]*group{}, []string(nil)
	var e Exposure
	w.Each(func(lines [][]int32, secret []bool, orders int) {
		outcomes := publish(Original{Data(w.Tree, lines), secret})
		if len(outcomes) > 0 {
			e.Originals += orders
		}
		for _, o := range outcomes {
			at := w.match(lines, secret, o.Published)
			g := groups[at.name]
			if g == nil {
				g = &group{sizes: at.sizes, secret: at.secret, empty: at.empty}
				groups[at.name], names = g, append(names, at.name)
			}
			g.worlds = append(g.worlds, world{at.lines, float64(orders) * o.Probability})
		}
	})
	slices.Sort(names)
	e.Releases = len(names)
	for _, name := range names {
		g := groups[name]
		witness := g.judge(w, &e)
		if witness != "" && e.Witness == "" {
			e.Witness = fmt.Sprintf("; %s is known of a line of %s", witness, w.spell(name))
		}
	}
	for _, share := range []*float64{&e.Short, &e.Told, &e.Over} {
		*share /= float64(max(1, e.Originals))
	}
	return e
}

// Each calls f with every original, or without Ordered with one order of each and the number of its
// orders. Without Secret no line is said to have the sensitive item: secret is nil.
func (w Worlds) Each(f func(lines [][]int32, secret []bool, orders int)) {
	sets := Lines(w.Tree)
	if w.Empty {
		sets = append([][]int32{nil}, sets...)
	}
	kinds := len(sets)
	if w.Secret {
		kinds *= 2 // without the sensitive item, and with it
	}
	at := make([]int, w.Lines)
	var rec func(i, from int)
	rec = func(i, from int) {
		if i == w.Lines {
			lines, secret := make([][]int32, w.Lines), []bool(nil)
			for j, s := range at {
				lines[j] = sets[s%len(sets)]
				if w.Secret {
					secret = append(secret, s >= len(sets))
				}
			}
			orders := 1
			if !w.Ordered {
				orders = arrangements(at)
			}
			f(lines, secret, orders)
			return
		}
		for s := from; s < kinds; s++ {
			at[i] = s
			if w.Ordered {
				rec(i+1, 0)
			} else {
				rec(i+1, s)
			}
		}
	}
	rec(0, 0)
}

// arrangements is the number of orders of an ascending list.
func arrangements(list []int) int {
	n, run := 1, 0
	for i := range list {
		if i > 0 && list[i] == list[i-1] {
			run++
		} else {
			run = 1
		}
		n = n * (i + 1) / run
	}
	return n
}

// Lines are all sets of one or more leaves, ascending.
func Lines(t *hierarchy.Tree) [][]int32 {
	var out [][]int32
	for bits := 1; bits < 1<<t.Leaves(); bits++ {
		var set []int32
		for leaf := range int32(t.Leaves()) {
			if bits>>leaf&1 == 1 {
				set = append(set, leaf)
			}
		}
		out = append(out, set)
	}
	return out
}

// Data makes data of lines of leaves.
func Data(t *hierarchy.Tree, lines [][]int32) *dataset.Dataset {
	b := dataset.NewBuilder(t.LeafDict())
	for _, tx := range lines {
		b.Add(tx)
	}
	return b.Build()
}

// group is the originals of one release. A place is a line of the release, or without Ordered all
// lines that are published the same.
type group struct {
	sizes  []int  // by place: its lines
	secret []bool // by place: they have the sensitive item
	empty  []bool // by place: they publish nothing
	worlds []world
}

// world is an original: the lines at each place, and how likely it is, in originals.
type world struct {
	lines  [][][]int32
	weight float64
}

// matched is a release by name, and an original laid out by its places.
type matched struct {
	name   string
	sizes  []int
	secret []bool
	empty  []bool
	lines  [][][]int32
}

func (w Worlds) match(original [][]int32, secret []bool, published *dataset.Dataset) matched {
	has := func(i int) int {
		if secret != nil && secret[i] {
			return 1
		}
		return 0
	}
	compare := func(a, b int) int {
		return cmp.Or(slices.Compare(published.Tx(a), published.Tx(b)), has(a)-has(b))
	}
	order := make([]int, len(original))
	for i := range order {
		order[i] = i
	}
	if !w.Ordered {
		slices.SortStableFunc(order, compare)
	}
	var m matched
	var name strings.Builder
	for n, i := range order {
		if w.Ordered || n == 0 || compare(i, order[n-1]) != 0 {
			m.sizes, m.lines = append(m.sizes, 0), append(m.lines, nil)
			m.secret = append(m.secret, has(i) > 0)
			m.empty = append(m.empty, len(published.Tx(i)) == 0)
		}
		last := len(m.sizes) - 1
		m.sizes[last]++
		m.lines[last] = append(m.lines[last], original[i])
		for _, u := range published.Tx(i) {
			name.WriteRune('0' + u)
		}
		if has(i) > 0 {
			name.WriteRune(withSecret)
		}
		name.WriteRune(' ')
	}
	m.name = name.String()
	return m
}

// withSecret marks a line with the sensitive item in the name of a release.
const withSecret = '!'

// judge adds to the exposure how many originals of the group have a person with fewer than k
// candidates, or with more than 1/l of them with the sensitive item, and tells what is known of
// one. It raises the posteriors.
func (g *group) judge(w Worlds, e *Exposure) (witness string) {
	known := Lines(w.Tree)
	known = slices.DeleteFunc(known, func(set []int32) bool { return len(set) > w.Promise.M })
	var rare, told, frequent []bool // by what is known
	for n, set := range known {
		lines, secret, says, all, secretly := 0, 0, false, 0.0, 0.0
		mass := make([]float64, len(g.sizes))
		for _, o := range g.worlds {
			for p, there := range o.lines {
				mass[p] += o.weight * float64(count(there, set))
			}
		}
		for p, m := range mass {
			if all += m; m > 0 {
				lines, says = lines+g.sizes[p], says || !g.empty[p]
				if g.secret[p] {
					secret, secretly = secret+g.sizes[p], secretly+m
				}
			}
		}
		for p, m := range mass {
			if m > 0 {
				e.Posterior = max(e.Posterior, m/float64(g.sizes[p])/all)
			}
		}
		if secretly > 0 {
			e.Secret = max(e.Secret, secretly/all)
		}
		rare = append(rare, lines > 0 && lines < w.Promise.K)
		told = append(told, rare[n] && says)
		frequent = append(frequent, secret*w.Promise.L > lines)
		if witness == "" && (told[n] || frequent[n]) {
			witness = fmt.Sprint(labels(w.Tree, set))
		}
	}
	e.Short += g.weightWith(known, rare)
	e.Told += g.weightWith(known, told)
	e.Over += g.weightWith(known, frequent)
	return witness
}

// weightWith is how much of the group has a person of whom one of some sets is known.
func (g *group) weightWith(known [][]int32, some []bool) (weight float64) {
	for _, o := range g.worlds {
		all := slices.Concat(o.lines...)
		for n, set := range known {
			if some[n] && count(all, set) > 0 {
				weight += o.weight
				break
			}
		}
	}
	return weight
}

// count is the number of lines that contain a set.
func count(lines [][]int32, set []int32) int {
	n := 0
	for _, tx := range lines {
		if contains(tx, set) {
			n++
		}
	}
	return n
}

func labels(t *hierarchy.Tree, nodes []int32) []string {
	out := make([]string, len(nodes))
	for i, u := range nodes {
		out[i] = t.Label(u)
	}
	return out
}

// spell is a release in labels.
func (w Worlds) spell(name string) string {
	var s strings.Builder
	for _, c := range name {
		switch c {
		case ' ':
			s.WriteString(" |")
		case withSecret:
			s.WriteString(" (secret)")
		default:
			s.WriteString(" " + w.Tree.Label(c-'0'))
		}
	}
	return s.String()
}

// SmallTrees are the trees the worlds are enumerated on: flat and deep, even and ragged, with
// groups of one.
func SmallTrees() []*hierarchy.Tree {
	var out []*hierarchy.Tree
	for _, paths := range [][]string{
		{"a1 A *", "a2 A *", "b B *"},
		{"a1 A *", "a2 A *", "b *"},
		{"a *", "b *", "c *"},
		{"a1 B A *", "a2 B A *", "c A *"},
		{"a1 A *", "a2 A *", "b1 B *", "b2 B *"},
		{"a1 B A *", "a2 B A *", "c A *", "d *"},
		{"a1 A *", "a2 A *", "a3 A *", "b *"},
	} {
		b := hierarchy.NewBuilder()
		for _, p := range paths {
			if err := b.Path(strings.Fields(p), 0); err != nil {
				panic(err)
			}
		}
		t, err := b.Build(hierarchy.BuildOptions{})
		if err != nil {
			panic(err)
		}
		out = append(out, t)
	}
	return out
}
