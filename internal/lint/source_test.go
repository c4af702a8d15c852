package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const module = "mingle"

// longest are the limits on the length of a function and of a file, in lines.
const (
	longestFunction = 60
	longestFile     = 700
)

type source struct {
	path    string              // the package's path inside the module; "" is the root
	imports map[string][]string // file -> the project's packages it imports, tests left out
	files   map[string]*ast.File
	fset    *token.FileSet
}

// packages parses all Go files of the module.
func packages(t *testing.T) map[string]*source {
	t.Helper()
	root := filepath.Join("..", "..")
	out := map[string]*source{}
	walk(t, root, func(path string) {
		if filepath.Ext(path) != ".go" {
			return
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		if dir == "." {
			dir = ""
		}
		if out[dir] == nil {
			out[dir] = &source{
				path: dir, imports: map[string][]string{}, files: map[string]*ast.File{},
				fset: token.NewFileSet(),
			}
		}
		pkg := out[dir]
		file, err := parser.ParseFile(
			pkg.fset, filepath.Join(root, path), nil, parser.ParseComments,
		)
		if err != nil {
			t.Fatal(err)
		}
		pkg.files[path] = file
		if !strings.HasSuffix(path, "_test.go") {
			pkg.imports[path] = projectImports(file)
		}
	})
	return out
}

func projectImports(file *ast.File) []string {
	var out []string
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		if path == module {
			out = append(out, "")
		} else if rest, ok := strings.CutPrefix(path, module+"/"); ok {
			out = append(out, rest)
		}
	}
	return out
}

// walk visits the files of the module by their path relative to root; modules inside it are not
// part of it.
func walk(t *testing.T, root string, visit func(path string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		if !d.IsDir() {
			visit(rel)
			return nil
		}
		if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil && rel != "." {
			return filepath.SkipDir
		}
		hidden := strings.HasPrefix(d.Name(), ".") && rel != "." && d.Name() != ".ci"
		if hidden || rel == "demo-out" || rel == "dist" {
			return filepath.SkipDir
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Libraries never print, log or exit: that is the command's.
func TestLibrariesAreSilent(t *testing.T) {
	banned := map[string]bool{
		"fmt.Print": true, "fmt.Println": true, "fmt.Printf": true, "os.Exit": true,
		"os.Stdout": true, "os.Stderr": true,
	}
	each(t, func(pkg *source, name string, file *ast.File) {
		if strings.HasPrefix(pkg.path, "cmd/") || strings.HasPrefix(pkg.path, "bench") {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && (banned[x.Name+"."+sel.Sel.Name] || x.Name == "log" && x.Obj == nil && importsLog(file)) {
					t.Errorf(
						"%s: %s.%s in a library", pkg.fset.Position(n.Pos()), x.Name, sel.Sel.Name,
					)
				}
			}
			return true
		})
	})
}

func importsLog(file *ast.File) bool {
	for _, spec := range file.Imports {
		if spec.Path.Value == `"log"` || spec.Path.Value == `"log/slog"` {
			return true
		}
	}
	return false
}

// The comment of a package begins with its name, and of a program with what it is: who reads the
// documentation sees no other package's.
func TestPackageCommentsNameThePackage(t *testing.T) {
	each(t, func(pkg *source, name string, file *ast.File) {
		if file.Doc == nil {
			return
		}
		want := "Package " + file.Name.Name
		if file.Name.Name == "main" {
			want = "Command"
		}
		if text := file.Doc.Text(); !strings.HasPrefix(text, want+" ") {
			first, _, _ := strings.Cut(text, "\n")
			t.Errorf("%s: the comment of the package begins %q, not %q", name, first, want)
		}
	})
}

// Functions fit on a screen.
func TestFunctionsAreShort(t *testing.T) {
	each(t, func(pkg *source, name string, file *ast.File) {
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			from, to := pkg.fset.Position(fn.Pos()), pkg.fset.Position(fn.End())
			if n := to.Line - from.Line + 1; n > longestFunction {
				t.Errorf(
					"%s: %s has %d lines, more than %d", from, fn.Name.Name, n, longestFunction,
				)
			}
		}
	})
}

// A file has one subject.
func TestFilesAreShort(t *testing.T) {
	each(t, func(pkg *source, name string, file *ast.File) {
		if n := pkg.fset.Position(file.End()).Line; n > longestFile {
			t.Errorf("%s has %d lines, more than %d: split it by subject", name, n, longestFile)
		}
	})
}

// Every package says what it is for.
func TestPackagesHaveDocs(t *testing.T) {
	for _, pkg := range packages(t) {
		documented := false
		for _, file := range pkg.files {
			documented = documented || file.Doc != nil
		}
		if !documented {
			t.Errorf("package %q has no package comment", pkg.path)
		}
	}
}

// each visits all files but tests.
func each(t *testing.T, visit func(pkg *source, name string, file *ast.File)) {
	t.Helper()
	for _, pkg := range packages(t) {
		for name, file := range pkg.files {
			if !strings.HasSuffix(name, "_test.go") {
				visit(pkg, name, file)
			}
		}
	}
}

// What is committed works on any machine and names none, and holds nothing unfinished.
func TestNoMachinePathsOrLeftovers(t *testing.T) {
	machine := regexp.MustCompile(`(^|[\s"'=(` + "`" + `])/(work|root|home|Users)/[A-Za-z]`)
	leftover := regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`)
	root := filepath.Join("..", "..")
	walk(t, root, func(path string) {
		switch filepath.Ext(path) {
		case ".go", ".md", ".mod", ".txtar", ".json", ".html", "":
		default:
			return
		}
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		if len(text) > 1<<20 {
			return // a built binary
		}
		for i, line := range strings.Split(string(text), "\n") {
			if m := machine.FindString(line); m != "" {
				t.Errorf("%s:%d: path of a machine: %s", path, i+1, m)
			}
			if m := leftover.FindString(line); m != "" && filepath.Ext(path) == ".go" {
				t.Errorf("%s:%d: %s", path, i+1, m)
			}
		}
	})
}
