package parquet

import (
	"encoding/binary"
	"errors"

	"mingle/dataset/column"
)

var errPage = errors.New("a page is damaged")

// hybrid reads numbers of a fixed width in runs: repeated ones, and packed ones. They are handed
// out as they are asked for, so that a run of any length takes no memory.
type hybrid struct {
	b      []byte
	width  uint
	repeat int    // left of a run of one value
	value  int32  // that
	packed int    // left of a run of packed values
	bit    int    // where the next of them begins in b
	end    int    // of the run in b
	most   uint32 // the greatest number handed out so far
}

// fill puts the next len(dst) numbers into dst.
func (h *hybrid) fill(dst []int32) error {
	if h.width == 0 && len(h.b) == 0 && h.repeat+h.packed == 0 {
		clear(dst) // the only value there can be
		return nil
	}
	for len(dst) > 0 {
		switch {
		case h.repeat > 0:
			n := min(h.repeat, len(dst))
			h.most = max(h.most, uint32(h.value))
			for i := range dst[:n] {
				dst[i] = h.value
			}
			h.repeat -= n
			dst = dst[n:]
		case h.packed > 0:
			n := min(h.packed, len(dst))
			h.unpack(dst[:n])
			if h.packed -= n; h.packed == 0 {
				h.b = h.b[h.end:]
			}
			dst = dst[n:]
		default:
			if err := h.run(); err != nil {
				return err
			}
		}
	}
	return nil
}

// runs adds the next n numbers to cells in runs.
func (h *hybrid) runs(cells *column.Cells, n int) error {
	var some [64]int32
	for n > 0 {
		if h.repeat > 0 {
			h.most = max(h.most, uint32(h.value))
			now := min(h.repeat, n)
			cells.AddRun(h.value, now)
			h.repeat -= now
			n -= now
			continue
		}
		now := some[:min(n, max(8, h.packed), len(some))]
		if err := h.fill(now); err != nil {
			return err
		}
		n -= len(now)
		for len(now) > 0 {
			same := 1
			for same < len(now) && now[same] == now[0] {
				same++
			}
			cells.AddRun(now[0], same)
			now = now[same:]
		}
	}
	return nil
}

// same takes the next n numbers where all are one number in one run, and else none.
func (h *hybrid) same(n int, value int32) bool {
	if h.repeat == 0 && h.packed == 0 && len(h.b) > 0 && h.b[0]&1 == 0 && h.run() != nil {
		return false // it is told when it is read
	}
	if h.repeat < n || h.value != value {
		return false
	}
	h.repeat -= n
	return true
}

// run begins the next run.
func (h *hybrid) run() error {
	head, n := uvarint(h.b)
	if n <= 0 || head>>1 > 1<<31 {
		return errPage
	}
	h.b = h.b[n:]
	if head&1 == 0 {
		size := int(h.width+7) / 8
		if len(h.b) < size || head == 0 {
			return errPage
		}
		h.value = 0
		for i := range size {
			h.value |= int32(h.b[i]) << (8 * i)
		}
		h.b, h.repeat = h.b[size:], int(head>>1)
		return nil
	}
	groups := int(head >> 1)
	size := groups * int(h.width)
	if groups == 0 {
		return errPage
	}
	h.packed = 8 * groups
	if size > len(h.b) { // the last run may be cut where no more values are needed
		size = len(h.b)
		if h.packed = size * 8 / int(h.width); h.packed == 0 {
			return errPage
		}
	}
	h.bit, h.end = 0, size
	return nil
}

// unpack reads packed values, the lowest bits first: four or two at a time, while 8 bytes hold
// these and are there.
func (h *hybrid) unpack(dst []int32) {
	b, width := h.b, h.width
	mask := uint64(1)<<width - 1
	bit, most := h.bit, uint64(h.most)
	for ; width <= 14 && len(dst) >= 4 && bit>>3+8 <= len(b); dst = dst[4:] {
		word := binary.LittleEndian.Uint64(b[bit>>3:]) >> (bit & 7)
		v0, v1 := word&mask, word>>(width&63)&mask
		v2, v3 := word>>(2*width&63)&mask, word>>(3*width&63)&mask
		most = max(most, max(v0, v1), max(v2, v3))
		dst[0], dst[1], dst[2], dst[3] = int32(v0), int32(v1), int32(v2), int32(v3)
		bit += 4 * int(width)
	}
	for ; width <= 28 && len(dst) >= 2 && bit>>3+8 <= len(b); dst = dst[2:] {
		word := binary.LittleEndian.Uint64(b[bit>>3:]) >> (bit & 7)
		v0, v1 := word&mask, word>>(width&63)&mask
		most = max(most, v0, v1)
		dst[0], dst[1] = int32(v0), int32(v1)
		bit += 2 * int(width)
	}
	for i := range dst {
		at, shift := bit>>3, uint(bit&7)
		var word uint64
		if at+8 <= len(b) {
			word = binary.LittleEndian.Uint64(b[at:])
		} else {
			for k := 0; at+k < len(b) && k < 8; k++ {
				word |= uint64(b[at+k]) << (8 * k)
			}
		}
		word = word >> shift & mask
		dst[i] = int32(uint32(word))
		most = max(most, word)
		bit += int(width)
	}
	h.bit, h.most = bit, uint32(most)
}

func uvarint(b []byte) (n uint64, size int) {
	for i, c := range b {
		if i == 10 {
			break
		}
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			return n, i + 1
		}
	}
	return 0, 0
}

// appendHybrid writes numbers of a fixed width: those that repeat 8 times or more as runs, all else
// packed by eights.
func appendHybrid(dst []byte, values []uint32, width uint) []byte {
	packed := []uint32(nil)
	flush := func(all bool) {
		n := len(packed) / 8 * 8
		if all && n < len(packed) {
			for len(packed)%8 != 0 {
				packed = append(packed, 0)
			}
			n = len(packed)
		}
		if n > 0 {
			dst = appendUvarint(dst, uint64(n/8)<<1|1)
			dst = appendPacked(dst, packed[:n], width)
		}
		packed = packed[:0]
	}
	for len(values) > 0 {
		run := 1
		for run < len(values) && values[run] == values[0] {
			run++
		}
		if fill := (8 - len(packed)%8) % 8; fill > 0 || run < 8 {
			n := min(run, max(fill, 1))
			packed = append(packed, values[:n]...)
			values = values[n:]
			if len(packed) >= 1<<12 && len(packed)%8 == 0 {
				flush(true)
			}
			continue
		}
		flush(true)
		dst = appendUvarint(dst, uint64(run)<<1)
		for i := range int(width+7) / 8 {
			dst = append(dst, byte(values[0]>>(8*i)))
		}
		values = values[run:]
	}
	flush(true)
	return dst
}

func appendPacked(dst []byte, values []uint32, width uint) []byte {
	var word uint64
	var bits uint
	for _, v := range values {
		word |= uint64(v) << bits
		for bits += width; bits >= 8; bits -= 8 {
			dst = append(dst, byte(word))
			word >>= 8
		}
	}
	return dst
}

func appendUvarint(dst []byte, n uint64) []byte {
	for ; n >= 0x80; n >>= 7 {
		dst = append(dst, byte(n)|0x80)
	}
	return append(dst, byte(n))
}
