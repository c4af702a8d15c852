package yamltext

import (
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"mingle/internal/lazy"
)

// MaxWhole is the greatest whole number: all programs that read JSON or YAML can hold it.
const MaxWhole = 1 << 53

// Number is a number as it is written, in plain digits. All are decimal: 010 is ten, as in YAML
// 1.2, and 0x10, 0b10, 0o10 and 1_0 are none.
func Number(node ast.Node) (text string, v float64, is bool) {
	if !IsNumber(node) {
		return "", 0, false
	}
	text = node.GetToken().Value
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.ContainsAny(text, "_xXpP") {
		return "", 0, false
	}
	if !plainNumber().MatchString(strings.TrimPrefix(text, "-")) {
		text = strconv.FormatFloat(v, 'f', -1, 64)
	}
	return text, v, true
}

// IsNumber tells whether a value is a number in YAML 1.2. The YAML library takes some with an
// exponent for texts.
func IsNumber(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.IntegerNode, *ast.FloatNode:
		return true
	case *ast.StringNode:
		return n.Token.Type == token.StringType && coreNumber().MatchString(n.Value)
	}
	return false
}

var (
	plainNumber = lazy.Regexp(`^(0|[1-9][0-9]*)(\.[0-9]+)?$`)
	// coreNumber is a number in the core schema of YAML 1.2.
	coreNumber = lazy.Regexp(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
)

// Instead says what stands where something else should.
func Instead(node ast.Node) string {
	switch node.Type() {
	case ast.NullType:
		return ", and nothing is given: leave it out, or say what it should be"
	case ast.SequenceType:
		return ", and is a list"
	case ast.MappingType, ast.MappingValueType:
		return ", and has names with values"
	case ast.AnchorType, ast.AliasType, ast.MergeKeyType, ast.TagType:
		return ": anchors (&name), aliases (*name), << and tags (!name) are not read; write the " +
			"value out, or put the text in quotes"
	}
	return ""
}
