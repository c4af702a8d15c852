package report

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"strconv"
	"strings"

	"mingle/internal/lazy"
)

// A page ends with its own hash: SHA-256 of the page as it is with 64 zeros in the hash's place. So
// whoever holds a signed copy can tell whether a file is the page that was signed.

// NoHash is what stands in the place of a page's own hash while it is taken.
var NoHash = strings.Repeat("0", 64)

// SealMark stands right before a page's own hash. It is markup, which no label can bring in.
const SealMark = `<code id="own-hash">`

// Seal puts the hash of a page into it, where NoHash stands.
func Seal(page string) (string, error) {
	before, after, found := strings.Cut(page, SealMark+NoHash)
	if !found {
		return "", errors.New("the page has no place for its own hash")
	}
	return before + SealMark + pageSum(page) + after, nil
}

func pageSum(page string) string {
	sum := sha256.Sum256([]byte(page))
	return hex.EncodeToString(sum[:])
}

// Page is what a page says of itself and of files, for whoever checks it.
type Page struct {
	Intact          bool   // its own hash is that of the rest of it
	Report          string // SHA-256 of the report that it was made of
	Inputs, Outputs []File
}

// IsPage tells whether a text is a page rather than a report.
func IsPage(text []byte) bool {
	return strings.HasPrefix(strings.TrimSpace(string(text[:min(len(text), 64)])), "<!DOCTYPE html")
}

var (
	sealPlace = lazy.Regexp(`<code id="own-hash">([0-9a-f]{64})</code>`)
	ofReport  = lazy.Regexp(`<code id="of-report">([0-9a-f]{64})</code>`)
	fileRow   = lazy.Regexp(`<tr class="(input|output)" data-role="([^"]*)" ` +
		`data-name="([^"]*)" data-format="([^"]*)" data-bytes="([0-9]*)" ` +
		`data-sha256="([0-9a-f]*)" data-keyed="([0-9a-f]*)">`)
)

// ReadPage reads what a page says that [Seal] has sealed.
func ReadPage(text []byte) (*Page, error) {
	page := string(text)
	seals, of := sealPlace().FindAllStringSubmatch(page, -1), ofReport().FindStringSubmatch(page)
	if len(seals) != 1 || of == nil {
		return nil, errors.New("this is not a page of mingle report: it does not end with its own hash")
	}
	own := seals[0][1]
	zeroed := strings.Replace(page, SealMark+own, SealMark+NoHash, 1)
	out := &Page{Intact: pageSum(zeroed) == own, Report: of[1]}
	for _, m := range fileRow().FindAllStringSubmatch(page, -1) {
		bytes, err := strconv.ParseInt("0"+m[5], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("this page is damaged: %q is no number of bytes", m[5])
		}
		f := File{
			Role: html.UnescapeString(m[2]), Name: html.UnescapeString(m[3]),
			Format: html.UnescapeString(m[4]), Bytes: bytes, SHA256: m[6], Keyed: m[7],
		}
		if m[1] == "input" {
			out.Inputs = append(out.Inputs, f)
		} else {
			out.Outputs = append(out.Outputs, f)
		}
	}
	return out, nil
}

var powers = lazy.Regexp(`\^[0-9m]+-(anonymity|diversity)`)

// Superscript writes the exponents of promises as people do: 5²-anonymity. All else stays as it is,
// such as a column's name.
func Superscript(text string) string {
	return powers().ReplaceAllStringFunc(text, func(promise string) string {
		power, of, _ := strings.Cut(promise[1:], "-")
		var out strings.Builder
		for _, digit := range power {
			if digit == 'm' {
				out.WriteRune('ᵐ')
				continue
			}
			out.WriteRune([]rune("⁰¹²³⁴⁵⁶⁷⁸⁹")[digit-'0'])
		}
		return out.String() + "-" + of
	})
}
