package verify_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/internal/soak"
	"mingle/privacy"
	"mingle/release"
	"mingle/verify"
)

// fromLine makes data of lines of items of one letter each, over the items a to f. A label stands
// after a colon.
func fromLines(lines []string) (*dataset.Dataset, []string) {
	b := dataset.NewBuilder(dataset.MustDictionary(strings.Split("abcdef", "")))
	var labels []string
	for _, line := range lines {
		items, label, _ := strings.Cut(line, ":")
		var tx []int32
		for _, c := range items {
			tx = append(tx, int32(c-'a'))
		}
		b.Add(tx)
		labels = append(labels, label)
	}
	return b.Build(), labels
}

// published makes a release of lines base/uncertain/threshold:label.
func publishedLines(lines []string) *release.Nonreciprocal {
	var base, uncertain []string
	out := &release.Nonreciprocal{}
	for _, line := range lines {
		line, label, _ := strings.Cut(line, ":")
		part := strings.Split(line, "/")
		base, uncertain = append(base, part[0]), append(uncertain, part[1])
		out.Threshold = append(out.Threshold, int32(part[2][0]-'0'))
		out.Labels = append(out.Labels, label)
	}
	out.Base, _ = fromLines(base)
	out.Uncertain, _ = fromLines(uncertain)
	return out
}

// What somebody sees who knows all records, and counting matches one by one does not.
func TestNonreciprocalJudgesAssignments(t *testing.T) {
	for _, c := range []struct {
		name, original, published string
		promise                   privacy.Nonreciprocal
		kind                      string // of the first breach; "": holds
	}{
		{
			"one row only", "a b b c d", "a/ac/2 b/ab/2 b//0 c/cd/2 c/cd/2",
			privacy.Nonreciprocal{K: 2},
			verify.KindMatches,
		},
		{
			"no assignment", "a a a b b", "a/ab/2 a/ab/2 b//0 b//0 b//0",
			privacy.Nonreciprocal{K: 2},
			verify.KindAssignment,
		},
		{
			"labels exchanged", "a:x a:y b:z b:w", "a//0:z a//0:w b//0:x b//0:y",
			privacy.Nonreciprocal{L: 2},
			verify.KindLabels,
		},
		{
			"labels exchanged, by k", "a:x a:y b:z b:w", "a//0:z a//0:w b//0:x b//0:y",
			privacy.Nonreciprocal{K: 2},
			verify.KindLabels,
		},
		{
			"labels kept", "a:x a:y b:z b:w", "a//0:y a//0:x b//0:w b//0:z",
			privacy.Nonreciprocal{L: 2},
			"",
		},
		{
			"a label too often", "a:x a:x a:x a:y", "a//0:x a//0:x a//0:x a//0:y",
			privacy.Nonreciprocal{L: 2},
			verify.KindDiversity,
		},
		{
			"a label too often in a component", "a:x a:x a:y b:z b:w b:v",
			"a//0:x a//0:x a//0:y b//0:z b//0:w b//0:v",
			privacy.Nonreciprocal{L: 2},
			verify.KindDiversity,
		},
	} {
		d, labels := fromLines(strings.Fields(c.original))
		p := publishedLines(strings.Fields(c.published))
		if !strings.Contains(c.original, ":") {
			labels, p.Labels = nil, nil
		}
		f, err := verify.Nonreciprocal(t.Context(), verify.NonreciprocalInput{
			Original: d, Labels: labels, Published: p, Promise: c.promise,
		})
		if err != nil {
			t.Fatal(err)
		}
		if f.Holds != (c.kind == "") || !f.Holds && f.Breaches[0].Kind != c.kind {
			t.Errorf("%s: holds %v, %+v; want a breach of kind %q", c.name, f.Holds, f.Breaches,
				c.kind)
		}
	}
}

// assignments is the naive twin: all permutations of the rows are tried. rows[u] are those that
// record u has in some of them, labelled tells whether one of them keeps all labels.
func assignments(
	p *release.Nonreciprocal, d *dataset.Dataset, labels []string,
) (rows []map[int]bool, labelled bool) {
	n := d.Len()
	worlds := make([]map[uint32]bool, n)
	for row := range n {
		rows = append(rows, map[int]bool{})
		worlds[row] = possible(p, row)
	}
	row := make([]int, 0, n)
	var try func(kept bool)
	try = func(kept bool) {
		u := len(row)
		if u == n {
			labelled = labelled || kept
			for u, r := range row {
				rows[u][r] = true
			}
			return
		}
		for r := range n {
			if !slices.Contains(row, r) && worlds[r][bitmapOf(d.Tx(u))] {
				row = append(row, r)
				try(kept && p.Labels[r] == labels[u])
				row = row[:u]
			}
		}
	}
	try(true)
	return rows, labelled
}

