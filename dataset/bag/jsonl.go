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
)

// jsonl reads an object a line; blank lines mean nothing. One field holds the values, an array of numbers and strings; the
// others pass through as the JSON they are.
func (rd *reader) jsonl(r io.Reader) error {
	br := bufio.NewReaderSize(r, 1<<16)
	rd.l.Header = nil
	for line := 1; ; line++ {
		text, err := br.ReadBytes('\n')
		if len(bytes.TrimSpace(text)) > 0 {
			if err := rd.object(text, line); err != nil {
				rd.fault(line, err)
			}
			rd.b.End(line)
		}
		if errors.Is(err, io.EOF) {
			rd.fill()
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", rd.l.name(), line, err)
		}
	}
}

// object reads one record.
func (rd *reader) object(text []byte, line int) error {
	if !utf8.Valid(text) {
		return errors.New("the line is not UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf(`%.40q is not a JSON object: each line must be one, as {"values":[1,2]}`, bytes.TrimSpace(text))
	}
	var seen []string
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return badJSON(err)
		}
		key := t.(string) // the decoder refuses other keys
		if slices.Contains(seen, key) {
			return fmt.Errorf("field %q is given twice", key)
		}
		seen = append(seen, key)
		if rd.l.Set == "" && slices.Contains([]string{"values", "items", "set"}, key) {
			rd.l.Set = key
		}
		if !slices.Contains(rd.l.Header, key) {
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
	if rd.l.Set == "" || !slices.Contains(seen, rd.l.Set) {
		return fmt.Errorf("the object has no field %q", cmp.Or(rd.l.Set, "values"))
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
		rd.pass(key, string(raw))
		return nil
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
func (rd *reader) pass(key, raw string) {
	at := slices.IndexFunc(rd.columns, func(c dataset.Column) bool { return c.Name == key })
	if at < 0 {
		at = len(rd.columns)
		rd.columns = append(rd.columns, dataset.Column{Name: key})
	}
	c := &rd.columns[at]
	c.Values = append(c.Values, make([]string, rd.b.Len()-len(c.Values))...)
	c.Values = append(c.Values, raw)
}

// fill makes all columns as long as there are records.
func (rd *reader) fill() {
	for i := range rd.columns {
		c := &rd.columns[i]
		c.Values = append(c.Values, make([]string, max(0, rd.b.Len()-len(c.Values)))...)
	}
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
