package database

import "mingle/dataset/rows"

// incoming is a table to be, whose rows come as a stream of package rows.
type incoming struct {
	header rows.Header
	sink   *sink // nil until the header is whole
	begin  func() (*sink, error)
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
