package pipeline

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"unicode/utf8"

	"mingle/dataset"
	"mingle/internal/limits"
	"mingle/verify"
)

// ReadItems reads a list of items, one a line, of at most 64 MiB. A line is an item as it stands,
// with its blanks, but for its end (LF or CRLF) and a byte-order mark, and has at most 64 KiB, as a
// label of a hierarchy. Empty lines and repeats do no harm.
func ReadItems(r io.Reader, name string) ([]string, error) {
	text, err := limits.All(r, limits.MaxList, "a list of items")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	const maxLabel = 1 << 16
	bad := dataset.Faults{Name: name}
	seen := map[string]bool{}
	for line := 1; len(text) > 0; line++ {
		var item []byte
		item, text, _ = bytes.Cut(text, []byte("\n"))
		if item = bytes.TrimSuffix(item, []byte("\r")); !utf8.Valid(item) {
			noteFault(&bad, line, "broken UTF-8: save the file as UTF-8")
		} else if len(item) > maxLabel {
			noteFault(&bad, line, fmt.Sprintf("the item %.20q... has more than %s: is this a list "+
				"with an item a line?", item, limits.Bytes(maxLabel)))
		} else if len(item) > 0 && !seen[string(item)] {
			seen[string(item)] = true
		}
	}
	if len(bad.List) > 0 {
		return nil, &bad
	}
	if len(seen) == 0 {
		return nil, fmt.Errorf("%s: the list of items is empty: give one item a line", name)
	}
	return slices.SortedFunc(maps.Keys(seen), dataset.CompareLabels), nil
}

// itemList is a list of sensitive or private items, as it was read from a file.
type itemList struct {
	file  string
	kind  string // what its items are called: "sensitive", "private"
	items []string
}

// of holds the list against the items of data. An item that is not listed and differs from a listed
// one only in the blanks around it would go unprotected without a word, so it is an error. note
// says how many items of the list do not occur, "" where all do.
func (l itemList) of(data *dataset.Dictionary) (note string, err error) {
	absent := 0
	for _, item := range l.items {
		if _, occurs := data.ID(item); !occurs {
			absent++
		}
	}
	faults := dataset.Misspelt(data, l.items)
	if absent > 0 {
		note = fmt.Sprintf("%d of the %d %s items of the list do not occur in the data",
			absent, len(l.items), l.kind)
	}
	return note, faults.Err(name(l.file))
}

// almost are notes on items of data that are not listed, and that a reader may take for a listed
// one: they are as any other.
func (l itemList) almost(data *dataset.Dictionary) (notes []string) {
	listed, folded := map[string]bool{}, map[string]string{}
	for _, item := range l.items {
		listed[item], folded[dataset.Folded(item)] = true, item
	}
	for _, item := range data.Labels() {
		if one, is := folded[dataset.Folded(item)]; is && !listed[item] {
			here, there := dataset.Apart(item, one)
			notes = append(notes, fmt.Sprintf("the data have %s beside %s, which is listed as %s: "+
				"if they are one, list both, or write them alike", here, there, l.kind))
		}
	}
	return shortened(notes, "such items")
}

// shortened are the first notes, and how many more there are.
func shortened(notes []string, what string) []string {
	const most = 20
	if more := len(notes) - most; more > 0 {
		notes = append(notes[:most], fmt.Sprintf("and %d more %s", more, what))
	}
	return notes
}

// noted adds a note to a finding; "": none.
func noted(note string) func(*verify.Finding, error) (*verify.Finding, error) {
	return func(f *verify.Finding, err error) (*verify.Finding, error) {
		if err == nil && note != "" {
			f.Notes = append(f.Notes, note)
		}
		return f, err
	}
}

// noteFault adds a fault, of which the first 20 are told.
func noteFault(bad *dataset.Faults, line int, why string) {
	if len(bad.List) == 20 {
		bad.More++
		return
	}
	bad.List = append(bad.List, dataset.Fault{Line: line, Text: why})
}
