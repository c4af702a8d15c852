package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// mutant is one change of the program.
type mutant struct {
	ID       int
	File     string
	Func     string
	Kind     string // what is changed: see the table in docs/mutants.md
	Text     string // the part of the program, cut to one line
	Line     int
	Col      int
	funcFrom int // lines of the function
	funcTo   int
}

// name tells the mutant from all others, and does not age with the numbers of the lines.
func (m *mutant) name() string {
	return fmt.Sprintf("%s %s: %s: %s", m.File, m.Func, m.Kind, m.Text)
}

// maker finds the mutants of a package and writes all of them into its files, each behind a switch.
type maker struct {
	s       *source
	mutants []*mutant
	seen    map[string]int // how often a name was given

	file *file
	e    *edits
	fn   *ast.FuncDecl
	cond map[ast.Expr]bool // looked at as a condition already
}

// mutate gives the mutants, and the files with all of them.
func mutate(s *source) ([]*mutant, map[string][]byte) {
	m := &maker{s: s, seen: map[string]int{}, cond: map[ast.Expr]bool{}}
	out := map[string][]byte{}
	for _, f := range s.files {
		m.file, m.e = f, &edits{s: s}
		for _, d := range f.tree.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				m.fn = fn
				m.function(fn.Body)
			}
		}
		out[f.path] = m.e.apply(f.text)
	}
	return m.mutants, out
}

// add notes a mutant of a part of the program; it returns its number.
func (m *maker) add(kind string, n ast.Node) int {
	p := m.s.fset.Position(n.Pos())
	text := strings.Join(strings.Fields(m.raw(n)), " ")
	name := m.fn.Name.Name
	if m.fn.Recv != nil {
		name = strings.TrimLeft(m.raw(m.fn.Recv.List[0].Type), "*") + "." + name
	}
	if room := 84 - len(m.file.name) - len(name) - len(kind); len(text) > room {
		text = strings.ToValidUTF8(text[:max(room, 16)], "") + "…"
	}
	x := &mutant{
		ID: len(m.mutants) + 1, File: m.file.name, Func: name, Kind: kind, Text: text,
		Line: p.Line, Col: p.Column, funcFrom: m.s.fset.Position(m.fn.Pos()).Line,
		funcTo: m.s.fset.Position(m.fn.End()).Line,
	}
	full := x.name()
	m.seen[full]++
	if n := m.seen[full]; n > 1 {
		x.Text += fmt.Sprintf(" (%d)", n)
	}
	m.mutants = append(m.mutants, x)
	return x.ID
}

// raw is the text of a part of the program.
func (m *maker) raw(n ast.Node) string {
	return string(m.file.text[m.s.offset(n.Pos()):m.s.offset(n.End())])
}

// function mutates what is in a function, from the outside in.
func (m *maker) function(body *ast.BlockStmt) {
	var stack []ast.Node
	ast.Inspect(body, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		switch n := n.(type) {
		case *ast.GenDecl:
			if n.Tok == token.CONST {
				return false
			}
		case *ast.BlockStmt:
			m.statements(n.List, stack)
		case *ast.CaseClause:
			m.statements(n.Body, stack)
			if sw, ok := stack[len(stack)-2].(*ast.SwitchStmt); ok && sw.Tag == nil {
				for _, e := range n.List {
					m.condition(e)
				}
			}
		case *ast.CommClause:
			m.statements(n.Body, stack)
		case *ast.IfStmt:
			m.condition(n.Cond)
		case *ast.ForStmt:
			m.loop(n)
		case *ast.BinaryExpr:
			m.binary(n)
		}
		stack = append(stack, n)
		return true
	})
}

// loop mutates the head of a loop. A loop that never ends is not worth trying.
func (m *maker) loop(n *ast.ForStmt) {
	if n.Cond != nil && !m.constant(n.Cond) {
		m.e.around(n.Cond, "((", fmt.Sprintf(") && !mutantIs(%d))", m.add("false", n.Cond)))
	}
	if post, ok := n.Post.(*ast.IncDecStmt); ok {
		sign := map[token.Token]string{token.INC: "+=", token.DEC: "-="}[post.Tok]
		m.e.replace(m.s.offset(post.TokPos), 2,
			fmt.Sprintf(" %s mutantStep(%d, %s)", sign, m.add("++ --", post), m.raw(post.X)))
	}
}

