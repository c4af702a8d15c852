package releasefile

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mingle/internal/yamltext"
	"mingle/report"
)

// node is a part of a JSON schema.
type node = map[string]any

// Schema is the JSON schema of release files, for editors. It accepts what Read accepts, but for
// variables of the environment and the size of a text. About says what a field of a family is.
func Schema(about func(family string, f Field) string) ([]byte, error) {
	defs, each := node{}, []any{}
	for _, family := range all {
		defs[family] = familySchema(family, about)
		each = append(each, node{
			"if": node{
				"required": []string{"promise"},
				"properties": node{"promise": node{
					"type": "object", "required": []string{"family"},
					"properties": node{"family": node{"const": family}},
				}},
			},
			"then": node{"$ref": "#/$defs/" + family},
		})
	}
	defs["statements"], defs["condition"] = statementsSchema(), node{
		"type": "string", "pattern": report.ThresholdPattern,
	}
	out, err := json.MarshalIndent(node{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"title":       "mingle release file",
		"description": "One file that says a whole release: mingle run release.yaml",
		"type":        "object", "required": []string{"release", "promise"},
		"properties": node{
			"release": node{"const": Version, "description": "the version of the format"},
			"promise": node{
				"type": "object", "required": []string{"family"},
				"properties": node{"family": node{"enum": all}},
			},
		},
		"allOf": each, "$defs": defs,
	}, "", "  ")
	return append(out, '\n'), err
}

func familySchema(family string, about func(string, Field) string) node {
	sections := node{
		"release": node{},
		statementsSection: node{
			"$ref": "#/$defs/statements", "description": "what humans say on the page to sign",
		},
		failIfSection: failIfSchema(family),
	}
	needed := []string{"release"}
	for _, s := range Sections {
		section, required := sectionSchema(family, s.Name, about)
		section["description"] = s.About
		if len(required) > 0 {
			section["required"] = required
			needed = append(needed, s.Name)
		}
		sections[s.Name] = section
	}
	return node{
		"type": "object", "additionalProperties": false, "required": needed, "properties": sections,
	}
}

func sectionSchema(
	family, name string, about func(string, Field) string,
) (section node, required []string) {
	fields := node{}
	if name == "promise" {
		fields["family"] = node{"const": family, "description": "the kind of the promise"}
		required = append(required, "family")
	}
	for _, f := range Of(family) {
		if f.Section != name {
			continue
		}
		schema := f.schema(family)
		if text := about(family, f); text != "" {
			schema["description"] = text
		}
		fields[f.Name] = schema
		if f.Required {
			required = append(required, f.Name)
		}
	}
	return node{"type": "object", "additionalProperties": false, "properties": fields}, required
}

// schema is what a value of the field must be.
func (f Field) schema(family string) node {
	text := node{"type": "string", "minLength": 1}
	if !f.Secret {
		text["not"] = node{"pattern": variablePattern}
	}
	switch f.Kind {
	case Choice:
		return node{"enum": slices.Clone(f.Choices[family])}
	case Path, Target:
		return either(text, node{"type": "string", "pattern": serverPattern})
	case Yes:
		return node{"type": "boolean"}
	case Whole:
		return node{"type": "integer", "minimum": f.Least, "maximum": yamltext.MaxWhole}
	case Number:
		return node{"type": "number", "minimum": 0, "maximum": 1}
	case Amount:
		return either(
			node{"type": "number", "minimum": 0, "maximum": yamltext.MaxWhole},
			node{"type": "string", "pattern": amountPattern},
		)
	case Size:
		return either(
			node{"type": "integer", "minimum": 1, "maximum": yamltext.MaxWhole},
			node{"type": "string", "pattern": sizePattern},
		)
	case Char:
		return either(
			node{"type": "string", "minLength": 1, "maxLength": 1},
			node{"type": "string", "pattern": wordPattern},
		)
	case Time:
		return node{"type": "string", "pattern": timePattern}
	case Ratio:
		return node{"type": "string", "pattern": ratioPattern}
	case List:
		return either(text, node{"type": "array", "minItems": 1, "items": text})
	}
	return text
}

func either(a, b node) node { return node{"anyOf": []any{a, b}} }

func statementsSchema() node {
	fields := node{}
	for _, f := range report.AllFields() {
		fields[f.Name] = node{
			"type": "string", "maxLength": report.LongestStatement,
			"description": f.Label + ": " + f.Hint,
		}
	}
	return node{"type": "object", "additionalProperties": false, "properties": fields}
}

func failIfSchema(family string) node {
	condition := node{"$ref": "#/$defs/condition"}
	one := either(condition, node{"type": "array", "minItems": 1, "items": condition})
	named, known := node{}, node{}
	for _, f := range report.Figures(family) {
		schema := node{"anyOf": one["anyOf"], "description": f.What}
		if f.Known {
			known["^"+f.Name+"_m([1-9][0-9]{0,2}|1000)$"] = schema
		} else {
			named[f.Name] = schema
		}
	}
	return node{
		"type": "object", "additionalProperties": false,
		"properties": named, "patternProperties": known,
		"description": "nothing is published where a figure is so, such as " +
			`{ncp: ">0.05", singled_out_m3: ">1%"}; ` + fmt.Sprintf("figures: %s",
			strings.Join(figureNames(family), ", ")),
	}
}

// figureNames are the figures of a family, with N for how many items are known.
func figureNames(family string) []string {
	var out []string
	for _, f := range report.Figures(family) {
		name := f.Name
		if f.Known {
			name += "_mN"
		}
		out = append(out, name)
	}
	return out
}
