package dataset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"mingle/internal/limits"
)

// jsonParser reads one object a line. Fields other than the set are kept: as JSON text, so that
// they are written back as they were; label fields as plain text.
type jsonParser struct {
	ids    *interner
	set    string
	labels map[string]bool
	values map[string]bool // of the labels: those that may be missing, null, true or false
	at     map[string]int  // name of a field -> its column in the part
	what   string          // a field is: "an item", or "a value"
	skip   bool            // objects in which something is missing are left out
}

const anItem = "an item"

func (p *jsonParser) interner() *interner { return p.ids }

func (p *jsonParser) parse(b []byte, out *part) {
	checkText(b, out)
	clear(p.at)
	line := 0
	for ; len(b) > 0; line++ {
		n := bytes.IndexByte(b, '\n')
		text := bytes.TrimRight(b[:n], " \t\r")
		b = b[n+1:]
		if len(text) == 0 {
			continue
		}
		if limits.LoneSurrogate(text) {
			out.faultf(line, "JSON: half of a surrogate pair is no character")
		} else if p.skip && p.incomplete(text) {
			out.incomplete++
			continue
		} else if why := p.object(text, out); why != "" {
			out.faultf(line, "%s", why)
		}
		out.end(line)
	}
	out.count = line
}

// incomplete tells whether something is missing in the object of a line: the set, or a field that
// is named, or it is null, or a value of the set is null or an empty text. What is broken
// otherwise, or has the name of the set in other letters, is not incomplete but wrong.
func (p *jsonParser) incomplete(text []byte) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return false
	}
	missing := func(name string) bool {
		value, there := fields[name]
		return !there || string(value) == "null"
	}
	for name := range p.labels {
		if missing(name) && !p.values[name] {
			return true
		}
	}
	if !missing(p.set) {
		var values []json.RawMessage
		return json.Unmarshal(fields[p.set], &values) == nil &&
			slices.ContainsFunc(values, func(v json.RawMessage) bool {
				return string(v) == "null" || string(v) == `""`
			})
	}
	for name := range fields {
		if name != p.set && strings.EqualFold(name, p.set) {
			return false
		}
	}
	return true
}

// object reads the object of one line; it returns what is wrong with it.
func (p *jsonParser) object(b []byte, out *part) (fault string) {
	i := skipSpace(b, 0)
	if i == len(b) || b[i] != '{' {
		return fmt.Sprintf(
			"%s is not a JSON object: each line must be one, as {%q:[\"a\",\"b\"]}", shown(b),
			p.set,
		)
	}
	i = skipSpace(b, i+1)
	hasItems := false
	var other []byte // the set's name in other letters
	for n := 0; i < len(b) && b[i] != '}'; n++ {
		if n > 0 {
			if b[i] != ',' {
				return fmt.Sprintf("JSON: a comma is missing before %s", shown(b[i:]))
			}
			i = skipSpace(b, i+1)
		}
		key, value, fault := fieldName(b, i)
		if fault != "" {
			return fault
		}
		end := 0
		i = value
		if string(key) == p.set {
			if hasItems {
				return fmt.Sprintf("field %s is given twice", shown(key))
			}
			hasItems = true
			if len(out.ends) == 0 {
				out.setAt = n
			}
			if end = p.plainItems(b, i, out); end < 0 {
				end = skipValue(b, i)
				fault = p.items(b[i:end], out)
			}
		} else {
			if strings.EqualFold(string(key), p.set) {
				other = key
			}
			end = skipValue(b, i)
			fault = p.keep(string(key), b[i:end], out)
		}
		if fault != "" {
			return fault
		}
		i = skipSpace(b, end)
	}
	if i == len(b) {
		return "JSON: the object is not closed on its line"
	}
	if i = skipSpace(b, i+1); i < len(b) {
		return fmt.Sprintf("JSON: %s after the object: each line must be one object", shown(b[i:]))
	}
	if fault := p.setFault(hasItems, other); fault != "" {
		return fault
	}
	return p.missingLabel(len(out.ends), out)
}

// setFault says what is wrong with the field of the set: it is missing, or stands beside another
// whose name differs in case only.
func (p *jsonParser) setFault(there bool, other []byte) string {
	switch {
	case !there && other != nil:
		return fmt.Sprintf("the object has no field %q: did you mean %s?", p.set, shown(other))
	case !there:
		return fmt.Sprintf("the object has no field %q", p.set)
	case other != nil:
		return fmt.Sprintf("fields %q and %s differ in case only, which readers take in "+
			"different ways: rename one", p.set, shown(other))
	}
	return ""
}

// fieldName reads the name of a field at i, and finds its value.
func fieldName(b []byte, i int) (key []byte, value int, fault string) {
	end := skipValue(b, i)
	key, ok := jsonText(b[i:end])
	if !ok {
		return nil, 0, fmt.Sprintf("JSON: a field's name is expected at %s", shown(b[i:]))
	}
	i = skipSpace(b, end)
	if i == len(b) || b[i] != ':' {
		return nil, 0, fmt.Sprintf("JSON: a colon is missing after the name %s", shown(key))
	}
	return key, skipSpace(b, i+1), ""
}

var tooManyFields = fmt.Sprintf("the objects have more than %d different fields: columns are "+
	"fields, so that their names must not be values", limits.MaxColumns)

