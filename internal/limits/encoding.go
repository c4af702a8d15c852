package limits

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// An encoding turns the bytes of a text into UTF-8.
type encoding struct {
	name  string
	other string           // a further name
	table *charmap.Charmap // nil: UTF-16
	big   bool
}

var encodings = []encoding{
	{name: "windows-1252", other: "cp1252", table: charmap.Windows1252},
	{name: "latin-1", other: "iso-8859-1", table: charmap.ISO8859_1},
	{name: "latin-9", other: "iso-8859-15", table: charmap.ISO8859_15},
	{name: "latin-2", other: "iso-8859-2", table: charmap.ISO8859_2},
	{name: "windows-1250", other: "cp1250", table: charmap.Windows1250},
	{name: "windows-1251", other: "cp1251", table: charmap.Windows1251},
	{name: "windows-1253", other: "cp1253", table: charmap.Windows1253},
	{name: "utf-16le"},
	{name: "utf-16be", big: true},
}

// UTF8 is the encoding that needs no name.
const UTF8 = "utf-8"

// Encodings are the names of those that can be read.
func Encodings() []string {
	names := []string{UTF8}
	for _, e := range encodings {
		names = append(names, e.name)
	}
	return names
}

// CheckEncoding refuses names of encodings that cannot be read; "" is no name.
func CheckEncoding(name string) error {
	if _, ok := encodingOf(name); ok || isUTF8(name) {
		return nil
	}
	return fmt.Errorf("encoding %q is not known: it must be one of %s", name,
		strings.Join(Encodings(), ", "))
}

func isUTF8(name string) bool {
	return name == "" || strings.EqualFold(name, UTF8) || strings.EqualFold(name, "utf8")
}

func encodingOf(name string) (encoding, bool) {
	small := strings.ToLower(name)
	i := slices.IndexFunc(encodings, func(e encoding) bool {
		return small != "" && (small == e.name || small == e.other)
	})
	if i < 0 {
		return encoding{}, false
	}
	return encodings[i], true
}

// OpenAs is Open for a text in an encoding. Where none is named, UTF-16 is read where the text has
// its mark: Encoding then names it.
func OpenAs(r io.Reader, workers int, name string) (*Text, error) {
	t, err := open(r, workers)
	marked, isMarked := errors.AsType[*errUTF16](err)
	e, named := encodingOf(name)
	switch {
	case isMarked && (!named && !isUTF8(name) || named && e.table != nil):
	case isMarked:
		e, named, err = marked.encoding, true, nil
		_, _ = t.Discard(2) // it was looked at
	case err == nil && !named:
		err = CheckEncoding(name)
	}
	if err == nil && named {
		t.Encoding = e.name
		t.Reader = bufio.NewReaderSize(&decoder{of: e, r: t.Reader, line: 1}, bufferSize)
	}
	if err != nil {
		t.Close()
	}
	return t, err
}

// errUTF16 says that a text has the mark of UTF-16.
type errUTF16 struct{ encoding }

func (*errUTF16) Error() string { return "the text is UTF-16: save it as UTF-8" }

// decoder reads a text as UTF-8.
type decoder struct {
	of   encoding
	r    *bufio.Reader
	line int
	out  []byte
	err  error
}

func (d *decoder) Read(p []byte) (int, error) {
	for len(d.out) == 0 {
		if d.err != nil {
			return 0, d.err
		}
		d.out = d.out[:0]
		if d.of.table != nil {
			d.err = d.bytes()
		} else {
			d.err = d.units()
		}
	}
	n := copy(p, d.out)
	if d.out = d.out[n:]; len(d.out) == 0 {
		d.out = nil
	}
	return n, nil
}

const decodedAtOnce = 1 << 15

// bytes decodes some bytes, a character each.
func (d *decoder) bytes() error {
	var b [decodedAtOnce]byte
	n, err := d.r.Read(b[:])
	d.out = make([]byte, 0, 2*n)
	for _, c := range b[:n] {
		if c == '\n' {
			d.line++
		}
		if c < utf8.RuneSelf {
			d.out = append(d.out, c)
			continue
		}
		r := d.of.table.DecodeByte(c)
		if r == utf8.RuneError || r >= 0x80 && r < 0xa0 && d.of.table != charmap.ISO8859_1 {
			return fmt.Errorf("line %d: byte 0x%02x is no character of %s: is it another encoding?",
				d.line, c, d.of.name)
		}
		d.out = utf8.AppendRune(d.out, r)
	}
	return err
}

// units decodes some units of 16 bits, of which a character has one or two.
func (d *decoder) units() error {
	d.out = make([]byte, 0, decodedAtOnce+utf8.UTFMax)
	for len(d.out) < decodedAtOnce {
		r, err := d.unit()
		if err != nil {
			return err
		}
		if utf16.IsSurrogate(r) {
			second, err := d.unit()
			if err == io.EOF {
				err = nil
			}
			if err != nil {
				return err
			}
			pair := utf16.DecodeRune(r, second)
			if pair == utf8.RuneError {
				return fmt.Errorf("line %d: half of a surrogate pair is no character: is the text "+
					"really UTF-16?", d.line)
			}
			r = pair
		}
		if r == '\n' {
			d.line++
		}
		d.out = utf8.AppendRune(d.out, r)
	}
	return nil
}

func (d *decoder) unit() (rune, error) {
	first, err := d.r.ReadByte()
	if err != nil {
		return 0, err
	}
	second, err := d.r.ReadByte()
	if err == io.EOF {
		err = fmt.Errorf("line %d: the text ends within a character of UTF-16", d.line)
	}
	if err != nil {
		return 0, err
	}
	if d.of.big {
		return rune(first)<<8 | rune(second), nil
	}
	return rune(second)<<8 | rune(first), nil
}

// Guess is the character that a byte is in Windows-1252, in which most texts are that are not
// UTF-8, for messages.
func Guess(c byte) (r rune, ok bool) {
	r = charmap.Windows1252.DecodeByte(c)
	return r, r != utf8.RuneError && r >= 0xa0
}
