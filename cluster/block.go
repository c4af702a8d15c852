package cluster

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// A block is a list of sets of ranks, ascending in lexicographic order, each with its count: what
// workers send each other. Every number is the difference to its neighbour as a varint: of the
// first rank in which a set differs from the one before, then of the ranks behind it among
// themselves. It is compressed, and spelt in base64, for engines hand on lines of text.

// blockBytes is about how large a block is before it is compressed.
const blockBytes = 256 << 10

// coder compresses; it is made when it is first needed.
var coder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // the options are constant
	}
	return e
})

var decoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderMaxMemory(64<<20))
	if err != nil {
		panic(err)
	}
	return d
})

// writer makes blocks of ascending sets.
type writer struct {
	size  int
	raw   []byte
	last  []int32
	count int // sets in raw
	put   func(block []byte) error
}

func newWriter(size int, put func(block []byte) error) *writer {
	return &writer{size: size, put: put}
}

// add appends a set, which must be above the one before.
func (w *writer) add(set []int32, n int64) error {
	at := 0
	if w.count > 0 {
		for at < w.size-1 && set[at] == w.last[at] {
			at++
		}
		w.raw = binary.AppendUvarint(w.raw, uint64(at))
		w.raw = binary.AppendUvarint(w.raw, uint64(set[at]-w.last[at]))
	} else {
		w.raw = binary.AppendUvarint(w.raw, 0)
		w.raw = binary.AppendUvarint(w.raw, uint64(set[0]))
	}
	for i := at + 1; i < w.size; i++ {
		w.raw = binary.AppendUvarint(w.raw, uint64(set[i]-set[i-1]))
	}
	w.raw = binary.AppendUvarint(w.raw, uint64(n))
	w.last = append(w.last[:0], set...)
	w.count++
	if len(w.raw) >= blockBytes {
		return w.flush()
	}
	return nil
}

// flush ends the block under way.
func (w *writer) flush() error {
	if w.count == 0 {
		return nil
	}
	head := binary.AppendUvarint(nil, uint64(w.size))
	head = binary.AppendUvarint(head, uint64(w.count))
	block := coder().EncodeAll(append(head, w.raw...), nil)
	w.raw, w.count = w.raw[:0], 0
	return w.put(block)
}

// errBlock is what is wrong with a block that cannot be read.
var errBlock = errors.New("a block of counts is damaged")

// sets is a block that is read.
type sets struct {
	raw  []byte
	left int
	set  []int32 // the one under way
	n    int64
	any  bool
}

// open reads the head of a block of sets of a size.
func open(block []byte, size int) (*sets, error) {
	raw, err := decoder().DecodeAll(block, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errBlock, err)
	}
	s := &sets{raw: raw, set: make([]int32, size)}
	own := s.number()
	s.left = int(s.number())
	if own != int64(size) || s.left <= 0 {
		return nil, fmt.Errorf("%w: it has sets of %d, not of %d", errBlock, own, size)
	}
	return s, nil
}

// number reads a varint; -1: there is none.
func (s *sets) number() int64 {
	v, n := binary.Uvarint(s.raw)
	if n <= 0 || v > 1<<62 {
		s.raw = nil
		return -1
	}
	s.raw = s.raw[n:]
	return int64(v)
}

// next goes to the next set; false at the end. What ends early or goes wrong is an error.
func (s *sets) next() (bool, error) {
	if s.left == 0 {
		if len(s.raw) > 0 {
			return false, fmt.Errorf("%w: there is more than it says", errBlock)
		}
		return false, nil
	}
	s.left--
	at := s.number()
	if at < 0 || at >= int64(len(s.set)) || !s.any && at != 0 {
		return false, errBlock
	}
	for i := int(at); i < len(s.set); i++ {
		step := s.number()
		from := int64(0)
		if i > int(at) {
			from = int64(s.set[i-1])
		} else if s.any {
			from = int64(s.set[i])
		}
		up := s.any && i == int(at) || i > int(at)
		if step < 0 || up && step == 0 || from+step > 1<<31-1 {
			return false, errBlock
		}
		s.set[i] = int32(from + step)
	}
	if s.n = s.number(); s.n < 0 {
		return false, errBlock
	}
	s.any = true
	return true, nil
}

// spell is a block as text, and back.
func spell(block []byte) string { return base64.RawStdEncoding.EncodeToString(block) }

func unspell(text string) ([]byte, error) {
	block, err := base64.RawStdEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errBlock, err)
	}
	return block, nil
}

// checksum is that of a block under its name. Those of many are added up, in any order.
func checksum(name string, block []byte) uint64 {
	h := sha256.New()
	h.Write([]byte(name))
	h.Write([]byte{0})
	h.Write(block)
	return binary.LittleEndian.Uint64(h.Sum(nil))
}
