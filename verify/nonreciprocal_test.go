package verify_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/privacy"
	"mingle/release"
	"mingle/verify"
)

// table1 is the original of xue-2012, table 1; table3 its publication.
const table3 = `
{"items":["Jogging","Swimming","Tennis"],"uncertain":["Jogging","Swimming","Soccer"],"threshold":2,"label":"Christian"}
{"items":["Swimming","Tennis","Soccer"],"uncertain":["Jogging","Swimming","Soccer"],"threshold":2,"label":"Buddhist"}
{"items":["Swimming","Tennis","Soccer"],"uncertain":["Jogging","Tennis","Soccer"],"threshold":2,"label":"Muslim"}
{"items":["Jogging","Swimming","Soccer"],"uncertain":["Jogging","Tennis","Soccer"],"threshold":2,"label":"Christian"}
{"items":["Jogging","Swimming"],"uncertain":["Tennis","Soccer"],"threshold":1,"label":"Buddhist"}
{"items":["Jogging","Swimming","Tennis"],"uncertain":["Swimming","Tennis","Soccer"],"threshold":2,"label":"Muslim"}
`

func table1() (*dataset.Dataset, []string) {
	b := dataset.NewBuilder(dataset.MustDictionary([]string{
		"Jogging", "Swimming", "Tennis",
		"Soccer",
	}))
	for _, bitmap := range []string{"1100", "0110", "1101", "0111", "1110", "1011"} {
		var tx []int32
		for i, c := range bitmap {
			if c == '1' {
				tx = append(tx, int32(i))
			}
		}
		b.Add(tx)
	}
	return b.Build(), []string{"Christian", "Christian", "Muslim", "Buddhist", "Buddhist", "Muslim"}
}

