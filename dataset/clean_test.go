package dataset

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCleaning(t *testing.T) {
	text := " a ,B;c\n" + "a,NA\n" + "v30.00,V3000\n" + "\" \",b\n"
	opts := Options{
		Format: Basket,
		Clean:  Cleaning{Trim: true, Fold: true, Null: []string{"na", "NA"}},
	}
	d := mustRead(t, text, opts)
	diff(t, "sets", [][]string{{"a", "b;c"}, {"a"}, {"v30.00", "v3000"}, {"b"}}, sets(d))
	diff(t, "notes", []string{
		"1 item, in 1 place, had blanks before or after, which were cut",
		"3 items, in 3 places, had capital letters, which were made small",
		"2 items that stand for no value were left out, in 2 places",
	}, d.Notes)
	opts.Clean = Cleaning{Codes: true}
	d = mustRead(t, text, opts)
	diff(t, "codes", [][]string{{"A", "B;C"}, {"A", "NA"}, {"V3000"}, {"B"}}, sets(d))
	if !slices.Contains(d.Notes, "1 item became one with another") {
		t.Errorf("notes %q", d.Notes)
	}
	opts.Clean.Fold = true
	if _, err := readText(text, opts); err == nil {
		t.Error("fold and codes contradict each other")
	}
	if _, err := ParseCleaning([]string{"wash"}, nil); err == nil {
		t.Error("a rule that is not known was taken")
	}
}

// Cleaning at the end is the same as cleaning each item before, in plain and in packed data.
func TestCleaningAgainstItsTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDataset(t)
		c := Cleaning{
			Trim: rapid.Bool().Draw(t, "trim"), Codes: rapid.Bool().Draw(t, "codes"),
			Null: rapid.SampledFrom([][]string{nil, {"a"}, {"7", ""}}).Draw(t, "null"),
		}
		clean := func(label string) string {
			was := label
			if c.Trim {
				label = strings.TrimSpace(label)
			}
			if c.Codes {
				label = asCode(label)
			}
			if slices.Contains(c.Null, label) || slices.Contains(c.Null, was) {
				return ""
			}
			return label
		}
		var txs [][]string
		for _, set := range sets(d) {
			var tx []string
			for _, label := range set {
				if l := clean(label); l != "" {
					tx = append(tx, l)
				}
			}
			txs = append(txs, tx)
		}
		want := sets(FromLabels(txs))
		for _, from := range []*Dataset{d, d.Pack()} {
			if got := sets(from.cleaned(c)); !slices.EqualFunc(got, want, slices.Equal) {
				t.Fatalf("%+v: %q became %q, want %q", c, sets(d), got, want)
			}
		}
	})
}

func TestEncodingIsShown(t *testing.T) {
	d := mustRead(t, "\xe4pfel,\xdf\n", Options{Format: Basket, Encoding: "latin-1"})
	diff(t, "sets", [][]string{{"ß", "äpfel"}}, sets(d))
	diff(t, "notes", []string{"the text was read as latin-1"}, d.Notes)
	d = mustRead(t, "\xff\xfea\x00\n\x00", Options{Format: Fimi})
	diff(t, "notes", []string{"the text is in utf-16le, as its first bytes say, and was read as that"},
		d.Notes)
	_, err := readText("a\n\x81\n", Options{Format: Fimi, Encoding: "windows-1252", Name: "f"})
	diff(t, "error", "f: line 2: byte 0x81 is no character of windows-1252: is it another encoding?",
		err.Error())
}
