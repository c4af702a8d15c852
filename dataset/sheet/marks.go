package sheet

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"

	"mingle/internal/limits"
)

// maxPiece is the most bytes of XML between two marks of it, and of the text of one cell, which may
// come in many pieces: texts have at most 32,767 characters.
const maxPiece = 4 << 20

// marks are the marks and texts of a part of the workbook, which is read piece by piece.
type marks struct {
	xml     *xml.Decoder
	in      io.Reader
	left    int // bytes that the piece at hand may take
	account *limits.Account
}

func newMarks(in io.Reader, account *limits.Account) *marks {
	m := &marks{in: in, account: account}
	m.xml = xml.NewDecoder(m)
	return m
}

// next is the next mark or text. It is valid until the one after.
func (m *marks) next() (xml.Token, error) {
	m.left = maxPiece
	return m.xml.RawToken()
}

// Read implements io.Reader. It ends where one piece is too long, or all of them are.
func (m *marks) Read(p []byte) (int, error) {
	if m.left <= 0 {
		return 0, errTooLong
	}
	n, err := m.in.Read(p[:min(len(p), m.left)])
	m.left -= n
	if over := m.account.Work(int64(n)); over != nil {
		return 0, over
	}
	return n, err
}

// appendPiece appends a piece to the text that begins at from.
func appendPiece(dst []byte, from int, piece xml.CharData) ([]byte, error) {
	if len(dst)-from+len(piece) > maxPiece {
		return dst, errTooLong
	}
	return append(dst, piece...), nil
}

var errTooLong = fmt.Errorf("a text or a mark is larger than %s, and a cell has at most %d "+
	"characters", limits.Bytes(maxPiece), MaxText)

// inText tells whether a piece belongs to a text that is shown: how it is spoken does not.
type inText struct{ shown, spoken bool }

func (i *inText) start(name string) {
	i.spoken = i.spoken || name == "rPh"
	i.shown = name == "v" || name == "t" && !i.spoken
}

func (i *inText) end(name string) {
	i.shown, i.spoken = false, i.spoken && name != "rPh"
}

// damaged says what is damaged, and where. What is too large as a whole is at no place.
func damaged(where string, err error) error {
	if _, whole := errors.AsType[*limits.TooLarge](err); whole {
		return err
	}
	return fmt.Errorf("%s: %w", where, err)
}
