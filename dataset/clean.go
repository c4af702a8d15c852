package dataset

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"mingle/internal/limits"
)

// Cleaning says what is done to items as they are read. What it changes is counted in notes: items
// that become the same one are one from then on. A hierarchy and lists of items must have them as
// they are afterwards.
type Cleaning struct {
	Trim  bool     // take blanks off both ends
	Fold  bool     // make all letters small
	Codes bool     // take items for codes: large letters, neither blanks nor dots
	Null  []string // items that stand for no value
}

// CleaningHelp names what can be done.
const CleaningHelp = "trim (blanks at both ends), fold (capital letters to small ones), codes " +
	"(small letters to capital ones, without blanks and dots: v30.00 is V3000)"

// ParseCleaning reads the names of what is to be done, and the items that stand for no value.
func ParseCleaning(rules, null []string) (Cleaning, error) {
	c := Cleaning{Null: null}
	for _, rule := range rules {
		switch strings.ToLower(strings.TrimSpace(rule)) {
		case "trim":
			c.Trim = true
		case "fold":
			c.Fold = true
		case "codes":
			c.Codes = true
		default:
			return c, fmt.Errorf("%q is not known: it must be some of %s", rule, CleaningHelp)
		}
	}
	return c, nil
}

// Encodings are the names of the encodings that text can be in.
func Encodings() []string { return limits.Encodings() }

func (c Cleaning) any() bool { return c.Trim || c.Fold || c.Codes || len(c.Null) > 0 }

// check notes what contradicts itself.
func (c Cleaning) check(bad *Faults) {
	if c.Fold && c.Codes {
		bad.Addf(0, "--clean fold makes all letters small, and codes large: choose one")
	}
}

// A rule changes labels; what it does is said of so many items in so many places.
type rule struct {
	on    bool
	apply func(string) string
	says  string
	items int
	count int
}

func (c Cleaning) rules() []rule {
	return []rule{
		{on: c.Trim, apply: strings.TrimSpace, says: "had blanks before or after, which were cut"},
		{on: c.Fold, apply: strings.ToLower, says: "had capital letters, which were made small"},
		{on: c.Codes, apply: asCode, says: "became codes, with capital letters and without blanks and " +
			"dots"},
	}
}

// asCode spells a code.
func asCode(label string) string {
	return strings.Map(func(r rune) rune {
		if r == '.' || unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToUpper(r)
	}, label)
}

// cleaned is the dataset with its items changed, and notes of what was.
func (d *Dataset) cleaned(c Cleaning) *Dataset {
	supports := d.Supports()
	rules := c.rules()
	labels := make([]string, d.dict.Len())
	absent := rule{}
	for it, label := range d.dict.labels {
		for i := range rules {
			r := &rules[i]
			if !r.on {
				continue
			}
			if after := r.apply(label); after != label {
				r.items, r.count, label = r.items+1, r.count+supports[it], after
			}
		}
		if label == "" || slices.Contains(c.Null, label) || slices.Contains(c.Null, d.dict.labels[it]) {
			absent.items, absent.count, label = absent.items+1, absent.count+supports[it], ""
		}
		labels[it] = label
	}
	out := d.relabelled(labels)
	out.Notes, out.Repeats, out.Surplus = d.Notes, d.Repeats, d.Surplus
	for _, r := range rules {
		if r.items > 0 {
			out.Notes = append(out.Notes, fmt.Sprintf("%s, in %s, %s", plural(r.items, "item"),
				plural(r.count, "place"), r.says))
		}
	}
	places := ", in " + plural(absent.count, "place")
	out.note(absent.items, "1 item that stands for no value was left out"+places,
		"%d items that stand for no value were left out"+places)
	if c.any() {
		out.note(d.dict.Len()-out.dict.Len()-absent.items, "1 item became one with another",
			"%d items became one with another")
	}
	return out
}

// plural counts things.
func plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// relabelled is the dataset with other labels: equal ones are one item, "" is none.
func (d *Dataset) relabelled(labels []string) *Dataset {
	kept := slices.DeleteFunc(slices.Clone(labels), func(l string) bool { return l == "" })
	slices.SortFunc(kept, CompareLabels)
	kept = slices.Compact(kept)
	at := make(map[string]int32, len(kept))
	for i, l := range kept {
		at[l] = int32(i)
	}
	to := make([]int32, len(labels))
	for it, l := range labels {
		if id, is := at[l]; is {
			to[it] = id
		} else {
			to[it] = -1
		}
	}
	out := d.Recode(&Dictionary{labels: kept}, to)
	out.layout = d.layout
	return out
}
