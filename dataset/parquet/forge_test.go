package parquet

import (
	"bytes"
	"encoding/binary"

	"github.com/klauspost/compress/zstd"
)

// ForgedColumn is a column of a file that a test makes up. All row groups have the same pages.
type ForgedColumn struct {
	Name      string
	List      bool
	Converted int64 // 0: a text, 5: a decimal
	Pages     []ForgedPage
}

// ForgedPage is a page, which is compressed by zstd.
type ForgedPage struct {
	Dictionary bool
	Values     int64
	Encoding   int64
	Data       []byte
	Times      int // it is there
}

// Forge is a file with the columns, and a row group for each number of rows.
func Forge(columns []ForgedColumn, groups []int64) []byte {
	file := []byte(magic)
	var places [][2]int
	for _, c := range columns {
		from := len(file)
		for _, p := range c.Pages {
			file = append(file, bytes.Repeat(p.bytes(), max(1, p.Times))...)
		}
		places = append(places, [2]int{from, len(file)})
	}
	meta := &thriftWriter{}
	meta.begin()
	meta.i32(1, 2)
	meta.list(2, 1+len(columns), thriftStruct)
	meta.begin()
	meta.text(4, "schema")
	meta.i32(5, int64(len(columns)))
	meta.end()
	for _, c := range columns {
		c.schema(meta)
	}
	meta.i64(3, 1)
	meta.list(4, len(groups), thriftStruct)
	for _, rows := range groups {
		meta.begin()
		meta.list(1, len(columns), thriftStruct)
		for _, at := range places {
			meta.begin()
			meta.open(3)
			meta.i32(4, 6)
			meta.i64(7, int64(at[1]-at[0]))
			meta.i64(9, int64(at[0]))
			meta.end()
			meta.end()
		}
		meta.i64(3, rows)
		meta.end()
	}
	meta.end()
	return append(file, Footer(meta.b)...)
}

// schema is the column's node: a text that may be NULL, or a repeated one, which is a list.
func (c ForgedColumn) schema(meta *thriftWriter) {
	meta.begin()
	meta.i32(1, typeBytes)
	repetition := int64(1)
	if c.List {
		repetition = 2
	}
	meta.i32(3, repetition)
	meta.text(4, c.Name)
	meta.i32(6, c.Converted)
	meta.end()
}

// Footer ends a file with metadata.
func Footer(meta []byte) []byte {
	b := binary.LittleEndian.AppendUint32(bytes.Clone(meta), uint32(len(meta)))
	return append(b, magic...)
}

// Levels are runs of levels of one bit, behind their length.
func Levels(runs ...[2]uint64) []byte {
	b := Runs(1, runs...)
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...)
}

// Runs are runs of a value, so many times, in so many bytes each.
func Runs(bytes int, runs ...[2]uint64) (b []byte) {
	for _, r := range runs {
		b = appendUvarint(b, r[1]<<1)
		for i := range bytes {
			b = append(b, byte(r[0]>>(8*i)))
		}
	}
	return b
}

// Text is a text behind its length.
func Text(s []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(s))), s...)
}

// Same is a block of differences of which all n values are the same.
func Same(value int64, n int) []byte {
	const block = 1 << 16
	t := &thriftWriter{}
	t.uvarint(block)
	t.uvarint(1)
	t.uvarint(uint64(n))
	t.zigzag(value)
	for ; n > 1; n -= block {
		t.b = append(t.b, 0, 0)
	}
	return t.b
}

func (p ForgedPage) bytes() []byte {
	z, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)) // there is no wrong option
	packed := z.EncodeAll(p.Data, nil)
	t := &thriftWriter{}
	t.begin()
	kind, at := int64(0), 5
	if p.Dictionary {
		kind, at = 2, 7
	}
	t.i32(1, kind)
	t.i32(2, int64(len(p.Data)))
	t.i32(3, int64(len(packed)))
	t.open(at)
	t.i32(1, p.Values)
	t.i32(2, p.Encoding)
	if !p.Dictionary {
		t.i32(3, encHybrid)
		t.i32(4, encHybrid)
	}
	t.end()
	t.end()
	return append(t.b, packed...)
}

// Steps are n differences: the first value, and by a step another one for all that follow.
func Steps(first, step int64, n int) []byte {
	const block = 8 // of which the first has the step
	t := &thriftWriter{}
	t.uvarint(block)
	t.uvarint(1)
	t.uvarint(uint64(n))
	t.zigzag(first)
	for done := 1; done < n; done += block {
		if done > 1 {
			t.b = append(t.b, 0, 0)
			continue
		}
		t.zigzag(min(step, 0)) // the least; a bit a value, or the width of the step
		values := make([]uint32, block)
		if step > 0 {
			values[0] = uint32(step)
		} else {
			for i := range values[1:] {
				values[1+i] = uint32(-step)
			}
		}
		t.b = append(t.b, 32)
		t.b = appendPacked(t.b, values, 32)
	}
	return t.b
}
