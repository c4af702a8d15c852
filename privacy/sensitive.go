package privacy

import (
	"errors"
	"fmt"
	"strings"
)

// What is promised and said of sensitive items and sensitive columns.
//
// With SensitiveKnown, for every set J of at most m published nodes and sensitive items that occurs
// sup(J) >= k; and for every such J, the empty one included, and every sensitive item s that is not
// in J, l * sup(J and s) <= sup(J). Where the unit is a person, sup(J) >= k is about the persons
// with a single line that has all of J, and the shares are bounded of lines and of persons both
// (persons.go).
//
// Of a sensitive column, for every such J and every value v of the column: l * sup(J and v) is at
// most the number of lines with J that have a value.

// validateSensitive returns what is wrong with what is asked for sensitive items and columns.
func (p KM) validateSensitive() error {
	var faults []error
	fault := func(broken bool, text string) {
		if broken {
			faults = append(faults, errors.New(text))
		}
	}
	fault(p.SensitiveKnown && (!p.Diverse() || p.ColumnsOnly),
		"that sensitive items are known needs sensitive items, and l")
	fault(len(p.Columns) > 0 && !p.Diverse(),
		"a sensitive column needs l: at most 1/l of what matches has any one value")
	fault(p.ColumnsOnly && len(p.Columns) == 0, "no sensitive column is named")
	fault(p.NullIsValue && len(p.Columns) == 0,
		"that an empty value is a value needs a sensitive column")
	fault(p.OpenValues && len(p.Columns) == 0,
		"values that are listed as not sensitive need a sensitive column")
	return errors.Join(faults...)
}

func (p KM) sensitiveParameters() (out []Parameter) {
	if p.SensitiveKnown {
		out = append(out, Parameter{"sensitive_known", true})
	}
	if len(p.Columns) > 0 {
		out = append(out, Parameter{"sensitive_columns", strings.Join(p.Columns, ", ")})
	}
	if p.NullIsValue {
		out = append(out, Parameter{"null_is_value", true})
	}
	if p.OpenValues {
		out = append(out, Parameter{"open_values", true})
	}
	return out
}

// HasSensitiveItems tells whether some items are sensitive.
func (p KM) HasSensitiveItems() bool { return p.Diverse() && !p.ColumnsOnly }

// Only is a clause on which of a person's items may be known, where some are sensitive: behind
// "items", followed by end; "" where all items are alike.
func (p KM) Only(end string) string {
	switch {
	case !p.HasSensitiveItems():
		return ""
	case p.SensitiveKnown:
		return ", sensitive ones too" + end
	}
	return ", none of them sensitive" + end
}

// ButOpen is a clause on which values are bounded: behind these, followed by end; "" where all are.
func (p KM) ButOpen(end string) string {
	if !p.OpenValues {
		return ""
	}
	return ", but those listed as not sensitive" + end
}

// ratios are the conditions of l^m-diversity, as the next ones in a list; "" where none is asked.
func (p KM) ratios() string {
	s := ""
	if p.HasSensitiveItems() {
		s += fmt.Sprintf("; support(c and s)/support(c) <= 1/%d for every such c, the empty set "+
			"included, and every sensitive item s", p.L)
	}
	if p.SensitiveKnown {
		s += " that is not in c"
	}
	if len(p.Columns) > 0 {
		s += fmt.Sprintf("; of the lines with c that have a value, at most 1/%d have any one%s, "+
			"for every such c, the empty set included, and %s", p.L, p.ButOpen(""), p.columnNames())
	}
	return s
}

// ofColumns says which columns diversity is about; "" where there are none.
func (p KM) ofColumns() string {
	if len(p.Columns) == 0 {
		return ""
	}
	what := " of "
	if !p.ColumnsOnly {
		what = " of items and "
	}
	return what + p.columnNames()
}

// columnNames names the sensitive columns, as "column" or "each of columns".
func (p KM) columnNames() string {
	var names []string
	for _, c := range p.Columns {
		names = append(names, fmt.Sprintf("%q", c))
	}
	if len(names) == 1 {
		return "column " + names[0]
	}
	return "each of columns " + strings.Join(names, ", ")
}

// KnownSensitive says what is left of somebody of whom a sensitive item, or the value of a
// sensitive column, is known, where that is not covered; "" where it is.
func (p KM) KnownSensitive() string {
	var s []string
	if p.HasSensitiveItems() && !p.SensitiveKnown {
		s = append(s, "A sensitive item that is known may leave one candidate: sensitive items "+
			"are published as they are, and knowing one is not covered.")
	}
	if len(p.Columns) > 0 {
		s = append(s, "A value of a sensitive column that is known may leave one candidate: "+
			"values are published as they are, and knowing one is not covered.")
	}
	return strings.Join(s, " ")
}

// weighed is what counting shares leaves to somebody who knows the algorithm, in the small worlds
// of docs/threat-model.md.
const weighed = "Shares are counted, too, and not weighed: to somebody who also runs the " +
	"algorithm in mind it may be all but certain that a person has a sensitive item or value."

// notCoveredOfSensitive is what l^m-diversity leaves open.
func (p KM) notCoveredOfSensitive() (out []string) {
	if !p.AgainstAlgorithm() {
		out = append(out, weighed)
	}
	if s := p.KnownSensitive(); s != "" {
		out = append(out, s)
	}
	if p.SensitiveKnown {
		out = append(out,
			"Sensitive occurrences may be missing from the published file, where generalizing "+
				"the other items could not keep the promise. How many are, and why just these, "+
				"is not taken into account.",
			"Knowledge that a person does not have a sensitive item is not covered: of people "+
				"who have one of two sensitive items each, it tells the other.")
	}
	if p.HasSensitiveItems() {
		out = append(out, "Each sensitive item is bounded by itself: that a person has some one "+
			"of them, or one of several that mean nearly the same, is not.")
	}
	if len(p.Columns) > 0 {
		out = append(out, "Values of a sensitive column are equal or different, and nothing "+
			"else: that a person has one of several that mean nearly the same is not bounded.")
	}
	if len(p.Columns) > 1 {
		out = append(out, "Sensitive columns are judged one by one: what several together tell "+
			"is not bounded.")
	}
	if len(p.Columns) > 0 && !p.NullIsValue {
		out = append(out, "That a person has a value in a sensitive column, or has none, is not "+
			"hidden: empty values are not counted.")
	}
	return append(out, p.boundedInference())
}

// boundedInference says what inference is bounded of, and nothing else.
func (p KM) boundedInference() string {
	switch {
	case p.ColumnsOnly:
		return "Inference is bounded for the values of the sensitive column" +
			plural(len(p.Columns)) + p.ButOpen(",") + " only."
	case len(p.Columns) > 0:
		return "Inference is bounded for the sensitive items, and the values of the sensitive " +
			"column" + plural(len(p.Columns)) + p.ButOpen("") + ", only."
	}
	return "Inference is bounded for the sensitive items only."
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// count counts things.
func count(n int, thing string) string { return fmt.Sprintf("%d %s%s", n, thing, plural(n)) }