func (m *maker) constant(e ast.Expr) bool { return m.s.info.Types[e].Value != nil }

// condition makes it true, and false.
func (m *maker) condition(e ast.Expr) {
	if m.cond[e] || m.constant(e) {
		return
	}
	m.cond[e] = true
	yes := m.add("true", e)
	m.add("false", e)
	m.e.around(e, fmt.Sprintf("mutantIf(%d, ", yes), ")")
}

// operands makes those of && and || true, and false. They are looked at before what is in them:
// edits go from the outside in.
func (m *maker) operands(n *ast.BinaryExpr) {
	if n.Op != token.LAND && n.Op != token.LOR {
		return
	}
	for _, e := range []ast.Expr{n.X, n.Y} {
		if b, ok := ast.Unparen(e).(*ast.BinaryExpr); !ok ||
			b.Op != token.LAND && b.Op != token.LOR {
			m.condition(e)
		}
	}
}

var compare = map[token.Token]string{
	token.LSS: "mutantLess", token.LEQ: "mutantLessEqual",
	token.GTR: "mutantGreater", token.GEQ: "mutantGreaterEqual",
}

var arithmetic = map[token.Token]string{
	token.ADD: "mutantAdd", token.SUB: "mutantSub", token.MUL: "mutantMul",
	token.QUO: "mutantQuo", token.REM: "mutantRem",
}

// binary mutates an operator.
func (m *maker) binary(n *ast.BinaryExpr) {
	if m.constant(n) {
		return
	}
	op := m.s.offset(n.OpPos)
	plain := m.basic(n.X) && m.basic(n.Y)
	switch {
	case n.Op == token.LAND || n.Op == token.LOR:
		is := fmt.Sprintf("mutantIs(%d)", m.add("&& ||", n))
		m.e.around(n, "(((", fmt.Sprintf(") != %s) != %s)", is, is))
		m.e.replace(op, 2, fmt.Sprintf(") != %s %s (", is, n.Op))
		m.operands(n)
	case n.Op == token.EQL || n.Op == token.NEQ:
		m.negated(n)
	case compare[n.Op] != "":
		m.negated(n)
		if plain {
			m.e.around(n, fmt.Sprintf("%s(%d, ", compare[n.Op], m.add("boundary", n)), ")")
			m.e.replace(op, len(n.Op.String()), ",")
		}
	case arithmetic[n.Op] != "" && plain && m.number(n):
		m.e.around(n, fmt.Sprintf("%s(%d, ", arithmetic[n.Op], m.add("arithmetic", n)), ")")
		m.e.replace(op, 1, ",")
	}
}

// negated negates a comparison. One that was made true and made false is not worth it.
func (m *maker) negated(n *ast.BinaryExpr) {
	if m.cond[n] {
		m.e.around(n, "(", ")")
		return
	}
	m.e.around(n, "((", fmt.Sprintf(") != mutantIs(%d))", m.add("negated", n)))
}

// basic tells whether an expression has a number or a text, and not one whose type depends on what
// is around it.
func (m *maker) basic(e ast.Expr) bool {
	if b, ok := ast.Unparen(e).(*ast.BinaryExpr); ok && !m.constant(e) &&
		(b.Op == token.SHL || b.Op == token.SHR) && m.constant(b.X) {
		return false
	}
	b, ok := m.s.info.TypeOf(e).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsOrdered != 0
}

func (m *maker) number(e ast.Expr) bool {
	b, ok := m.s.info.TypeOf(e).Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsInteger|types.IsFloat) != 0
}

