// Package yamltext reads the text of a YAML file that a person writes, and refuses, before it is
// parsed, what would make a short text a large structure.
package yamltext

import (
	"fmt"
	"io"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"

	"mingle/internal/limits"
)

// MaxNesting is how deep brackets, or list marks on a line, may be nested.
const MaxNesting = 16

// Read reads the text of what, such as "a plan".
func Read(r io.Reader, what string) ([]byte, error) {
	text, err := limits.All(r, limits.MaxPlan, what)
	if err != nil {
		return nil, err
	}
	return text, shallow(text, what)
}

func shallow(text []byte, what string) error {
	flow, marks, line := 0, 0, 0
	for _, t := range lexer.Tokenize(string(text)) {
		if t.Position.Line != line {
			line, marks = t.Position.Line, 0
		}
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			flow++
		case token.MappingEndType, token.SequenceEndType:
			flow--
		case token.SequenceEntryType, token.MappingKeyType, token.MappingValueType:
			if flow <= 0 {
				marks++
			}
		}
		if flow > MaxNesting || marks > MaxNesting {
			return fmt.Errorf("line %d: brackets or list marks are nested more than %d deep: "+
				"%s needs two or three", line, MaxNesting, what)
		}
	}
	return nil
}
