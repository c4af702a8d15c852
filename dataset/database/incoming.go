package database

import (
	"crypto/rand"
	"encoding/hex"

	"mingle/dataset/rows"
)

// incoming is a table to be, whose rows come as a stream of package rows.
type incoming struct {
	staging string // its name until it is placed
	header  rows.Header
	sink    *sink // nil until the header is whole
	begin   func() (*sink, error)
}

// stagingName is one that nobody uses.
func stagingName() string {
	var random [8]byte
	rand.Read(random[:]) // never fails, see crypto/rand
	return "mingle_" + hex.EncodeToString(random[:])
}

// Write takes the header off, lets the table be created, and passes the rest on.
func (n *incoming) Write(p []byte) (int, error) {
	rest, whole, err := n.header.Take(p)
	if err != nil || !whole {
		return len(p), err
	}
	if n.sink == nil {
		if n.sink, err = n.begin(); err != nil {
			return 0, err
		}
	}
	if _, err := n.sink.Write(rest); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Finish waits until all rows are in the table.
func (n *incoming) Finish() error { return n.sink.finish(nil) }
