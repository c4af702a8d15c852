package experiment

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"

	"github.com/goccy/go-yaml/ast"

	"mingle/internal/yamltext"
)

// The YAML library reads 010 as eight, 0x5 as five, and 5.7 as five where a whole number should be.
// In plans numbers are decimal, as in release files, and what is none is refused with its line and
// column, before the library sees it.

// mostNumbers are told one by one.
const mostNumbers = 20

// decimal reads the numbers of a plan.
type decimal struct {
	anchors map[string]ast.Node
	faults  []error
	more    int // faults that are not told one by one
}

// slot is where a value stands: the type that it is decoded into, and the name and the least value
// of a number.
type slot struct {
	of    reflect.Type
	name  string
	least int
}

// readNumbers puts the numbers of a document in place as the library should have read them. The
// error is of all that are none.
func readNumbers(body ast.Node) error {
	d := &decimal{anchors: map[string]ast.Node{}}
	ast.Walk(d, body)
	d.value(body, slot{of: reflect.TypeFor[Plan]()})
	if d.more > 0 {
		d.faults = append(d.faults, fmt.Errorf("and %d more", d.more))
	}
	return errors.Join(d.faults...)
}

// Visit collects the anchors.
func (d *decimal) Visit(node ast.Node) ast.Visitor {
	if n, is := node.(*ast.AnchorNode); is {
		name := n.Name.GetToken().Value
		if d.anchors[name] != nil {
			d.addf(n, "the anchor &%s is there twice: name two", name)
		}
		d.anchors[name] = n.Value
	}
	return d
}

func (d *decimal) addf(at ast.Node, format string, args ...any) {
	if len(d.faults) == mostNumbers {
		d.more++
		return
	}
	where := at.GetToken().Position
	d.faults = append(d.faults, fmt.Errorf("[%d:%d] %w", where.Line, where.Column,
		fmt.Errorf(format, args...)))
}

// value reads the numbers of a value, and returns what is to stand in its place.
func (d *decimal) value(node ast.Node, s slot) ast.Node {
	switch n := node.(type) {
	case *ast.AnchorNode:
		n.Value = d.value(n.Value, s)
		return n
	case *ast.AliasNode: // of what may stand at its anchor as a text
		target := d.anchors[n.Value.GetToken().Value]
		if target == nil {
			return n
		}
		if read := d.value(target, s); read != target {
			return read
		}
		return n
	}
	switch s.of.Kind() {
	case reflect.Pointer:
		s.of = s.of.Elem()
		return d.value(node, s)
	case reflect.Slice:
		s.of = s.of.Elem()
		list, is := node.(*ast.SequenceNode)
		if !is {
			return d.value(node, s)
		}
		for i := range list.Values {
			list.Values[i] = d.value(list.Values[i], s)
		}
	case reflect.Struct:
		d.mapping(node, s)
	case reflect.Map:
		for _, pair := range pairs(node) {
			pair.Value = d.cell(pair.Value, d.key(pair.Key))
		}
	case reflect.String:
		return asWritten(node)
	case reflect.Int, reflect.Uint64:
		return d.whole(node, s)
	case reflect.Float64:
		return d.fraction(node, s)
	}
	return node
}

// mapping reads the numbers of a mapping. That it should be one, and has no other names, is for the
// library to say.
func (d *decimal) mapping(node ast.Node, s slot) {
	for _, pair := range pairs(node) {
		name := d.key(pair.Key)
		if name == "<<" {
			if list, is := pair.Value.(*ast.SequenceNode); is {
				for i := range list.Values {
					d.value(list.Values[i], s)
				}
				continue
			}
			d.value(pair.Value, s)
			continue
		}
		for _, f := range reflect.VisibleFields(s.of) {
			if f.Tag.Get("yaml") == name && !f.Anonymous {
				least, _ := strconv.Atoi(f.Tag.Get("least"))
				pair.Value = d.value(pair.Value, slot{of: f.Type, name: name, least: least})
			}
		}
	}
}

func pairs(node ast.Node) []*ast.MappingValueNode {
	switch n := node.(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	return nil
}

// key is the name that a key stands for.
func (d *decimal) key(node ast.Node) string {
	switch n := node.(type) {
	case *ast.AnchorNode:
		return d.key(n.Value)
	case *ast.AliasNode:
		return d.key(d.anchors[n.Value.GetToken().Value])
	case *ast.MappingKeyNode:
		return d.key(n.Value)
	case *ast.TagNode:
		return d.key(n.Value)
	case *ast.StringNode:
		return n.Value
	case *ast.LiteralNode:
		return n.Value.Value
	case *ast.MergeKeyNode:
		return "<<"
	}
	return ""
}

func (d *decimal) whole(node ast.Node, s slot) ast.Node {
	_, v, is := yamltext.Number(node)
	n, err := strconv.ParseUint(node.GetToken().Value, 10, 64) // a seed may have more digits than v
	if err != nil {
		n = uint64(min(max(v, 0), yamltext.MaxWhole))
	}
	switch {
	case !is || v != math.Trunc(v):
		d.addf(node, "%s must be a whole number%s", s.name, instead(node))
	case v < float64(s.least):
		d.addf(node, "%s (%v) must be at least %d", s.name, v, s.least)
	case v > yamltext.MaxWhole && (err != nil || s.of.Kind() == reflect.Int):
		d.addf(node, "%s (%v) is too large", s.name, v)
	default:
		return &ast.IntegerNode{BaseNode: &ast.BaseNode{}, Token: node.GetToken(), Value: n}
	}
	return node
}

func (d *decimal) fraction(node ast.Node, s slot) ast.Node {
	_, v, is := yamltext.Number(node)
	if !is {
		d.addf(node, "%s must be a number%s", s.name, instead(node))
		return node
	}
	return &ast.FloatNode{BaseNode: &ast.BaseNode{}, Token: node.GetToken(), Value: v}
}

// asWritten is a number as the text that it is written as.
func asWritten(node ast.Node) ast.Node {
	switch node.(type) {
	case *ast.IntegerNode, *ast.FloatNode:
		return text(node, node.GetToken().Value)
	}
	return node
}

func text(node ast.Node, value string) ast.Node {
	return &ast.StringNode{BaseNode: &ast.BaseNode{}, Token: node.GetToken(), Value: value}
}

// cell is a value that is compared with those of a column: a number as tables have it.
func (d *decimal) cell(node ast.Node, column string) ast.Node {
	if asWritten(node) == node && !yamltext.IsNumber(node) {
		return node
	}
	_, v, is := yamltext.Number(node)
	switch {
	case !is:
		d.addf(node, "%s must be a number, or a text in quotes", column)
		return node
	case v == math.Trunc(v):
		return text(node, strconv.FormatFloat(v, 'f', 0, 64))
	}
	return text(node, spell(reflect.ValueOf(v)))
}

// instead says what stands where a number should.
func instead(node ast.Node) string {
	if node.Type() == ast.TagType {
		return ": leave the tag (!name) out"
	}
	return yamltext.Instead(node)
}
