package dataset

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Plain rows and arrays are read by a fast path, all others by the general one. The same data,
// plain, quoted and mixed, read the same.
func TestFastPaths(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	words := []string{"1", "12", "1234567", "007x", "a", "milk", "b b", "é", "-"}
	for range 300 {
		var pairs [][2]string
		for tx := range 1 + rng.IntN(4) {
			for range 1 + rng.IntN(5) {
				pairs = append(
					pairs,
					[2]string{fmt.Sprint("t", tx/2+rng.IntN(2)), words[rng.IntN(len(words))]},
				)
			}
		}
		var rows [3]strings.Builder
		var objects [3]strings.Builder
		for form, share := range []float64{0, 0.5, 1} {
			rows[form].WriteString("tid,item\n")
			for _, p := range pairs {
				rows[form].WriteString(
					quotedCSV(
						rng, share, p[0],
					) + "," + quotedCSV(
						rng, share, p[1],
					) + []string{"\n", "\r\n"}[rng.IntN(2)],
				)
			}
			for at := 0; at < len(pairs); at += 3 {
				objects[form].WriteString(`{"n":[1],"items":[`)
				for i, p := range pairs[at:min(at+3, len(pairs))] {
					if i > 0 {
						objects[form].WriteString([]string{",", " , "}[rng.IntN(2)])
					}
					objects[form].WriteString(escapedJSON(rng, share, p[1]))
				}
				objects[form].WriteString("]}\n")
			}
		}
		for _, texts := range [][3]strings.Builder{rows, objects} {
			var want [][]string
			for form := range texts {
				opts := Options{Format: Long}
				if texts[form].String()[0] == '{' {
					opts.Format = JSONL
				}
				d, err := Read(t.Context(), strings.NewReader(texts[form].String()), opts)
				if err != nil {
					t.Fatalf("%v\n%s", err, texts[form].String())
				}
				var got [][]string
				for i := range d.Len() {
					got = append(got, d.Labels(i))
				}
				if form == 0 {
					want = got
				} else if !slices.EqualFunc(want, got, slices.Equal[[]string]) {
					t.Fatalf("%v, but\n%s\nis %v", want, texts[form].String(), got)
				}
			}
		}
	}
}

// quotedCSV quotes a field, in a share of the cases.
func quotedCSV(rng *rand.Rand, share float64, text string) string {
	if rng.Float64() < share {
		return `"` + text + `"`
	}
	return text
}

// escapedJSON is a string whose first character is written as an escape, in a share of the cases.
func escapedJSON(rng *rand.Rand, share float64, text string) string {
	if rng.Float64() < share {
		r := []rune(text)
		return fmt.Sprintf(`"\u%04x%s"`, r[0], string(r[1:]))
	}
	if _, err := strconv.Atoi(text); err == nil && rng.IntN(2) == 0 && text != "-" {
		return text
	}
	return `"` + text + `"`
}
