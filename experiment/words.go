package experiment

import (
	"errors"
	"reflect"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// inWords says what a plan should have where the YAML library speaks of types of Go.
func inWords(err error) error {
	if typed, ok := errors.AsType[*yaml.TypeError](err); ok {
		return &yaml.SyntaxError{Message: "this must be " + kindOf(typed.DstType), Token: typed.Token}
	}
	if large, ok := errors.AsType[*yaml.OverflowError](err); ok {
		return &yaml.SyntaxError{Message: "this number is too large", Token: large.Token}
	}
	if node, ok := errors.AsType[*yaml.UnexpectedNodeTypeError](err); ok {
		what := "this must be " + expected(node.Expected)
		return &yaml.SyntaxError{Message: what, Token: node.Token}
	}
	return err
}

// kindOf is what is written where a type is filled.
func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return kindOf(t.Elem())
	case reflect.Slice, reflect.Array:
		return aList
	case reflect.Struct, reflect.Map:
		return someNames
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text"
	}
	return "a number"
}

// expected is what is written as a node of a type.
func expected(t ast.NodeType) string {
	switch t {
	case ast.SequenceType:
		return aList
	case ast.MappingType, ast.MappingValueType:
		return someNames
	}
	return "a " + t.YAMLName()
}

const aList, someNames = "a list", "names with values"