func readTable(t *testing.T, text string, d *dataset.Dataset) *release.Nonreciprocal {
	t.Helper()
	p, err := release.ReadNonreciprocal(strings.NewReader(text), d.Dict())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestNonreciprocalWorkedExample(t *testing.T) {
	d, labels := table1()
	for _, promise := range []privacy.Nonreciprocal{{K: 3}, {L: 3}} {
		f, err := verify.Nonreciprocal(t.Context(),
			verify.NonreciprocalInput{
				Original: d, Labels: labels,
				Published: readTable(t, table3, d), Promise: promise,
			})
		if err != nil {
			t.Fatal(err)
		}
		if !f.Holds {
			t.Errorf("%v: table 3 of xue-2012 keeps it, but: %+v", promise, f.Breaches)
		}
	}
	f, err := verify.Nonreciprocal(t.Context(),
		verify.NonreciprocalInput{
			Original: d, Labels: labels, Published: readTable(t, table3, d),
			Promise: privacy.Nonreciprocal{K: 4},
		})
	if err != nil || f.Holds {
		t.Errorf("4-anonymity: %v %v, but r5' has three possible worlds", f.Holds, err)
	}
}

func TestNonreciprocalTellsBreaches(t *testing.T) {
	d, labels := table1()
	for name, c := range map[string]struct{ from, to, kind, say string }{
		"tighter threshold": {
			`"threshold":1,"label":"Buddhist"`,
			`"threshold":0,"label":"Buddhist"`, verify.KindMatches,
			"line 6 is matched by 1 original records",
		},
		"label changed": {
			`"threshold":1,"label":"Buddhist"`, `"threshold":1,"label":"Muslim"`,
			verify.KindLabels, `label "Buddhist" is on -1 records`,
		},
		"line missing": {`{"items":["Jogging","Swimming"],"uncertain":["Tennis","Soccer"],"threshold":1,"label":"Buddhist"}`, "", verify.KindCount, "5 records, the original 6"},
		"foreign item": {
			`{"items":["Jogging","Swimming"],`,
			`{"items":["Jogging","Swimming","Chess"],`, verify.KindMatches,
			"line 6 is matched by 0",
		},
	} {
		p := readTable(t, strings.Replace(table3, c.from, c.to, 1), d)
		f, err := verify.Nonreciprocal(t.Context(),
			verify.NonreciprocalInput{
				Original: d, Labels: labels, Published: p,
				Promise: privacy.Nonreciprocal{L: 3},
			})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		found := false
		for _, b := range f.Breaches {
			found = found || b.Kind == c.kind && strings.Contains(b.Message, c.say)
		}
		if f.Holds || !found {
			t.Errorf("%s: holds %v, breaches %+v, want one of kind %q with %q", name, f.Holds,
				f.Breaches, c.kind, c.say)
		}
	}
}

// possible is the naive twin: every subset of the uncertain items of at most threshold size,
// applied to the base.
func possible(p *release.Nonreciprocal, row int) map[uint32]bool {
	base, uncertain := bitmapOf(p.Base.Tx(row)), p.Uncertain.Tx(row)
	out := map[uint32]bool{}
	for pick := range 1 << len(uncertain) {
		world, changed := base, int32(0)
		for b, it := range uncertain {
			if pick>>b&1 == 1 {
				world ^= 1 << it
				changed++
			}
		}
		if changed <= p.Threshold[row] {
			out[world] = true
		}
	}
	return out
}

func bitmapOf(tx []int32) uint32 {
	var m uint32
	for _, it := range tx {
		m |= 1 << it
	}
	return m
}

// Where too many matches would have to be held they are counted, up to what is asked for, and the
// labels of all records judged together.
func TestNonreciprocalAgainstPossibleWorlds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	dict := dataset.MustDictionary([]string{"a", "b", "c", "d", "e", "f", "g", "h", "i"})
	items := int32(6)
	sets := func(n int, p float64) *dataset.Dataset {
		b := dataset.NewBuilder(dict)
		for range n {
			var tx []int32
			for it := range items {
				if rng.Float64() < p {
					tx = append(tx, it)
				}
			}
			b.Add(tx)
		}
		return b.Build()
	}
	held := 0
	for trial := range 2400 {
		n := 2 + rng.IntN(12)
		if items = 6; trial%40 == 0 { // more than are counted in one go
			n, items = 100+rng.IntN(100), 9
		}
		d := sets(n, 0.4)
		p := &release.Nonreciprocal{Base: sets(n, 0.4), Uncertain: sets(n, 0.7)}
		var labels []string
		for range n {
			p.Threshold = append(p.Threshold, rng.Int32N(items-1))
			labels = append(labels, string(rune('x'+rng.IntN(3))))
		}
		p.Labels = labels
		promise, stop := privacy.Nonreciprocal{L: 2}, 2
		if trial%3 > 0 {
			stop = 2 + rng.IntN(1+n/20)
			promise = privacy.Nonreciprocal{K: stop}
		}
		want, least, leastRow, leastLabels := true, n, n, n
		rows := make([]int, n)
		worlds := make([]map[uint32]bool, n)
		for row := range n {
			worlds[row] = possible(p, row)
		}
		for u := range n {
			count, kinds := 0, map[string]bool{}
			for row := range n {
				if worlds[row][bitmapOf(d.Tx(u))] {
					count++
					rows[row]++
					kinds[labels[row]] = true
				}
			}
			least = min(least, count)
			leastLabels = min(leastLabels, len(kinds))
			want = want && count >= stop && (promise.L == 0 || len(kinds) >= 2)
		}
		for _, c := range rows {
			leastRow = min(leastRow, c)
			want = want && c >= stop
		}
		often := map[string]int{}
		for _, l := range labels {
			often[l]++
			want = want && promise.L*often[l] <= n
		}
		f, err := verify.Nonreciprocal(t.Context(),
			verify.NonreciprocalInput{
				Original: d, Labels: labels, Published: p, Promise: promise,
				MostMatches: -1, Workers: 1 + trial%3,
			})
		if err != nil {
			t.Fatal(err)
		}
		m := f.Matches
		if promise.L == 0 {
			leastLabels = 0 // they are not looked at
		}
		for _, c := range []struct{ counted, is int }{
			{m.LeastRecord, least}, {m.LeastRow, leastRow}, {m.LeastLabels, leastLabels},
		} {
			if min(c.counted, stop) != min(c.is, stop) || c.counted > c.is {
				t.Fatalf("trial %d: %d counted up to %d, of %d\n%+v", trial, c.counted, stop, c.is, m)
			}
		}
		if f.Holds != want {
			t.Fatalf("trial %d: holds %v; by possible worlds %v", trial, f.Holds, want)
		}
		if want {
			held++
		}
	}
	if held == 0 {
		t.Error("no random release kept the promise: nothing was tested")
	}
}

