package dataset

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"mingle/internal/soak"
)

// The naive twins of the readers of text: written from docs/formats.md, one record after the other,
// without a look at the readers. They say what a text means that is sound; whether it is, they do
// not know. What a reader accepts must be what its twin says.

// twin reads a text; false: it does not know what it means.
type twin func(text string) (txs [][]string, ok bool)

func fuzzTwin(f *testing.F, opts Options, read twin, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	soak.Fuzz(f, func(t *testing.T, text []byte) {
		if isPacked(text) {
			return
		}
		d, err := Read(context.Background(), bytes.NewReader(text), opts)
		if err != nil {
			return
		}
		want, ok := read(strings.TrimPrefix(string(text), "\ufeff"))
		if !ok {
			t.Fatalf("read as %q, which the twin cannot read", sets(d))
		}
		got := unordered(sets(d))
		if want = unordered(want); !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("read as %q, the twin says %q", got, want)
		}
	})
}

// isPacked tells whether a file is compressed, or in an encoding of two bytes: no text for a twin.
func isPacked(text []byte) bool {
	for _, mark := range []string{"\x1f\x8b", "\x28\xb5\x2f\xfd", "\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(text, []byte(mark)) {
			return true
		}
	}
	return len(text) > 3 && text[0]&0xf0 == 0x50 && bytes.HasPrefix(text[1:], []byte("\x2a\x4d\x18"))
}

// unordered is each transaction as a sorted set.
func unordered(txs [][]string) [][]string {
	out := [][]string{}
	for _, tx := range txs {
		tx = slices.Clone(tx)
		slices.Sort(tx)
		out = append(out, slices.Compact(tx))
	}
	return out
}

// linesIn are the lines of a text; after a last line feed none follows.
func linesIn(text string) []string {
	lines := strings.Split(text, "\n")
	if last := len(lines) - 1; lines[last] == "" {
		lines = lines[:last]
	}
	return lines
}

func words(line string) []string {
	return strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\v\f\r", r) })
}

func twinFimi(text string) (txs [][]string, ok bool) {
	for _, line := range linesIn(text) {
		txs = append(txs, words(line))
	}
	return txs, true
}

func twinSPMF(text string) (txs [][]string, ok bool) {
	names := map[string]string{}
	for _, line := range linesIn(text) {
		line = strings.TrimSuffix(line, "\r")
		if rest, is := strings.CutPrefix(line, "@ITEM="); is {
			number, name, _ := strings.Cut(rest, "=")
			names[number] = name
		}
		if strings.HasPrefix(line, "@") || strings.HasPrefix(line, "#") ||
			strings.HasPrefix(line, "%") || len(words(line)) == 0 {
			continue
		}
		txs = append(txs, words(line))
	}
	for _, tx := range txs {
		for i, number := range tx {
			if name, is := names[number]; is && name != "" {
				tx[i] = name
			}
		}
	}
	return txs, true
}

// twinField is a field of a record; blanks at the ends are part of it where it was quoted.
type twinField struct {
	text   string
	quoted bool
}

func (f twinField) trimmed() string {
	if f.quoted {
		return f.text
	}
	return strings.Trim(f.text, " \t")
}

// twinRecords are the records of a text as RFC 4180 has them, a character after the other.
func twinRecords(text string, delim byte) (records [][]twinField) {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	var record []twinField
	var field strings.Builder
	quoted, was := false, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '"' && i+1 < len(text) && text[i+1] == '"':
			field.WriteByte('"')
			i++
		case c == '"':
			quoted, was = !quoted, true
		case quoted:
			field.WriteByte(c)
		case c == '\r' && i+1 < len(text) && text[i+1] == '\n':
		case c == delim || c == '\n':
			record = append(record, twinField{field.String(), was})
			field.Reset()
			was = false
			if c == '\n' {
				records = append(records, record)
				record = nil
			}
		default:
			field.WriteByte(c)
		}
	}
	return records
}

// itemsIn are the fields that hold something.
func itemsIn(fields []twinField) (items []string) {
	for _, f := range fields {
		if text := f.trimmed(); text != "" {
			items = append(items, text)
		}
	}
	return items
}

func twinBasket(text string) (txs [][]string, ok bool) {
	for _, record := range twinRecords(text, ',') {
		txs = append(txs, itemsIn(record))
	}
	return txs, true
}

// rowsOf are the rows below the header, and where columns are; empty lines are nothing, before the
// header, too.
func rowsOf(text string, names ...string) (rows [][]twinField, at []int, ok bool) {
	for _, record := range twinRecords(text, ',') {
		if len(record) > 1 || record[0] != (twinField{}) {
			rows = append(rows, record)
		}
	}
	if len(rows) == 0 {
		return nil, nil, false
	}
	for _, name := range names {
		at = append(at, slices.IndexFunc(rows[0], func(f twinField) bool {
			return f.trimmed() == name
		}))
	}
	return rows[1:], at, !slices.Contains(at, -1)
}

