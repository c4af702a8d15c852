package database

import (
	"encoding/binary"
	"io"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// tap stands between a connection and its driver. While a COPY sends rows, it takes them out of
// what the server says, many at a time; the driver would look at every message, one a row. All
// other messages pass, so that errors, notices and the end are the driver's business (PostgreSQL
// 15, "Frontend/Backend Protocol", "Message Formats").
type tap struct {
	in   io.Reader
	to   io.Writer // where rows go; nil: they pass, too
	buf  []byte
	rest []byte // of buf: what was read and is not dealt with yet
	left int    // bytes of the current message that are to come
	take bool   // the current message has rows
	rows []byte // taken, and not written yet
}

const (
	tapSize  = 1 << 17
	copyData = 'd' // the type of messages with rows
	// bytes before the content of a message: its type, and its length without that
	messageHeader = 5
)

// tapped lets a configuration make a connection with a tap.
func tapped(config *pgconn.Config) *tap {
	t := &tap{buf: make([]byte, 8192)}
	config.BuildFrontend = func(r io.Reader, w io.Writer) *pgproto3.Frontend {
		t.in, t.rest, t.left = r, nil, 0 // of another host, where the first did not answer
		return pgproto3.NewFrontend(t, w)
	}
	return t
}

// begin sends rows to w, until it is called with nil. The driver must wait for nothing.
func (t *tap) begin(w io.Writer) {
	if t.to = w; w != nil && len(t.buf) < tapSize && len(t.rest) == 0 {
		t.buf = make([]byte, tapSize)
	}
}

// Read reads what is for the driver. Rows that came before that are written first.
func (t *tap) Read(p []byte) (n int, err error) {
	for {
		if n, err = t.deal(p); err != nil || n > 0 || len(p) == 0 {
			return n, err
		}
		// what is left is less than the header of a message
		kept := copy(t.buf, t.rest)
		got, err := t.in.Read(t.buf[kept:])
		if t.rest = t.buf[:kept+got]; got == 0 && err != nil {
			return 0, err
		}
	}
}

// deal deals with what was read: up to the end of p with what is for the driver.
func (t *tap) deal(p []byte) (n int, err error) {
	for len(t.rest) > 0 && n < len(p) {
		if t.left == 0 && !t.next() {
			break
		}
		part := t.rest[:min(t.left, len(t.rest))]
		if !t.take {
			part = part[:copy(p[n:], part)]
			n += len(part)
		} else if t.rows = append(t.rows, part...); len(t.rows) >= tapSize {
			if err := t.write(); err != nil {
				return 0, err
			}
		}
		t.rest, t.left = t.rest[len(part):], t.left-len(part)
	}
	if n > 0 {
		err = t.write()
	}
	return n, err
}

// next begins a message; false: its header is not there yet.
func (t *tap) next() bool {
	if len(t.rest) < messageHeader {
		return false
	}
	t.left = max(messageHeader, 1+int(binary.BigEndian.Uint32(t.rest[1:])))
	if t.take = t.to != nil && t.rest[0] == copyData; t.take {
		t.rest, t.left = t.rest[messageHeader:], t.left-messageHeader
	}
	return true
}

// write writes the rows that were taken.
func (t *tap) write() error {
	if len(t.rows) == 0 {
		return nil
	}
	_, err := t.to.Write(t.rows)
	t.rows = t.rows[:0]
	return err
}
