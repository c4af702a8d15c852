package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// source is a package that is to be mutated: parsed, with its types.
type source struct {
	Path, Name, Dir string // import path, package name, folder
	files           []*file
	fset            *token.FileSet
	info            *types.Info
}

// file is one of its Go files.
type file struct {
	name, path string
	text       []byte
	tree       *ast.File
}

// listed is what "go list" says of a package.
type listed struct {
	ImportPath, Name, Dir, Export string
	GoFiles                       []string
}

// list asks the go command about packages and, with deps, about what they import.
func list(pattern string, deps bool) ([]listed, error) {
	args := []string{"list", "-json=ImportPath,Name,Dir,Export,GoFiles"}
	if deps {
		args = append(args, "-deps", "-export")
	}
	cmd := exec.Command("go", append(args, pattern)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", pattern, err)
	}
	var all []listed
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var l listed
		if err := dec.Decode(&l); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
}

// load parses a package and finds its types. Those of its imports come from what the compiler
// exports of them.
func load(pattern string) (*source, error) {
	all, err := list(pattern, true)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for _, l := range all {
		exports[l.ImportPath] = l.Export
	}
	own := all[len(all)-1] // what imports the others comes last
	s := &source{
		Path: own.ImportPath, Name: own.Name, Dir: own.Dir, fset: token.NewFileSet(),
		info: &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{},
		},
	}
	var trees []*ast.File
	for _, name := range own.GoFiles {
		f := &file{name: name, path: filepath.Join(own.Dir, name)}
		if f.text, err = os.ReadFile(f.path); err != nil {
			return nil, err
		}
		f.tree, err = parser.ParseFile(s.fset, f.path, f.text, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		s.files, trees = append(s.files, f), append(trees, f.tree)
	}
	lookup := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	config := types.Config{Importer: importer.ForCompiler(s.fset, "gc", lookup)}
	_, err = config.Check(own.ImportPath, s.fset, trees, s.info)
	return s, err
}

// offset is where a position is in its file.
func (s *source) offset(p token.Pos) int { return s.fset.Position(p).Offset }