// statements mutates those of a block.
func (m *maker) statements(list []ast.Stmt, stack []ast.Node) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if call, ok := s.X.(*ast.CallExpr); ok && m.raw(call.Fun) != "panic" {
				m.removed(s, "", "")
			}
		case *ast.AssignStmt:
			m.assignment(s)
		case *ast.IncDecStmt:
			other := map[token.Token]string{token.INC: "--", token.DEC: "++"}[s.Tok]
			m.removed(s, fmt.Sprintf("if mutantIs(%d) { %s%s } else { ", m.add("++ --", s),
				m.raw(s.X), other), " }")
		case *ast.DeferStmt, *ast.GoStmt, *ast.SendStmt:
			m.removed(s, "", "")
		case *ast.BranchStmt:
			m.branch(s, stack)
		case *ast.ReturnStmt:
			for _, e := range s.Results {
				m.result(e, len(s.Results))
			}
		}
	}
}

// removed leaves a statement out; before and after stand around it inside of that.
func (m *maker) removed(s ast.Stmt, before, after string) {
	m.e.around(s, fmt.Sprintf("if !mutantIs(%d) { ", m.add("removed", s))+before, after+" }")
}

// opposite is the assignment that does another thing.
var opposite = map[token.Token]string{
	token.ADD_ASSIGN: "-=", token.SUB_ASSIGN: "+=", token.MUL_ASSIGN: "/=",
	token.QUO_ASSIGN: "*=", token.OR_ASSIGN: "&=", token.AND_ASSIGN: "|=",
	token.AND_NOT_ASSIGN: "|=", token.SHL_ASSIGN: ">>=", token.SHR_ASSIGN: "<<=",
}

func (m *maker) assignment(s *ast.AssignStmt) {
	blank := !slices.ContainsFunc(s.Lhs, func(e ast.Expr) bool { return m.raw(e) != "_" })
	if s.Tok == token.DEFINE || blank {
		return
	}
	other := opposite[s.Tok]
	if other == "" || s.Tok == token.ADD_ASSIGN && !m.number(s.Lhs[0]) {
		m.removed(s, "", "")
		return
	}
	m.removed(s, fmt.Sprintf("if mutantIs(%d) { %s %s %s } else { ", m.add("arithmetic", s),
		m.raw(s.Lhs[0]), other, m.raw(s.Rhs[0])), " }")
}

// branch leaves a loop in place of going on, and the other way round.
func (m *maker) branch(s *ast.BranchStmt, stack []ast.Node) {
	other := map[token.Token]string{token.BREAK: "continue", token.CONTINUE: "break"}[s.Tok]
	loop := leaves(s, stack)
	if f, ok := loop.(*ast.ForStmt); other == "" || loop == nil || ok && f.Cond == nil {
		return // a loop without a condition may end its function
	}
	if s.Label != nil {
		other += " " + s.Label.Name
	}
	m.e.around(s, fmt.Sprintf("if mutantIs(%d) { %s }; ", m.add("break continue", s), other), "")
}

// leaves is the loop that a branch is about; nil if it is about something else.
func leaves(s *ast.BranchStmt, stack []ast.Node) ast.Node {
	for _, n := range slices.Backward(stack) {
		switch n := n.(type) {
		case *ast.FuncLit:
			return nil
		case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			if s.Label == nil { // a break here would leave this
				return nil
			}
		case *ast.ForStmt, *ast.RangeStmt:
			if s.Label == nil {
				return n
			}
		case *ast.LabeledStmt:
			if s.Label != nil && n.Label.Name == s.Label.Name {
				return n.Stmt
			}
		}
	}
	return nil
}

// result mutates what a function returns.
func (m *maker) result(e ast.Expr, of int) {
	t := m.s.info.Types[e]
	if _, tuple := t.Type.(*types.Tuple); tuple || t.IsNil() {
		return
	}
	b, isBasic := t.Type.Underlying().(*types.Basic)
	switch {
	case isBasic && b.Info()&types.IsBoolean != 0 && t.Value != nil:
		m.e.around(e, "(", fmt.Sprintf(" != mutantIs(%d))", m.add("returned", e)))
	case isBasic && b.Info()&types.IsBoolean != 0:
		m.condition(e)
	case t.Value == nil:
		m.e.around(e, fmt.Sprintf("mutantZero(%d, ", m.add("returned", e)), ")")
	case isBasic && t.Type == types.Type(b) && m.number(e):
		m.e.around(e, fmt.Sprintf("mutantOther[%s](%d, ", b.Name(), m.add("returned", e)), ")")
	}
}
