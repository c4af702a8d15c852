package split

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"mingle/dataset"
)

// An engine cuts files into parts, and says of each line which file and part it is of, but not
// which line it is. So the lines of all parts are counted first; then every part knows the number
// of its first line. Numbers do not depend on how files are cut.

// Numbering says of each part of some files which lines it has.
type Numbering struct {
	Files []string `json:"files"` // as PlainPath spells them
	Parts []Part   `json:"parts"` // in the order of their lines
}

// Part is a part of a file.
type Part struct {
	File  int   `json:"file"` // of Files
	Place int64 `json:"place"`
	First int64 `json:"first"` // the number of its first line, among those of its group of files
	Lines int64 `json:"lines"`
}

// PlainPath is a path as engines spell it, with one or three slashes behind the scheme.
func PlainPath(path string) string {
	scheme, rest, has := strings.Cut(path, ":")
	if !has || strings.Contains(scheme, "/") {
		return path
	}
	if under, ok := strings.CutPrefix(rest, "///"); ok {
		rest = "/" + under
	}
	if scheme == "file" {
		return rest
	}
	return scheme + ":" + rest
}

// CountLines writes, for each part of the lines of r, which have their file and place before them,
// these and how many lines it has, and the version of the program, with tabs between.
func CountLines(ctx context.Context, r io.Reader, version string, w io.Writer) error {
	in, out := bufio.NewReaderSize(r, 64<<10), bufio.NewWriter(w)
	var origin, line []byte
	n := int64(0)
	end := func() {
		if n > 0 {
			fmt.Fprintf(out, "%s\t%d\t%s\n", origin, n, version)
		}
	}
	for {
		var err error
		if line, err = wholeLine(in, line[:0]); err != nil && err != io.EOF {
			return fmt.Errorf("the engine's lines cannot be read: %w", err)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if len(line) > 0 {
			at := secondTab(line)
			if at < 0 {
				return errOrigin
			}
			if !bytes.Equal(origin, line[:at]) {
				end()
				origin, n = append(origin[:0], line[:at]...), 0
			}
			n++
		}
		if err == io.EOF {
			end()
			return out.Flush()
		}
	}
}

var errOrigin = errors.New("a line has no file and place before it")

// errNumbers is what is wrong with what a worker says of a part.
var errNumbers = errors.New("what a worker says of the lines of a part cannot be understood")

// Number puts together what workers of CountLines told of some groups of files: the lines of each
// group are numbered from 0.
func Number(told []string, version string, groups ...[]string) (Numbering, error) {
	n, files, group := Numbering{}, map[string]int{}, []int{}
	for g, own := range groups {
		for _, f := range own {
			path := PlainPath(f)
			if _, twice := files[path]; twice {
				return n, fmt.Errorf("%s is to be read twice", f)
			}
			files[path] = len(n.Files)
			n.Files, group = append(n.Files, path), append(group, g)
		}
	}
	for _, line := range told {
		f := strings.Split(line, "\t")
		if len(f) != 4 {
			return n, errNumbers
		}
		file, known := files[PlainPath(f[0])]
		place, err := strconv.ParseInt(f[1], 10, 64)
		lines, wrong := strconv.ParseInt(f[2], 10, 64)
		if !known || err != nil || wrong != nil || place < 0 || lines < 1 {
			return n, errNumbers
		}
		if f[3] != version {
			return n, fmt.Errorf("a worker is of version %q, the driver of %q", f[3], version)
		}
		n.Parts = append(n.Parts, Part{File: file, Place: place, Lines: lines})
	}
	slices.SortFunc(n.Parts, func(a, b Part) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Place, b.Place))
	})
	for i := range n.Parts {
		p := &n.Parts[i]
		if i == 0 {
			continue
		}
		before := n.Parts[i-1]
		if before.File == p.File && before.Place == p.Place {
			return n, errors.New("the lines of one part of a file came twice")
		}
		if group[before.File] == group[p.File] {
			p.First = before.First + before.Lines
		}
	}
	return n, nil
}

// Lines is how many lines the first so many files have.
func (n Numbering) Lines(files int) int64 {
	all := int64(0)
	for _, p := range n.Parts {
		if p.File < files {
			all += p.Lines
		}
	}
	return all
}

// Moved is part of the error where the parts are not those that were numbered: engines may cut
// files otherwise when machines come or go. It can be tried again.
const Moved = "the files are cut otherwise than when their lines were counted"

var errMoved = errors.New(Moved + ": try again")

// Numbered is Chunks for lines that have their file and place before them: what is handed to do is
// of one file, and has the number of its first line.
func (l Layout) Numbered(
	ctx context.Context, r io.Reader, n Numbering,
	do func(file int, first int64, d *dataset.Dataset) error,
) error {
	return NumberedLines(r, n, func(file int, first int64, text []byte) error {
		return l.one(ctx, text, func(d *dataset.Dataset) error {
			return do(file, first, d.WithColumns(nil))
		})
	})
}

// NumberedLines is Numbered with the lines as they are.
func NumberedLines(
	r io.Reader, n Numbering, do func(file int, first int64, lines []byte) error,
) error {
	numbered, files := map[[2]int64]Part{}, map[string]int{}
	for _, p := range n.Parts {
		numbered[[2]int64{int64(p.File), p.Place}] = p
	}
	for i, f := range n.Files {
		files[f] = i
	}
	var at Part // the part under way, and how many lines of it there were
	seen, last := int64(0), ""
	err := RawParts(r, func(file, place string, text []byte) error {
		if origin := file + "\t" + place; origin != last {
			if seen != at.Lines {
				return errMoved
			}
			number, known := files[PlainPath(file)]
			where, err := strconv.ParseInt(place, 10, 64)
			if !known || err != nil {
				return errMoved
			}
			if at, known = numbered[[2]int64{int64(number), where}]; !known {
				return errMoved
			}
			last, seen = origin, 0
		}
		first := at.First + seen
		if seen += int64(linesOf(text)); seen > at.Lines {
			return errMoved
		}
		return do(at.File, first, text)
	})
	if err == nil && seen != at.Lines {
		err = errMoved
	}
	return err
}
