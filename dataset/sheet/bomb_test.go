package sheet_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"io"
	"strings"
	"testing"
	"time"

	"mingle/dataset"
	"mingle/internal/memtest"
)

const mb = 1 << 20

// part is a part of a workbook: a text that is repeated, between two others.
type part struct {
	head, unit string
	times      int
	tail       string
}

// workbook is a workbook of one sheet; parts that are not given are small, or absent.
func workbook(t *testing.T, parts map[string]part) *bytes.Reader {
	t.Helper()
	all := map[string]part{
		"xl/workbook.xml": {head: `<workbook xmlns:r="http://schemas.openxmlformats.org/` +
			`officeDocument/2006/relationships"><sheets><sheet name="a" r:id="1"/></sheets></workbook>`},
		"xl/_rels/workbook.xml.rels": {head: `<R><Relationship Id="1" Target="a.xml"/></R>`},
		"xl/a.xml":                   rowsOf("<row>", `<c t="str"><v>x</v></c>`, 1, "</row>"),
	}
	for name, p := range parts {
		all[name] = p
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestSpeed)
	})
	for name, p := range all {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, p.head) // a buffer takes all
		for range p.times {
			io.WriteString(w, p.unit)
		}
		io.WriteString(w, p.tail)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(b.Bytes())
}

// rowsOf is a sheet with a header, and a text that is repeated behind it.
func rowsOf(head, unit string, times int, tail string) part {
	return part{
		`<worksheet><sheetData><row><c t="str"><v>items</v></c></row>` + head, unit, times,
		tail + `</sheetData></worksheet>`,
	}
}

// shared are the texts that cells share.
func shared(head, unit string, times int, tail string) part {
	return part{"<sst>" + head, unit, times, tail + "</sst>"}
}

// TestBombs: small workbooks that say much are refused, in bounded memory.
func TestBombs(t *testing.T) {
	long := strings.Repeat("x", mb)
	const text, much = "a text or a mark is larger than 4096 KiB", "unpacks to over 2048 MiB"
	const styles, texts, sheet = "xl/styles.xml", "xl/sharedStrings.xml", "xl/a.xml"
	run, piece := "<r><t>"+long+"</t></r>", "<![CDATA["+long+"]]>"
	one := shared("<si><t>", long, 3, "</t></si>")
	named := `<c t="s"><v>0</v></c>`
	for _, c := range []struct {
		name, want string
		most       uint64 // bytes
		parts      map[string]part
	}{
		{"pieces of a cell", text, 128 * mb, map[string]part{
			sheet: rowsOf(`<row><c t="str"><v>`, piece, 320, "</v></c></row>"),
		}},
		{"comments in a cell", text, 128 * mb, map[string]part{
			sheet: rowsOf(`<row><c t="str"><v>`, long+"<!-- -->", 320, "</v></c></row>"),
		}},
		{"runs of a cell", text, 128 * mb, map[string]part{
			sheet: rowsOf(`<row><c t="inlineStr"><is>`, run, 320, "</is></c></row>"),
		}},
		{"pieces of a number", text, 128 * mb, map[string]part{
			sheet: rowsOf(`<row><c><v>`, piece, 320, "</v></c></row>"),
		}},
		{"pieces of a name", text, 128 * mb, map[string]part{
			sheet: {"<worksheet><row><c><v>", piece, 320, "</v></c></row></worksheet>"},
		}},
		{"cells of a row", "in row 2: it has more than 16 MiB of text", 256 * mb, map[string]part{
			sheet: rowsOf("<row>", `<c t="str"><v>`+long+"</v></c>", 320, "</row>"),
		}},
		{"cells of one text", "in row 2: it has more than 16 MiB of text", 256 * mb, map[string]part{
			texts: one, sheet: rowsOf("<row>", named, 200, "</row>"),
		}},
		{"rows of one text that nobody asked for", much, 512 * mb, map[string]part{
			texts: one, sheet: {
				`<worksheet><row><c t="str"><v>transaction</v></c><c t="str"><v>item</v></c>` +
					`<c t="str"><v>b</v></c></row>`,
				"<row><c><v>1</v></c><c><v>1</v></c>" + named + "</row>", 1024, "</worksheet>",
			},
		}},
		{"attributes", text, 512 * mb, map[string]part{
			sheet: rowsOf("<row><c", ` a=""`, mb, "/></row>"),
		}},
		{"nested marks", "unexpected EOF", 128 * mb, map[string]part{
			sheet: rowsOf("<row><c>", "<v>", 4*mb, ""),
		}},
		{"pieces of a shared text", text, 128 * mb, map[string]part{
			texts: shared("<si><t>", piece, 320, "</t></si>"),
		}},
		{"runs of a shared text", text, 128 * mb, map[string]part{
			texts: shared("<si>", run, 320, "</si>"),
		}},
		{"shared texts without an end", text, 128 * mb, map[string]part{
			texts: shared("", "<t>"+long+"</t>", 320, ""),
		}},
		{"shared texts", "takes over 256 MiB", 1024 * mb, map[string]part{
			texts: shared("", "<si><t>"+long+"</t></si>", 260, ""),
		}},
		{"sheets of many parts", "the workbook has no part xl", 128 * mb, map[string]part{
			"xl/workbook.xml":            {"<w><sheets>", "<sheet/>", 10_000, "</sheets></w>"},
			"xl/_rels/workbook.xml.rels": {"<R>", "<Relationship/>", 4_000, "</R>"},
		}},
		{"a large part", "too large for a part of a workbook", 1024 * mb, map[string]part{
			styles: {"<s>", "<xf/>", 4 * mb, "</s>"},
		}},
		{"nested marks of a part", "unexpected EOF", 512 * mb, map[string]part{
			styles: {"<s>", "<s>", 2 * mb, ""},
		}},
	} {
		t.Run(c.name, func(t *testing.T) { refused(t, workbook(t, c.parts), c.most, c.want) })
	}
}

// TestManyCellsOfALongFormat: a format is looked at once, however many cells have it.
func TestManyCellsOfALongFormat(t *testing.T) {
	code := strings.Repeat("x", mb)
	r := workbook(t, map[string]part{"xl/styles.xml": {
		`<s><numFmts><numFmt numFmtId="200" formatCode="` + code + `"/></numFmts><cellXfs>`,
		`<xf numFmtId="200"/>`, 10_000, "</cellXfs></s>",
	}})
	begun := time.Now()
	_, err := dataset.Read(t.Context(), r, dataset.Options{Format: dataset.Sheet, Size: r.Size()})
	if took := time.Since(begun); err != nil || took > 20*time.Second {
		t.Errorf("%v, after %v", err, took)
	}
}

func refused(t *testing.T, r *bytes.Reader, most uint64, want string) {
	t.Helper()
	var err error
	memtest.Within(t, most, func() {
		opts := dataset.Options{Format: dataset.Sheet, Workers: 1, Size: r.Size()}
		_, err = dataset.Read(t.Context(), r, opts)
	})
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%d bytes: error %.300v, want one with %q", r.Size(), err, want)
	}
}