// keep stores the value of a field other than the set for the current transaction.
func (p *jsonParser) keep(name string, raw []byte, out *part) string {
	if !json.Valid(raw) {
		return fmt.Sprintf("JSON: the value of %s is broken: %s", shown(name), shown(raw))
	}
	row := int32(len(out.ends))
	at, ok := p.at[name]
	if !ok && len(out.cols) == limits.MaxColumns {
		return tooManyFields
	}
	if !ok {
		at = len(out.cols)
		p.at[name] = at
		out.cols = append(out.cols, partColumn{name: name, rows: []int32{}})
	}
	c := &out.cols[at]
	if len(c.rows) > 0 && c.rows[len(c.rows)-1] == row {
		return fmt.Sprintf("field %s is given twice", shown(name))
	}
	value := raw
	if p.labels[name] {
		if value, ok = p.text(name, raw); !ok {
			return fmt.Sprintf("label %q must be a string or a number, not %s", name, shown(raw))
		}
	}
	c.rows = append(c.rows, row)
	c.values.add(value)
	return ""
}

// text is a label field as text.
func (p *jsonParser) text(name string, raw []byte) ([]byte, bool) {
	if p.values[name] {
		switch string(raw) {
		case "null":
			return nil, true
		case "true", "false":
			return raw, true
		}
	}
	return labelText(raw)
}

func (p *jsonParser) missingLabel(row int, out *part) string {
	if len(p.labels) == 0 {
		return ""
	}
	for _, name := range sortedKeys(p.labels) {
		at, ok := p.at[name]
		if ok {
			rows := out.cols[at].rows
			ok = len(rows) > 0 && rows[len(rows)-1] == int32(row)
		}
		if !ok && !p.values[name] {
			return fmt.Sprintf("the object has no field %q, which is named as a label", name)
		}
	}
	return ""
}

// plainItems reads the array of the set at i, if it is one of strings with nothing to decode and
// short numbers, and finds its end. Where anything else comes up it takes nothing and returns -1:
// items knows what to make of it.
func (p *jsonParser) plainItems(b []byte, i int, out *part) (end int) {
	if i == len(b) || b[i] != '[' {
		return -1
	}
	before := len(out.items)
	for i = skipSpace(b, i+1); i < len(b); i = skipSpace(b, i+1) {
		from, to := i, i
		if b[i] == '"' {
			from, to = i+1, plainEnd(b, i+1)
			i = to + 1
		} else {
			for to < len(b) && isDigit(b[to]) {
				to++
			}
			if _, short := smallNumber(b[from:to]); !short {
				break
			}
			i = to
		}
		if from == to {
			break
		}
		if i = skipSpace(b, i); i == len(b) || b[i] != ',' && b[i] != ']' {
			break // 1e5 begins like 1, which may be no item
		}
		out.items = append(out.items, p.ids.id(b[from:to]))
		if b[i] == ']' {
			return i + 1
		}
	}
	out.items = out.items[:before]
	return -1
}

// plainBytes are the bytes that stand for themselves in a JSON string, one byte a character.
var plainBytes = func() (plain [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()

// plainEnd finds the quote that ends the text from i on; i itself where a character comes before
// that must be decoded.
func plainEnd(b []byte, i int) int {
	for to := i; to < len(b); to++ {
		if !plainBytes[b[to]] {
			if b[to] == '"' {
				return to
			}
			break
		}
	}
	return i
}

// items reads the array of the set: strings and numbers.
func (p *jsonParser) items(b []byte, out *part) string {
	if len(b) == 0 || b[0] != '[' {
		return fmt.Sprintf(
			"field %q must be an array of strings or numbers, not %s", p.set, shown(b),
		)
	}
	i := skipSpace(b, 1)
	for n := 0; i < len(b) && b[i] != ']'; n++ {
		if n > 0 {
			if b[i] != ',' {
				return fmt.Sprintf("JSON: a comma is missing in %q before %s", p.set, shown(b[i:]))
			}
			i = skipSpace(b, i+1)
		}
		end := skipValue(b, i)
		label, ok := labelText(b[i:end])
		if !ok {
			return fmt.Sprintf("%s must be a string or a number, not %s", p.what, shown(b[i:end]))
		}
		if len(label) == 0 {
			return "an item is an empty string: items need a name"
		}
		out.items = append(out.items, p.ids.id(label))
		i = skipSpace(b, end)
	}
	if i != len(b)-1 {
		return fmt.Sprintf("JSON: the array of %q is not closed", p.set)
	}
	return ""
}

// labelText is the text of a JSON string or number.
func labelText(raw []byte) ([]byte, bool) {
	if len(raw) > 0 && (raw[0] == '-' || isDigit(raw[0])) {
		if _, short := smallNumber(raw); short {
			return raw, true
		}
		return raw, json.Valid(raw)
	}
	return jsonText(raw)
}

// jsonText decodes a JSON string.
func jsonText(raw []byte) ([]byte, bool) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return nil, false
	}
	inner := raw[1 : len(raw)-1]
	plain := true
	for _, c := range inner {
		if c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			plain = false
			break
		}
	}
	if plain {
		return inner, true
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return nil, false
	}
	return []byte(s), true
}

// skipSpace passes over JSON's blanks.
func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// skipValue finds the end of the JSON value at i. It looks only at what delimits; the value itself
// may be broken.
func skipValue(b []byte, i int) int {
	if i == len(b) {
		return i
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '[', '{':
		for depth := 0; i < len(b); i++ {
			switch b[i] {
			case '[', '{':
				depth++
			case ']', '}':
				if depth--; depth == 0 {
					return i + 1
				}
			case '"':
				i = skipString(b, i) - 1
			}
		}
		return i
	}
	for i < len(b) && bytes.IndexByte([]byte(",]}: \t\r"), b[i]) < 0 {
		i++
	}
	return i
}

func skipString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}
