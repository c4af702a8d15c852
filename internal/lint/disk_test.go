package lint

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// onDisk are the functions of package os that go to the disk: internal/disk has them, or others in
// their place, so that tests can let them fail.
var onDisk = []string{
	"Open", "OpenFile", "Create", "CreateTemp", "ReadFile", "WriteFile", "Rename", "Remove",
	"RemoveAll", "Link", "Mkdir", "MkdirAll", "MkdirTemp", "Truncate", "Chmod", "Chown",
	"Stat", "Lstat", "ReadDir", "Readlink",
}

// byThemselves are the packages that go to the disk without it, and why.
var byThemselves = map[string]string{
	"internal/disk":   "it is that package",
	"webui":           "the uploads of mingle serve, in a folder of its own; releases go through pipeline",
	"cluster":         "Spark reads and writes there",
	"bench":           "no part of the program",
	"internal/pgtest": "a server for tests",
	"cmd/mutants":     "no part of the program",
	"cmd/dist":        "no part of the program",
	"internal/lint":   "reads the source", "internal/testdata": "for tests",
}

// without are the single calls that go without it, and why.
var without = map[string]string{
	"cmd/mingle/worker_unix.go: os.Stat":               "of /proc/self/exe, which is on no disk",
	"internal/publish/place.go: os.Stat":               "of the null device, which is on no disk",
	"internal/publish/stream.go: os.Stat":              "of the null device, which is on no disk",
	"internal/publish/place.go: os.Readlink":           "with filepath.EvalSymlinks, to name a target",
	"internal/publish/descriptor_unix.go: os.Readlink": "with filepath.EvalSymlinks, to name a stream",
}

// Whatever makes, reads or checks a release goes to the disk through internal/disk, so that no
// operation is left out when each is made to fail; and nothing but tests watches.
func TestTheDiskIsReachedOneWay(t *testing.T) {
	met := map[string]bool{}
	for dir, pkg := range packages(t) {
		for path, file := range pkg.files {
			if strings.HasSuffix(path, "_test.go") || elsewhere(dir) {
				continue
			}
			ast.Inspect(file, func(n ast.Node) bool {
				name, of := selected(n)
				call := path + ": " + of + "." + name
				if _, may := without[call]; may {
					met[call] = true
				} else if of == "os" && slices.Contains(onDisk, name) {
					t.Errorf("%s: os.%s: call internal/disk, so that tests can let it fail",
						pkg.fset.Position(n.Pos()), name)
				}
				if of == "disk" && (name == "Set" || name == "ErrSkip" || name == "Watch") {
					t.Errorf("%s: disk.%s is for tests", pkg.fset.Position(n.Pos()), name)
				}
				return true
			})
		}
	}
	for call := range without {
		if !met[call] {
			t.Errorf("%s: there is no such call", call)
		}
	}
}

func elsewhere(dir string) bool {
	for other := range byThemselves {
		if dir == other || strings.HasPrefix(dir, other+"/") {
			return true
		}
	}
	return false
}

// selected is a name and the package that it is selected of.
func selected(n ast.Node) (name, of string) {
	s, is := n.(*ast.SelectorExpr)
	if !is {
		return "", ""
	}
	if x, is := s.X.(*ast.Ident); is {
		of = x.Name
	}
	return s.Sel.Name, of
}

// ofDates may look at a clock that can be set: they are about days, not about how long something
// takes.
var ofDates = []string{"dataset/column", "dataset/bag", "cmd/mingle/man.go", "cmd/dist", "bench"}

// Nothing waits by a clock that can be set: times are compared as time.Now gives them, which has a
// clock that only goes on. What takes that away from a time is not called.
func TestNothingWaitsByAClockThatCanBeSet(t *testing.T) {
	for _, pkg := range packages(t) {
		for path, file := range pkg.files {
			if strings.HasSuffix(path, "_test.go") ||
				slices.ContainsFunc(ofDates, func(of string) bool {
					return strings.HasPrefix(path, of)
				}) {
				continue
			}
			ast.Inspect(file, func(n ast.Node) bool {
				name, of := selected(n)
				if slices.Contains([]string{"UnixNano", "UnixMilli", "UnixMicro", "Unix"}, name) ||
					of == "time" && name == "Date" {
					t.Errorf("%s: %s: a clock that can be set", pkg.fset.Position(n.Pos()), name)
				}
				return true
			})
		}
	}
}
