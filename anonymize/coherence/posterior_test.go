package coherence

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/internal/posterior"
	"mingle/internal/soak"
	"mingle/privacy"
)

// lettersOf is the sets of 1 to most of the letters of a text, each as text.
func lettersOf(letters string, most int) []string {
	var out []string
	for mask := 1; mask < 1<<len(letters); mask++ {
		s := ""
		for i := range letters {
			if mask>>i&1 == 1 {
				s += letters[i : i+1]
			}
		}
		if len(s) <= most {
			out = append(out, s)
		}
	}
	return out
}

// public are the public items of a record, which has its private ones in capitals.
func public(record string) string { return strings.TrimRight(record, "ST") }

// TestPosteriorOfCoherenceSoak enumerates all small originals: public items a, b and c, private
// items S and T. The figures stand in docs/threat-model.md.
func TestPosteriorOfCoherenceSoak(t *testing.T) {
	for _, w := range []struct{ records, private int }{{4, 1}, {5, 1}, {4, 2}}[:soak.Share(1, 3)] {
		items := "abcST"[:3+w.private]
		sets := append([]string{""}, lettersOf(items, len(items))...)
		for p := 1; p <= 3; p++ {
			for _, h := range []float64{0.5, 1}[:soak.Share(1, 2)] {
				if !soak.All() && p != 2 {
					continue
				}
				name := fmt.Sprintf("%d records, %d private/p=%d h=%v", w.records, w.private, p, h)
				t.Run(name, func(t *testing.T) {
					var worlds []posterior.World
					posterior.Multisets(len(sets), w.records, func(chosen []int) {
						var original []string
						for _, c := range chosen {
							original = append(original, sets[c])
						}
						world, ok := worldOf(t, original, privacy.Coherence{H: h, K: 2, P: p})
						if ok {
							worlds = append(worlds, world)
						}
					})
					judge(t, worlds, p, h)
				})
			}
		}
	}
}

// judge enumerates what is known of the worlds: by somebody who knows published items, or any.
func judge(t *testing.T, worlds []posterior.World, p int, h float64) {
	for _, known := range []string{"published", "any"} {
		r := posterior.Enumerate(worlds, knowledge(known == "published", p), 2, h)
		if r.Under > 0 || known == "published" && r.Over > 0 {
			t.Errorf("with %s items known somebody keeps fewer than k candidates, "+
				"or a private item is over h", known)
		}
		t.Logf("%s items known: %.0f originals; %.3f %% with somebody under k, fewest %d: "+
			"%q as %q, suppressed %s, knowing %s",
			known, r.Originals, 100*r.Share(r.Under), r.Fewest,
			r.Example.Records, r.Example.Lines, r.Example.Seen, r.Known)
		t.Logf("%.3f %% with a private item over h, at most %.3f: %q, %s",
			100*r.Share(r.Over), r.Likeliest, r.Inferred.Records, r.Told)
	}
}

// knowledge is of up to p public items, of any or only of those that are published. What is known
// but published nowhere is marked, for the set of published items is part of the release.
func knowledge(onlyPublished bool, p int) posterior.Knowledge {
	return posterior.Knowledge{
		Known: func(record string) []string {
			letters := public(record)
			if i := strings.IndexByte(record, '/'); i >= 0 {
				letters = record[:i]
				if onlyPublished {
					letters = record[i+1:]
				}
			}
			return append([]string{""}, lettersOf(strings.TrimRight(letters, "ST"), p)...)
		},
		Secret: func(record string) []string {
			var out []string
			full, _, _ := strings.Cut(record, "/")
			for _, s := range full[len(public(full)):] {
				out = append(out, string(s))
			}
			return out
		},
	}
}

// worldOf publishes an original; ok is false where no suppression of public items helps. A record
// is spelt with what is published of it behind a slash, which the line says anyway.
func worldOf(
	t *testing.T, original []string, promise privacy.Coherence,
) (w posterior.World, ok bool) {
	t.Helper()
	var labels [][]string
	for _, rec := range original {
		labels = append(labels, strings.Split(rec, ""))
	}
	in := Input{Data: dataset.FromLabels(labels), Promise: promise, NuggetSupport: 1, Workers: 1}
	for _, label := range in.Data.Dict().Labels() {
		in.Private = append(in.Private, label == "S" || label == "T")
	}
	r, err := Anonymize(t.Context(), in)
	var infeasible *privacy.Infeasible
	if errors.As(err, &infeasible) {
		return w, false
	}
	if err != nil {
		t.Fatalf("%q: %v", original, err)
	}
	gone := spelt(in.Data, r.Release.Items)[0]
	w.Seen = strings.Join(slices.Sorted(slices.Values(strings.Split(gone, ""))), "")
	for _, rec := range original {
		line := strings.Map(func(c rune) rune {
			if strings.ContainsRune(w.Seen, c) {
				return -1
			}
			return c
		}, rec)
		w.Records, w.Lines = append(w.Records, rec+"/"+line), append(w.Lines, line)
	}
	return w, true
}
