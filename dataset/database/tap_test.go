package database

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// said is a message of a server.
type said struct {
	kind byte
	text []byte
}

func (m said) bytes() []byte {
	out := binary.BigEndian.AppendUint32([]byte{m.kind}, uint32(4+len(m.text)))
	return append(out, m.text...)
}

// inPieces reads a text in pieces of the sizes drawn.
type inPieces struct {
	t    *rapid.T
	text []byte
}

func (p *inPieces) Read(to []byte) (int, error) {
	if len(p.text) == 0 {
		return 0, io.EOF
	}
	n := rapid.IntRange(1, min(len(to), len(p.text))).Draw(p.t, "piece")
	copy(to, p.text[:n])
	p.text = p.text[n:]
	return n, nil
}

// However the bytes of a server come, rows go one way and all else the other, both in their order;
// and rows have been written when the driver gets what came after them.
func TestTap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var stream, rows, others []byte
		written := map[int]int{} // by bytes for the driver: the bytes of rows before them
		copying := rapid.Bool().Draw(t, "copying")
		for range rapid.IntRange(0, 12).Draw(t, "messages") {
			m := said{kind: rapid.SampledFrom([]byte("ddddHCZN")).Draw(t, "kind")}
			size := rapid.SampledFrom([]int{0, 1, 9, 300, tapSize - 1, 2 * tapSize}).Draw(t, "size")
			m.text = bytes.Repeat([]byte{byte(len(stream))}, size)
			stream = append(stream, m.bytes()...)
			if copying && m.kind == copyData {
				rows = append(rows, m.text...)
				continue
			}
			written[len(others)] = len(rows)
			others = append(others, m.bytes()...)
		}
		tap, to := &tap{in: &inPieces{t, stream}, buf: make([]byte, 8192)}, &bytes.Buffer{}
		if copying {
			tap.begin(to)
		}
		var got []byte
		p := make([]byte, rapid.SampledFrom([]int{1, 5, 8192}).Draw(t, "room"))
		for {
			n, err := tap.Read(p)
			for at := len(got); at < len(got)+n; at++ {
				if to.Len() < written[at] {
					t.Fatalf("byte %d before %d bytes of rows, and %d were written", at, written[at],
						to.Len())
				}
			}
			got = append(got, p[:n]...)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(got, others) {
			t.Fatalf("%d bytes for the driver, want %d", len(got), len(others))
		}
		// those behind the last other message may be missing
		if !bytes.HasPrefix(rows, to.Bytes()) {
			t.Fatalf("%d bytes of rows, not the first of %d", to.Len(), len(rows))
		}
	})
}

// A message whose length is none passes, for the driver to refuse; errors of both sides come out.
func TestTapBreaks(t *testing.T) {
	broken := []byte{copyData, 0, 0, 0, 1, 7, 7, 7, 7, 7}
	through := &tap{in: bytes.NewReader(broken), buf: make([]byte, 64)}
	if got, err := io.ReadAll(through); err != nil || !bytes.Equal(got, broken) {
		t.Errorf("%v, %v", got, err)
	}
	lost := errors.New("lost")
	silent := &tap{in: iotest.ErrReader(lost), buf: make([]byte, 64)}
	if _, err := silent.Read(make([]byte, 9)); !errors.Is(err, lost) {
		t.Error(err)
	}
	text := append(said{copyData, []byte("row")}.bytes(), said{'c', nil}.bytes()...)
	full := &tap{in: bytes.NewReader(text), buf: make([]byte, 64)}
	r, w := io.Pipe()
	r.CloseWithError(lost)
	full.begin(w)
	if _, err := io.ReadAll(full); !errors.Is(err, lost) {
		t.Error(err)
	}
}
