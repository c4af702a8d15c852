package bag

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"mingle/dataset"
	"mingle/internal/limits"
)

// jsonl reads an object a line; blank lines mean nothing. One field holds the values, an array of numbers and strings; the
// others pass through as the JSON they are.
func (rd *reader) jsonl(r io.Reader) error {
	rd.l.Header, rd.at = nil, map[string]int{}
	for in := limits.NewLines(r, 0); ; {
		text, err := in.Next()
		if errors.Is(err, io.EOF) {
			return rd.fill(in.N)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", rd.l.name(), in.N, err)
		}
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if err := rd.object(text, in.N); err != nil {
			if tooLarge, ok := errors.AsType[*limits.TooLarge](err); ok {
				return fmt.Errorf("%s:%d: %w", rd.l.name(), in.N, tooLarge)
			}
			rd.fault(in.N, err)
		}
		if err := rd.end(in.N); err != nil {
			return err
		}
	}
}

// object reads one record.
func (rd *reader) object(text []byte, line int) error {
	if !utf8.Valid(text) {
		return errors.New("the line is not UTF-8")
	}
	if limits.LoneSurrogate(text) {
		return errors.New("JSON: half of a surrogate pair is no character")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf(`%.40q is not a JSON object: each line must be one, as {"values":[1,2]}`, bytes.TrimSpace(text))
	}
	seen := map[string]bool{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return badJSON(err)
		}
		key := t.(string) // the decoder refuses other keys
		if seen[key] {
			return fmt.Errorf("field %.60q is given twice", key)
		}
		seen[key] = true
		if rd.l.Set == "" && slices.Contains([]string{"values", "items", "set"}, key) {
			rd.l.Set = key
		}
		if _, known := rd.at[key]; !known {
			if len(rd.at) == limits.MaxColumns {
				return &limits.TooLarge{Why: fmt.Sprintf("the objects have more than %d different fields, the most that are read", limits.MaxColumns)}
			}
			rd.at[key] = -1
			rd.l.Header = append(rd.l.Header, key)
		}
		if err := rd.member(dec, key, line); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return badJSON(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("JSON: something stands behind the object")
	}
	if rd.l.Set == "" || !seen[rd.l.Set] {
		return fmt.Errorf("the object has no field %q", cmp.Or(rd.l.Set, "values"))
	}
	for key := range seen {
		if key != rd.l.Set && strings.EqualFold(key, rd.l.Set) {
			return fmt.Errorf("field %q is also given in other letters, which readers take in different ways: rename one", rd.l.Set)
		}
	}
	return nil
}

func badJSON(err error) error { return fmt.Errorf("JSON: %w", err) }

// member reads the value of a field.
func (rd *reader) member(dec *json.Decoder, key string, line int) error {
	if key != rd.l.Set {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return badJSON(err)
		}
		return rd.pass(key, string(raw))
	}
	var values []json.RawMessage
	if err := dec.Decode(&values); err != nil {
		return fmt.Errorf("JSON: field %q is not an array: %w", key, err)
	}
	for _, v := range values {
		field := string(v)
		switch {
		case v[0] == '"':
			if err := json.Unmarshal(v, &field); err != nil {
				return badJSON(err)
			}
		case v[0] != '-' && (v[0] < '0' || v[0] > '9'):
			return fmt.Errorf("a value must be a number or a string, not %.40q", v)
		}
		rd.fields([]string{field}, line)
	}
	return nil
}

// pass notes the field of the current record; "" stands for none.
func (rd *reader) pass(key, raw string) error {
	at := rd.at[key]
	if at < 0 {
		at = len(rd.columns)
		rd.at[key] = at
		rd.columns = append(rd.columns, dataset.Column{Name: key})
	}
	if err := rd.pad(at, rd.b.Len()); err != nil {
		return err
	}
	rd.cells += bytesPerCell + int64(len(raw))
	rd.columns[at].Values = append(rd.columns[at].Values, raw)
	return nil
}

// pad fills a column up to n values.
func (rd *reader) pad(at, n int) error {
	c := &rd.columns[at]
	absent := max(0, n-len(c.Values))
	rd.cells += bytesPerCell * int64(absent)
	if err := rd.account.Hold(rd.b.held() + rd.cells); err != nil {
		return err
	}
	c.Values = append(c.Values, make([]string, absent)...)
	return nil
}

// fill makes all columns as long as there are records.
func (rd *reader) fill(line int) error {
	for i := range rd.columns {
		if err := rd.pad(i, rd.b.Len()); err != nil {
			return fmt.Errorf("%s:%d: %w", rd.l.name(), line, err)
		}
	}
	return nil
}

// writeJSONL writes an object a record, fields in the order in which they were met. Values and ranges are strings.
func (l *Layout) writeJSONL(w *bufio.Writer, b *Bags) error {
	texts := make([][]byte, len(b.terms))
	for i, t := range b.terms {
		texts[i], _ = json.Marshal(t.String()) // a string can always be written
	}
	set, header := cmp.Or(l.Set, "values"), l.Header
	if header == nil {
		for _, c := range b.Columns {
			header = append(header, c.Name)
		}
		header = append(header, set)
	}
	for i := range b.Len() {
		fields := make([]string, 0, len(header))
		at := 0
		for _, name := range header {
			key, _ := json.Marshal(name)
			if name == set {
				var all [][]byte
				for _, id := range b.Record(i) {
					all = append(all, texts[id])
				}
				fields = append(fields, string(key)+":["+string(bytes.Join(all, []byte(",")))+"]")
				continue
			}
			value := b.Columns[at].Values[i]
			if at++; !l.raw {
				text, _ := json.Marshal(value)
				value = string(text)
			}
			if value != "" {
				fields = append(fields, string(key)+":"+value)
			}
		}
		if _, err := w.WriteString("{" + strings.Join(fields, ",") + "}\n"); err != nil {
			return err
		}
	}
	return nil
}
