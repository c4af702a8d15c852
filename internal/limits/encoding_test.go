package limits

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"unicode/utf16"

	"mingle/internal/soak"
)

func decoded(text []byte, encoding string) (string, *Text, error) {
	t, err := OpenAs(bytes.NewReader(text), 1, encoding)
	if err != nil {
		return "", t, err
	}
	defer t.Close()
	out, err := io.ReadAll(t)
	return string(out), t, err
}

func TestEncodings(t *testing.T) {
	const text = "äpfel,é😀\nβ\n"
	var little, big []byte
	for _, u := range utf16.Encode([]rune(text)) {
		little, big = append(little, byte(u), byte(u>>8)), append(big, byte(u>>8), byte(u))
	}
	for _, c := range []struct {
		name, in, encoding, want, as, err string
	}{
		{"plain", text, "", text, "", ""},
		{"named", text, "UTF-8", text, "", ""},
		{"little mark", "\xff\xfe" + string(little), "", text, "utf-16le", ""},
		{"big mark", "\xfe\xff" + string(big), "", text, "utf-16be", ""},
		{"big mark, little named", "\xfe\xff" + string(big), "utf-16le", text, "utf-16be", ""},
		{"no mark", string(big), "utf-16be", text, "utf-16be", ""},
		{"windows", "\xe4\x80\xdf", "windows-1252", "ä€ß", "windows-1252", ""},
		{"latin", "\xe4\xdf", "ISO-8859-1", "äß", "latin-1", ""},
		{"cyrillic", "\xc4\xe0", "cp1251", "Да", "windows-1251", ""},
		{"no character", "a\n\x81", "windows-1252", "", "", "line 2: byte 0x81 is no character"},
		{"half a pair", "\x00\xd8a\x00", "utf-16le", "", "", "line 1: half of a surrogate pair"},
		{"cut", "a\x00b", "utf-16le", "", "", "line 1: the text ends within a character"},
		{"unknown", "a", "ebcdic", "", "", "must be one of utf-8, windows-1252"},
		{"another mark", "\xff\xfea\x00", "latin-1", "", "", "the text is UTF-16"},
	} {
		got, file, err := decoded([]byte(c.in), c.encoding)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %q", c.name, err, c.err)
			}
			continue
		}
		if err != nil || got != c.want || file.Encoding != c.as {
			t.Errorf("%s: %q as %q, %v", c.name, got, file.Encoding, err)
		}
	}
}

// Open, which has no place to say so, still refuses UTF-16.
func TestOpenRefusesUTF16(t *testing.T) {
	if _, err := Open(strings.NewReader("\xff\xfea\x00"), 1); err == nil {
		t.Error("read")
	}
}

func FuzzOpenAs(f *testing.F) {
	f.Add([]byte("\xff\xfea\x00"), "")
	f.Add([]byte("\xe4\x80\n"), "windows-1252")
	f.Add([]byte("\xd8\x3d\xde\x00"), "utf-16be")
	soak.Fuzz(f, func(t *testing.T, text []byte, encoding string) {
		got, _, err := decoded(text, encoding)
		if err == nil && len(got) > 4*len(text) && !bytes.HasPrefix(text, []byte{0x1f, 0x8b}) {
			t.Errorf("%d bytes became %d", len(text), len(got))
		}
	})
}
