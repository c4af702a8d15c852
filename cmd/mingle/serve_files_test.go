package main

import (
	"bytes"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mingle/dataset/arrow"
	"mingle/dataset/column"
	"mingle/dataset/parquet"
	"mingle/dataset/sheet"
	"mingle/webui"
)

// A file whose columns have types, and names of their own, is read on the page: what the columns
// hold is guessed, and can be said.
func TestServeColumns(t *testing.T) {
	dir := t.TempDir()
	v := visits(t, webui.Options{})
	for name, maker := range map[string]column.Maker{
		"own.xlsx": sheet.Writer("visits", ';'), "own.parquet": parquet.NewWriter,
		"own.arrow": arrow.NewFile,
	} {
		path := filepath.Join(dir, name)
		writeColumns(t, path, maker, "visit,product,who", "1,a,p", "1,b,p", "2,a,q", "3,b,p")
		_, _, at := v.uploads(v.base+"open", path)
		text, _ := v.waits(at, `class="sums"`, `<div class="note bad"`)
		for _, want := range []string{
			`<option value="transaction" selected>`, `<option value="item" selected>`,
			"<dd>3</dd>", "<td>p</td>", `<option value="person">`,
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the page of the data lacks %s:\n%s", name, want, text)
			}
		}
		format := strings.TrimPrefix(filepath.Ext(name), ".")
		v.post(at, url.Values{
			"format": {format}, "name": {"visit", "product", "who"},
			"part": {"transaction", "item", "person"},
		})
		v.waits(at, `<option value="person" selected>`)
		v.post(at, url.Values{
			"format": {format}, "name": {"visit", "product", "who"},
			"part": {"item", "drop", "transaction"},
		})
		if text, _ = v.waits(at, "<dd>2</dd>", `<div class="note bad"`); !strings.Contains(text, "<dd>2</dd>") {
			t.Errorf("%s by other columns:\n%s", name, text)
		}
		project := strings.TrimSuffix(at, "data")
		v.publishes(project, url.Values{"k": {"2"}, "m": {"1"}, "algorithm": {"aa"}})
	}
}

// A text in another encoding is read when that is chosen on the page, its header, too.
func TestServeEncoding(t *testing.T) {
	path := filepath.Join(t.TempDir(), "till.csv")
	text := "visit,W\xe4re\n1,K\xe4se\n1,\xd6l\n2,K\xe4se\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	v := visits(t, webui.Options{})
	_, _, at := v.uploads(v.base+"open", path)
	page, _ := v.waits(at, `<div class="note bad"`)
	if !strings.Contains(page, "<option>windows-1252</option>") {
		t.Error("the encoding cannot be chosen")
	}
	v.post(at, url.Values{
		"format": {"long"}, "encoding": {"windows-1252"}, "name": {"visit", "W\ufffdre"},
		"part": {"transaction", "item"},
	})
	page, _ = v.waits(at, `class="sums"`, `<div class="note bad"`)
	for _, want := range []string{
		`<span class="item">Käse</span>`, `<span class="name">Wäre</span>`, "<dd>2</dd>",
		"<option selected>windows-1252</option>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page of the data lacks %s:\n%s", want, page)
		}
	}
	v.publishes(strings.TrimSuffix(at, "data"), url.Values{"k": {"2"}, "m": {"1"}, "algorithm": {"aa"}})
}

// writeColumns writes a file of columns of texts, given as lines.
func writeColumns(t *testing.T, path string, maker column.Maker, names string, lines ...string) {
	t.Helper()
	var fields []column.Field
	for _, name := range strings.Split(names, ",") {
		fields = append(fields, column.Field{Name: name})
	}
	var b column.Batch
	b.Reset(len(fields))
	for i := range fields {
		words := &column.Words{}
		for code, line := range lines {
			words.Add([]byte(strings.Split(line, ",")[i]))
			b.Cells[i].Codes = append(b.Cells[i].Codes, int32(code))
		}
		b.Cells[i].Words = words
	}
	b.Rows = len(lines)
	var text bytes.Buffer
	to, err := maker(&text, fields)
	if err == nil {
		err = to.Write(&b)
	}
	if err == nil {
		err = to.Close()
	}
	if err == nil {
		err = os.WriteFile(path, text.Bytes(), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A workbook whose first row is data loses none, and what its format has no use for is not asked
// for, nor ignored.
func TestServeSheetWithoutHeader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bare.xlsx")
	writeColumns(t, path, sheet.Writer("visits", ';'), "v0,tea", "v0,milk", "v1,tea", "v2,milk")
	v := visits(t, webui.Options{})
	_, _, at := v.uploads(v.base+"open", path)
	text, _ := v.waits(at, `class="sums"`, `<div class="note bad"`)
	for field, has := range map[string]bool{
		"header": true, "inner": true, "delimiter": false, "encoding": false,
	} {
		if strings.Contains(text, `name="`+field+`"`) != has {
			t.Errorf("the page has the field %s: %v, want %v", field, !has, has)
		}
	}
	_, _, led := v.post(at, url.Values{
		"format": {"xlsx"}, "header": {"no"}, "next": {"1"}, "name": {"v0", "tea"},
		"part": {"transaction", "item"},
	})
	if led != at {
		t.Errorf("columns that have other names now are gone on with: %s", led)
	}
	v.waits(at, "<td>v2</td>")
	v.post(at, url.Values{
		"format": {"xlsx"}, "header": {"no"}, "name": {"1", "2"}, "part": {"transaction", "item"},
	})
	text, _ = v.waits(at, `class="sums"`, `<div class="note bad"`)
	for _, want := range []string{"<dd>3</dd>", "<dd>1.3</dd>", "<td>v0</td>"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s:\n%s", want, text)
		}
	}
	v.post(at, url.Values{"format": {"xlsx"}, "delimiter": {";"}})
	text, _ = v.waits(at, `<div class="note bad"`)
	if !strings.Contains(text, "format xlsx has no delimiter") || !strings.Contains(text, `name="delimiter"`) {
		t.Errorf("a delimiter is ignored:\n%s", text)
	}
}