// findTable judges a release, given a line each, of records spelled by their items.
func findTable(
	t *testing.T, promise privacy.Nonreciprocal, records, labels []string, published string,
) *verify.Finding {
	t.Helper()
	dict := dataset.MustDictionary([]string{"a", "b", "c", "d"})
	b := dataset.NewBuilder(dict)
	for _, r := range records {
		var tx []int32
		for _, c := range r {
			tx = append(tx, c-'a')
		}
		b.Add(tx)
	}
	d := b.Build()
	f, err := verify.Nonreciprocal(t.Context(), verify.NonreciprocalInput{
		Original: d, Labels: labels, Published: readTable(t, published, d), Promise: promise,
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Labels that are not published need no assignment, and none is missing.
func TestLabelsThatAreNotPublished(t *testing.T) {
	either := `{"items":["a"],"uncertain":["a","b"],"threshold":2}` + "\n"
	f := findTable(t, privacy.Nonreciprocal{K: 2}, []string{"a", "b"}, []string{"x", "y"},
		either+either)
	if !f.Holds || !f.Matches.Assigned {
		t.Errorf("%+v", f)
	}
}

// A published label that is empty, or another but for blanks, is none of l: of two records with HIV
// and nothing, whoever knows that a person has a label knows it.
func TestLabelsThatHideNobodyBreakTheirPromise(t *testing.T) {
	for _, c := range []struct {
		other, says string
	}{
		{"", "line 2 is empty, which is none"},
		{" ", "line 2 is empty, which is none"},
		{"HIV ", `line 2 is "HIV ", which differs from "HIV" in blanks only`},
		{"hiv", ""},
	} {
		published := ""
		for _, label := range []string{"HIV", c.other} {
			published += `{"items":["a"],"uncertain":[],"threshold":0,"label":"` + label + "\"}\n"
		}
		for _, promise := range []privacy.Nonreciprocal{{L: 2}, {K: 2}} {
			f := findTable(t, promise, []string{"a", "a"}, []string{"HIV", c.other}, published)
			broken := promise.Diverse() && c.says != ""
			if f.Holds == broken || broken && !strings.Contains(f.Breaches[0].Message, c.says) {
				t.Errorf("%q, %v: %+v, want a breach with %q", c.other, promise, f, c.says)
			}
		}
	}
}

// Lines are named in their order in the file, whatever they show.
func TestLinesOfNonreciprocalBreachesAscend(t *testing.T) {
	const b = `{"items":["b"],"uncertain":["a","b"],"threshold":2,"label":"x"}` + "\n"
	const a = `{"items":["a"],"uncertain":["a","b"],"threshold":2,"label":"x"}` + "\n"
	const c = `{"items":["c"],"uncertain":["c"],"threshold":0,"label":"y"}` + "\n"
	for name, x := range map[string]struct {
		records   []string
		published string
		kind      string
	}{
		"three records, two lines": {
			[]string{"a", "b", "ab"}, b + a + c, verify.KindAssignment,
		},
		"two lines, one label": {[]string{"a", "b", "c"}, b + a + c, verify.KindDiversity},
	} {
		f := findTable(t, privacy.Nonreciprocal{L: 2}, x.records, []string{"x", "x", "y"},
			x.published)
		at := slices.IndexFunc(f.Breaches, func(b verify.Breach) bool { return b.Kind == x.kind })
		if at < 0 || !slices.Equal(f.Breaches[at].Lines, []int{1, 2}) {
			t.Errorf("%s: %+v", name, f.Breaches)
		}
	}
}

// As many matches are held as may be, and none more. Of 100 different records and lines each line
// matches its own record; and the 36 that come last match all others, too.
func TestMostMatches(t *testing.T) {
	var records [][]int32
	for i := range 100 {
		var tx []int32
		for it := range int32(7) {
			if i>>it&1 == 1 {
				tx = append(tx, it)
			}
		}
		records = append(records, tx)
	}
	slices.SortFunc(records, slices.Compare)
	dict := dataset.MustDictionary([]string{"a", "b", "c", "d", "e", "f", "g"})
	original, uncertain := dataset.NewBuilder(dict), dataset.NewBuilder(dict)
	p := &release.Nonreciprocal{Threshold: make([]int32, len(records))}
	for i, tx := range records {
		original.Add(tx)
		if i < 64 {
			uncertain.Add(nil)
		} else {
			uncertain.Add([]int32{0, 1, 2, 3, 4, 5, 6})
			p.Threshold[i] = 7
		}
	}
	d := original.Build()
	p.Base, p.Uncertain = d, uncertain.Build()
	const all = 64 + 36*100
	for most, exact := range map[int]bool{
		0: true, all + 1: true, all: true, all - 1: false, -1: false,
	} {
		f, err := verify.Nonreciprocal(t.Context(), verify.NonreciprocalInput{
			Original: d, Published: p, Promise: privacy.Nonreciprocal{K: 3}, MostMatches: most,
			Workers: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		// only its own line can be assigned to the first record; it matches 36 others
		if m := f.Matches; m.Exact != exact || m.Assigned != exact || m.LeastRow != 1 ||
			(m.LeastRecord == 1) != exact {
			t.Errorf("%d may be held: %+v", most, m)
		}
	}
}
