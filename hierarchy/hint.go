package hierarchy

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"mingle/dataset"
)

// spelling is another way to write codes.
type spelling struct {
	says string // "item ... would be there if ..."
	as   func(label string) string
}

// spellings are tried in this order; codes of diagnoses are why there are that many.
var spellings = []spelling{
	{"without the blanks around them", strings.TrimSpace},
	{"with composed letters (NFC), which look the same", norm.NFC.String},
	{"with letters and accents apart (NFD), which look the same", norm.NFD.String},
	{"in small letters", strings.ToLower},
	{"in capital letters", strings.ToUpper},
	{"without their dots", undotted},
	{"without their leading zeros", unpadded},
	{"cut to their first 3 characters", cutTo3},
	{"cut to their first 3 characters, without leading zeros", func(label string) string {
		return unpadded(cutTo3(undotted(label)))
	}},
	{"cut to their first 4 characters", func(label string) string { return first(undotted(label), 4) }},
}

func undotted(label string) string { return strings.ReplaceAll(label, ".", "") }

// unpadded is a label without its leading zeros, "0" where it has nothing else.
func unpadded(label string) string {
	if cut := strings.TrimLeft(label, "0"); cut != "" || label == "" {
		return cut
	}
	return "0"
}

func cutTo3(label string) string { return first(undotted(label), 3) }

// first is the first n characters of a label.
func first(label string, n int) string {
	for at := range label {
		if n--; n < 0 {
			return label[:at]
		}
	}
	return label
}

// hint says in which other spelling most of the missing items would be leaves; "": in none that is
// known. By eye "a " and "a", 038 and 38 are hard to tell apart.
func (t *Tree) hint(missing []MissingItem) string {
	best, how := 0, spelling{}
	for _, s := range spellings {
		found := 0
		for _, m := range missing {
			label := s.as(m.Label)
			if u, ok := t.Node(label); ok && t.IsLeaf(u) && label != m.Label {
				found++
			}
		}
		if found > best {
			best, how = found, s
		}
	}
	if 2*best < len(missing) || best == 0 {
		return ""
	}
	for _, m := range missing {
		label := how.as(m.Label)
		if u, ok := t.Node(label); ok && t.IsLeaf(u) {
			return fmt.Sprintf("%d of these %d items would be in the hierarchy %s, such as %s for %s",
				best, len(missing), how.says, shown(label, m.Label), shown(m.Label, label))
		}
	}
	return ""
}

// shown is a label in quotes; one that looks like the other has what is not ASCII as \u escapes.
func shown(label, other string) string {
	if norm.NFC.String(label) == norm.NFC.String(other) {
		return strconv.QuoteToASCII(label)
	}
	return strconv.Quote(label)
}

// hintAtTable says below all faults that the text may be a table, where its first line looks like
// the names of columns: read as a tree, an item and a group of one name in it are one node.
func (s *source) hintAtTable() {
	if !s.bad.Any() || len(s.opts.Columns) > 0 {
		return
	}
	if f := s.opts.Format; f == JSON || f == Amnesia || f == "" && s.isMarked() {
		return
	}
	for line, header := range s.plainRecords() {
		header, names := unpaddedCells(header), 0
		for _, label := range header {
			if isLevelName(label) {
				names++
			}
		}
		if names < 2 || len(header) == 2 && isPairsHeader(header) {
			return
		}
		from := max(0, len(header)-3) // columns of numbers and codes come before
		s.bad.List = append(s.bad.List, dataset.Fault{Line: line, Text: fmt.Sprintf(
			"this line looks like the names of columns: if the file is a table, name those that "+
				"are the tree, from the item up, with --hierarchy-columns, such as "+
				"--hierarchy-columns %q", strings.Join(header[from:], ","))})
		return
	}
}

// isMarked tells whether the text is of a layout that says so itself.
func (s *source) isMarked() bool {
	found := s.detect()
	return found == JSON || found == Amnesia
}
