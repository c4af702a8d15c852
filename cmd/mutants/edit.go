package main

import (
	"cmp"
	"go/ast"
	"slices"
)

// edit puts a text in the place of a part of a file.
type edit struct {
	from, to int
	text     string
	// Of edits of one place those with a lower rank come first: closings, the inner ones first,
	// then what replaces something, then openings, the outer ones first.
	rank int
}

// edits are those of a file, made from the outside in.
type edits struct {
	s    *source
	list []edit
}

// around writes something before and after a part of the program.
func (e *edits) around(n ast.Node, before, after string) {
	at := len(e.list) + 1
	from, to := e.s.offset(n.Pos()), e.s.offset(n.End())
	e.list = append(e.list, edit{from, from, before, at}, edit{to, to, after, -at})
}

// replace writes a text in the place of the next bytes.
func (e *edits) replace(from, length int, text string) {
	e.list = append(e.list, edit{from, from + length, text, 0})
}

// apply gives the file with all edits.
func (e *edits) apply(text []byte) []byte {
	slices.SortFunc(e.list, func(a, b edit) int {
		return cmp.Or(a.from-b.from, a.rank-b.rank)
	})
	var out []byte
	at := 0
	for _, x := range e.list {
		out = append(out, text[at:x.from]...)
		out = append(out, x.text...)
		at = x.to
	}
	return append(out, text[at:]...)
}
