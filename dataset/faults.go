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

// Faults collects what is wrong with a file, or with data that cannot be written. It is the error
// that tells of it; see Err.
type Faults struct {
	Name string  // of the file; "": there is none
	List []Fault // the first ones, at most 20
	More int     // how many there are beyond List

	NoColumns []string // that were asked for and are not there, nor under nearly their names
}

// Error tells the faults one a line, as "name:line: what is wrong".
func (f *Faults) Error() string {
	var b strings.Builder
	for i, one := range f.List {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(f.place(one.Line) + one.Text)
	}
	if f.More > 0 {
		fmt.Fprintf(&b, "\n%sand %d more", f.place(0), f.More)
	}
	return b.String()
}

func (f *Faults) place(line int) string {
	switch {
	case f.Name == "" && line > 0:
		return fmt.Sprintf("line %d: ", line)
	case f.Name == "":
		return ""
	case line > 0:
		return fmt.Sprintf("%s:%d: ", f.Name, line)
	}
	return f.Name + ": "
}

// Addf notes what is wrong on a line, 0 where it is of no one line.
func (f *Faults) Addf(line int, format string, args ...any) {
	if len(f.List) == maxFaults {
		f.More++
		return
	}
	f.List = append(f.List, Fault{max(line, 0), fmt.Sprintf(format, args...)})
}

// Any tells whether something is wrong.
func (f *Faults) Any() bool { return len(f.List) > 0 }

// merge appends the faults of a part of the file that begins after line base.
func (f *Faults) merge(other *Faults, base int) {
	for _, one := range other.List {
		f.Addf(base+one.Line, "%s", one.Text)
	}
	f.More += other.More
	f.NoColumns = append(f.NoColumns, other.NoColumns...)
}

// Err is the faults of the named file in the order of the lines, nil where nothing is wrong.
func (f *Faults) Err(name string) error {
	if !f.Any() {
		return nil
	}
	slices.SortStableFunc(f.List, func(a, b Fault) int { return a.Line - b.Line })
	return &Faults{Name: name, List: f.List, More: f.More, NoColumns: f.NoColumns}
}

// shown is text from a file, cut to a length that fits a message.
func shown[T string | []byte](text T) string {
	const most = 60
	if s := string(text[:min(len(text), 4*most)]); len(s) > most {
		return fmt.Sprintf("%q...", strings.ToValidUTF8(s[:most], ""))
	}
	return fmt.Sprintf("%q", string(text))
}
