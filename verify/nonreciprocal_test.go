package verify_test

import (
	"math/rand/v2"
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
	dict := dataset.MustDictionary([]string{"a", "b", "c", "d", "e", "f"})
	sets := func(n int, p float64) *dataset.Dataset {
		b := dataset.NewBuilder(dict)
		for range n {
			var tx []int32
			for it := range int32(6) {
				if rng.Float64() < p {
					tx = append(tx, it)
				}
			}
			b.Add(tx)
		}
		return b.Build()
	}
	held := 0
	for trial := range 2000 {
		n := 2 + rng.IntN(12)
		d := sets(n, 0.4)
		p := &release.Nonreciprocal{Base: sets(n, 0.4), Uncertain: sets(n, 0.7)}
		var labels []string
		for range n {
			p.Threshold = append(p.Threshold, int32(rng.IntN(5)))
			labels = append(labels, string(rune('x'+rng.IntN(3))))
		}
		p.Labels = labels
		promise := privacy.Nonreciprocal{L: 2}
		want, least, leastRow := true, n, n
		rows := make([]int, n)
		for u := range n {
			count, kinds := 0, map[string]bool{}
			for row := range n {
				if possible(p, row)[bitmapOf(d.Tx(u))] {
					count++
					rows[row]++
					kinds[labels[row]] = true
				}
			}
			least = min(least, count)
			want = want && count >= 2 && len(kinds) >= 2
		}
		for _, c := range rows {
			leastRow = min(leastRow, c)
			want = want && c >= 2
		}
		often := map[string]int{}
		for _, l := range labels {
			often[l]++
			want = want && 2*often[l] <= n
		}
		f, err := verify.Nonreciprocal(t.Context(),
			verify.NonreciprocalInput{
				Original: d, Labels: labels, Published: p, Promise: promise,
				MostMatches: -1, Workers: 1 + trial%3,
			})
		if err != nil {
			t.Fatal(err)
		}
		if least > 2 {
			least = f.Matches.LeastRecord // what there is at least
			if least < 2 {
				t.Fatalf("trial %d: %d matches counted of more than 2", trial, least)
			}
		}
		if leastRow > 2 {
			leastRow = f.Matches.LeastRow
		}
		if f.Holds != want || f.Matches.LeastRecord != least || f.Matches.LeastRow != leastRow {
			t.Fatalf("trial %d: holds %v, least %d and %d; by possible worlds %v, %d and %d",
				trial, f.Holds, f.Matches.LeastRecord, f.Matches.LeastRow, want, least, leastRow)
		}
		if want {
			held++
		}
	}
	if held == 0 {
		t.Error("no random release kept the promise: nothing was tested")
	}
}
