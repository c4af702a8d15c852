package dataset

import (
	"fmt"
	"slices"
	"strings"
)

// maxFaults is how many faults are told in full; of more than that only the number.
const maxFaults = 20

// Fault is one thing that is wrong with a file.
type Fault struct {
	Line int // 1-based; 0 where it is of no one line
	Text string
}

// Faults is the error of a file that cannot be read, or of data that cannot be written, as it is.
type Faults struct {
	Name string  // of the file
	List []Fault // the first ones, at most 20
	More int     // how many there are beyond List
}

// Error tells the faults one a line: "name:line: what is wrong".
func (f *Faults) Error() string {
	var b strings.Builder
	for i, one := range f.List {
		if i > 0 {
			b.WriteByte('\n')
		}
		if one.Line > 0 {
			fmt.Fprintf(&b, "%s:%d: %s", f.Name, one.Line, one.Text)
		} else {
			fmt.Fprintf(&b, "%s: %s", f.Name, one.Text)
		}
	}
	if f.More > 0 {
		fmt.Fprintf(&b, "\n%s: and %d more", f.Name, f.More)
	}
	return b.String()
}

// faults collects what is wrong.
type faults struct {
	list []Fault
	more int
}

func (f *faults) addf(line int, format string, args ...any) {
	if len(f.list) == maxFaults {
		f.more++
		return
	}
	f.list = append(f.list, Fault{line, fmt.Sprintf(format, args...)})
}

func (f *faults) any() bool { return len(f.list) > 0 }

// merge appends the faults of a part of the file that begins after line base.
func (f *faults) merge(other *faults, base int) {
	for _, one := range other.list {
		f.addf(base+one.Line, "%s", one.Text)
	}
	f.more += other.more
}

// sort puts the faults in the order of the lines.
func (f *faults) sort() {
	slices.SortStableFunc(f.list, func(a, b Fault) int { return a.Line - b.Line })
}

// err is nil where nothing is wrong.
func (f *faults) err(name string) error {
	if !f.any() {
		return nil
	}
	return &Faults{Name: name, List: f.list, More: f.more}
}

// shown is text from a file, cut to a length that fits a message.
func shown[T string | []byte](text T) string {
	const most = 60
	if s := string(text[:min(len(text), 4*most)]); len(s) > most {
		return fmt.Sprintf("%q...", strings.ToValidUTF8(s[:most], ""))
	}
	return fmt.Sprintf("%q", string(text))
}