// closedSets lists the sets of rows that are those of as many records in every assignment, and says
// whether a label is on more than 1/l of one.
func overShared(rows []map[int]bool, labels []string, l int) bool {
	n := len(rows)
	for set := 1; set < 1<<n; set++ { // of records
		behind := map[int]bool{}
		size := 0
		for u := range n {
			if set>>u&1 == 1 {
				size++
				for r := range rows[u] {
					behind[r] = true
				}
			}
		}
		if len(behind) != size {
			continue
		}
		often := map[string]int{}
		for r := range behind {
			if often[labels[r]]++; often[labels[r]]*l > size {
				return true
			}
		}
	}
	return false
}

// randomRelease is of records that are drawn first: bases a few items from a record, in a random
// order, mostly with the record's own label.
func randomRelease(rng *rand.Rand) (original, published []string) {
	n := 2 + rng.IntN(5)
	sets, rows := make([]int, n), make([]string, n)
	text := func(set int) (s string) {
		for i := range 6 {
			if set>>i&1 == 1 {
				s += string(rune('a' + i))
			}
		}
		return s
	}
	few := 2 + rng.IntN(3) // items
	for u := range n {
		sets[u] = rng.IntN(1<<few) & rng.IntN(1<<few)
		if u > 0 && rng.IntN(3) == 0 {
			sets[u] = sets[rng.IntN(u)]
		}
		label := string(rune('w' + rng.IntN(3)))
		original = append(original, text(sets[u])+":"+label)
		if rng.IntN(40) == 0 {
			label = "w"
		}
		other := rng.IntN(1<<few) & rng.IntN(1<<few)
		base := sets[u]
		if rng.IntN(2) == 0 {
			base = sets[rng.IntN(u+1)]
		}
		rows[u] = fmt.Sprintf("%s/%s/%d:%s", text(base), text(base^sets[u]|other), rng.IntN(4), label)
	}
	rng.Shuffle(n, func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return original, rows
}

// TestSoakNonreciprocalAgainstAssignments: verdict and counts are those of all permutations.
func TestSoakNonreciprocalAgainstAssignments(t *testing.T) {
	held, none, fewer := 0, 0, 0
	for seed := range soak.Rounds(t, soak.Share(5000, 500_000)) {
		rng := soak.Rand(16, uint64(seed))
		original, published := randomRelease(rng)
		d, labels := fromLines(original)
		p := publishedLines(published)
		rows, labelled := assignments(p, d, labels)
		promise := privacy.Nonreciprocal{K: 2}
		if seed%2 == 1 {
			promise = privacy.Nonreciprocal{L: 2}
		}
		n := d.Len()
		want, least, back := labelled, n, make([]int, n)
		for _, behind := range rows {
			kinds := map[string]bool{}
			for r := range behind {
				back[r]++
				kinds[p.Labels[r]] = true
			}
			least = min(least, len(behind))
			want = want && len(behind) >= 2 && (promise.K > 0 || len(kinds) >= 2)
		}
		want = want && slices.Min(back) >= 2
		want = want && (promise.K > 0 || !overShared(rows, p.Labels, promise.L))
		f, err := verify.Nonreciprocal(t.Context(), verify.NonreciprocalInput{
			Original: d, Labels: labels, Published: p, Promise: promise,
			Workers: 1 + int(seed%3),
		})
		if err != nil {
			t.Fatal(err)
		}
		exists := least > 0
		if f.Holds != want || f.Matches.Assigned != exists || exists &&
			(f.Matches.LeastRecord != least || f.Matches.LeastRow != slices.Min(back)) {
			t.Fatalf("seed %d: %q as %q: %+v\n%+v\nby all permutations: holds %v, least %d, %d",
				seed, original, published, f, f.Matches, want, least, slices.Min(back))
		}
		switch without, _ := verify.Nonreciprocal(t.Context(), verify.NonreciprocalInput{
			Original: d, Labels: labels, Published: p, Promise: promise, MostMatches: -1,
		}); {
		case want:
			held++
		case !exists:
			none++
		case without.Holds:
			fewer++
		}
	}
	t.Logf("%d hold; %d have no assignment; %d hold only by counts", held, none, fewer)
	if held < 20 || none < 20 || fewer < 20 {
		t.Errorf("%d, %d, %d: too few of a kind", held, none, fewer)
	}
}
