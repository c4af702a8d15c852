package releasefile

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mingle/dataset/rows"
	"mingle/internal/lazy"
	"mingle/report"
)

// File is a release as a file says it.
type File struct {
	Name   string // as messages call it
	Family string
	Values []Value
	// Statements are what the humans say beside the report, FailIf what stops the release.
	Statements report.Statements
	FailIf     []report.Threshold

	// Passwords are those of databases, by the address of the location: a file has the names of
	// variables in their place, and what Values have has nothing there.
	Passwords rows.Passwords

	// Beside are flags that the command line gives beside the file, such as memory: they go before
	// what the file says, and errors call them by what was given.
	Beside []string

	Bytes  int64
	SHA256 string

	conditions map[string]position // of figures in FailIf
}

// Value is what a file says of a field.
type Value struct {
	Field Field
	// Texts is the value as the flag takes it: one text, but of a List.
	Texts []string
	position
}

// position is a place in a file, both counted from 1.
type position struct{ line, column int }

// Entry is the file as the audit file of a run names it.
func (f *File) Entry() *report.File {
	return &report.File{
		Role: report.RoleReleaseFile, Name: filepath.Base(f.Name), Bytes: f.Bytes,
		SHA256: f.SHA256,
	}
}

// Within puts the directory before relative paths: a file means the same from everywhere.
func (f *File) Within(dir string) {
	for i, v := range f.Values {
		if v.Field.Kind != Path && v.Field.Kind != Target {
			continue
		}
		if path := v.Texts[0]; rows.Is(path) {
			f.Values[i].Texts = []string{rows.Within(dir, path)}
		} else if path != "-" && !filepath.IsAbs(path) {
			f.Values[i].Texts = []string{filepath.Join(dir, path)}
		}
	}
}

// Value finds what the file says of a field.
func (f *File) Value(path string) (Value, bool) {
	for _, v := range f.Values {
		if v.Field.Path() == path {
			return v, true
		}
	}
	return Value{}, false
}

// Located is an error of the command that the file stands for, told of the file: each line begins
// with the place of the field it is about, and flags have the names of fields. The error stays what
// it is.
func (f *File) Located(err error) error {
	if err == nil {
		return nil
	}
	lines := strings.Split(err.Error(), "\n")
	for i, line := range lines {
		at := f.about(line)
		line = flagInText().ReplaceAllStringFunc(line, f.named)
		if at.line > 0 {
			line = fmt.Sprintf("%s:%d:%d: %s", f.Name, at.line, at.column, line)
		}
		lines[i] = line
	}
	return &located{err, strings.Join(lines, "\n")}
}

type located struct {
	error
	text string
}

func (e *located) Error() string { return e.text }
func (e *located) Unwrap() error { return e.error }

var (
	flagInText   = lazy.Regexp(`--[a-z][a-z-]*[a-z]|--[hkpml]\b`)
	numberInText = lazy.Regexp(`^([a-z]+) \(`)
	figureInText = lazy.Regexp(`^(?:--fail-if )?([a-z0-9_]+)(?: is |: | was not measured)`)
)

// about is the place of the field that a line is about; 0: it is about none.
func (f *File) about(line string) position {
	for _, flag := range flagInText().FindAllString(line, -1) {
		for _, v := range f.Values {
			if v.Field.Flag == flag[2:] && !slices.Contains(f.Beside, flag[2:]) {
				return v.position
			}
		}
	}
	if m := figureInText().FindStringSubmatch(line); m != nil && f.conditions[m[1]].line > 0 {
		return f.conditions[m[1]]
	}
	for _, v := range f.Values {
		path := v.Field.Kind == Path || v.Field.Kind == Target
		if path && v.Texts[0] != "-" && strings.HasPrefix(line, v.Texts[0]+":") {
			return v.position
		}
		if m := numberInText().FindStringSubmatch(line); m != nil && v.Field.Path() == "promise."+m[1] {
			return v.position
		}
	}
	return position{}
}

// named is a flag by the name of its field.
func (f *File) named(flag string) string {
	if flag == "--fail-if" {
		return failIfSection
	}
	for _, field := range Of(f.Family) {
		if field.Flag == flag[2:] && !slices.Contains(f.Beside, flag[2:]) {
			return field.Path()
		}
	}
	return flag
}
