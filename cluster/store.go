package cluster

import (
	"errors"
	"os"
)

// store is a file for blocks: what an engine delivers may be more than a driver has memory for. It
// lies in the directory for temporary files, readable by its owner alone, and has no name wherever
// the system lets a file go on without one.
type store struct {
	f  *os.File
	at int64
}

func newStore() (*store, error) {
	f, err := os.CreateTemp("", "mingle-sets-")
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name()) // where that fails it is removed in the end
	return &store{f: f}, nil
}

// put writes a block.
func (s *store) put(block []byte) (blob, error) {
	b := blob{in: s, at: s.at, size: len(block)}
	n, err := s.f.WriteAt(block, s.at)
	s.at += int64(n)
	return b, err
}

// close gives the room back.
func (s *store) close() error {
	err := s.f.Close()
	if gone := os.Remove(s.f.Name()); !errors.Is(gone, os.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}

// blob is a block, in memory or in a store.
type blob struct {
	raw  []byte
	in   *store // nil: in memory
	at   int64
	size int
}

// load is the block.
func (b blob) load() ([]byte, error) {
	if b.in == nil {
		return b.raw, nil
	}
	raw := make([]byte, b.size)
	_, err := b.in.f.ReadAt(raw, b.at)
	return raw, err
}