func twinLong(text string) (txs [][]string, ok bool) {
	rows, at, ok := rowsOf(text, "t", "i")
	if !ok {
		return nil, false
	}
	places := map[string]int{}
	for _, row := range rows {
		key := row[at[0]].trimmed()
		place, is := places[key]
		if !is {
			place = len(txs)
			places[key] = place
			txs = append(txs, nil)
		}
		txs[place] = append(txs[place], itemsIn(row[at[1]:][:1])...)
	}
	return txs, true
}

func twinTable(text string) (txs [][]string, ok bool) {
	rows, at, ok := rowsOf(text, "items")
	if !ok {
		return nil, false
	}
	for _, row := range rows {
		var items []twinField
		for part := range strings.SplitSeq(row[at[0]].text, ";") {
			items = append(items, twinField{part, false})
		}
		txs = append(txs, itemsIn(items))
	}
	return txs, true
}

func twinJSONL(text string) (txs [][]string, ok bool) {
	for _, line := range linesIn(text) {
		if strings.Trim(line, " \t\r") == "" {
			continue
		}
		fields := map[string]json.RawMessage{}
		var items []json.RawMessage
		if json.Unmarshal([]byte(line), &fields) != nil ||
			json.Unmarshal(fields["items"], &items) != nil {
			return nil, false
		}
		tx := []string{}
		for _, raw := range items {
			text := string(raw)
			if raw[0] == '"' {
				if json.Unmarshal(raw, &text) != nil {
					return nil, false
				}
			}
			tx = append(tx, text)
		}
		txs = append(txs, tx)
	}
	return txs, true
}

func FuzzTwinFimi(f *testing.F) {
	fuzzTwin(f, Options{Format: Fimi}, twinFimi, "1 2 3\n\n007 7\r\n", "\ufeffa \ufeffb\n-1")
}

func FuzzTwinSPMF(f *testing.F) {
	fuzzTwin(f, Options{Format: SPMF}, twinSPMF, "@ITEM=1=apple\n1 2\n# x\n\n3\n", "007 7\n")
}

func FuzzTwinBasket(f *testing.F) {
	fuzzTwin(f, Options{Format: Basket}, twinBasket, "a,b\n\n\"x\"\"y\",\" z \",\n", "\"a\nb\",c\r\n")
}

func FuzzTwinLong(f *testing.F) {
	fuzzTwin(f, Options{Format: Long, TransactionColumn: "t", ItemColumn: "i"}, twinLong,
		"t,i\n1,a\n2,b\n1,c\n", "i,x,t\n1,,2\n\n\"a\nb\",\"\"\"\",2\r\n")
}

func FuzzTwinTable(f *testing.F) {
	fuzzTwin(f, Options{Format: Table, SetColumn: "items", InnerDelimiter: ';'}, twinTable,
		"id,items\n1,a;b\n2,\n", "items\n\"\"\n\"a\n;b\"\n")
}

func FuzzTwinJSONL(f *testing.F) {
	fuzzTwin(f, Options{Format: JSONL}, twinJSONL, "{\"id\":1,\"items\":[\"a\",7]}\n",
		"{\"\":\"\\u0041\",\"items\":[\"\\u0000\"]}\n\n{\"items\":[-1e5]}")
}

// FuzzFormatsAgree: the same data in every format gives the same dataset. A format may refuse what
// it cannot hold; what it takes, its reader gives back.
func FuzzFormatsAgree(f *testing.F) {
	f.Add("a b\n\nb c\n", "x")
	f.Add("1 007\n7\n", "")
	f.Add("a,b \"c\"\n;|\n", "é😀")
	soak.Fuzz(f, func(t *testing.T, text, last string) {
		if len(text) > 1<<12 {
			return
		}
		var txs [][]string
		for line := range strings.SplitSeq(text, "\n") {
			txs = append(txs, strings.Split(line, " "))
		}
		for i, tx := range txs {
			txs[i] = slices.DeleteFunc(tx, func(s string) bool { return s == "" })
		}
		txs[0] = append(txs[0], last)
		d := FromLabels(txs)
		want := unordered(sets(d))
		for _, format := range Formats() {
			var b bytes.Buffer
			if Write(&b, d, Options{Format: format}) != nil {
				continue
			}
			back, err := Read(context.Background(), &b, Options{Format: format})
			if err != nil {
				t.Fatalf("%s: written, but not read: %v", format, err)
			}
			if got := unordered(sets(back)); !slices.EqualFunc(got, want, slices.Equal) {
				t.Fatalf("%s: %q, want %q", format, got, want)
			}
		}
	})
}
