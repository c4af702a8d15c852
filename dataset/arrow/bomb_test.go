package arrow_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/dataset/arrow"
	"mingle/internal/memtest"
)

type batch = arrow.ForgedBatch

// places are numbers of 4 bytes.
func places(all ...uint32) (b []byte) {
	for _, n := range all {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return b
}

// overlapping is lists of which every second one is NULL, and the others have all m elements, which
// are NULL.
func overlapping(lists, m int) batch {
	valid := bytes.Repeat([]byte{0x55}, lists/8)
	var ends []byte
	for range lists / 2 {
		ends = append(ends, places(0, uint32(m))...)
	}
	ends = append(ends, places(0)...)
	none := make([]byte, m/8)
	empty := make([]byte, 4*(m+1))
	return batch{
		Rows: int64(lists), Nodes: [][2]int64{{int64(lists), 1}, {int64(m), 1}},
		Buffers: [][2]int64{
			{0, int64(len(valid))},
			{int64(len(valid)), int64(len(ends))},
			{int64(len(valid) + len(ends)), int64(len(none))},
			{int64(len(valid) + len(ends) + len(none)), int64(len(empty))},
			{0, 0},
		},
		Body: append(append(append(valid, ends...), none...), empty...),
	}
}

// packed is a batch of one text, whose bytes unpack to so many and are not used.
func packed(size int, says int64) batch {
	at, text := arrow.Packed(places(0, 0), 8), arrow.Packed(make([]byte, size), says)
	return batch{
		Rows: 1, Nodes: [][2]int64{{1, 0}}, Zstd: true,
		Buffers: [][2]int64{{0, 0}, {0, int64(len(at))}, {int64(len(at)), int64(len(text))}},
		Body:    append(at, text...),
	}
}

// TestBombs: small streams that say much are refused, in bounded memory and before much was done.
func TestBombs(t *testing.T) {
	const mb = 1 << 20
	many := packed(128*mb, 128*mb)
	many.Times = 20
	for _, c := range []struct {
		name, want string
		file       []byte
	}{
		{"rows", "a message is damaged", arrow.Forge(false, batch{
			Rows: math.MaxInt32, Nodes: [][2]int64{{math.MaxInt32, 0}},
			Buffers: [][2]int64{{0, 0}, {0, 8}, {0, 0}}, Body: places(0, 0),
		})},
		{"nodes", "a message is damaged", arrow.Forge(false, batch{
			Rows: 1, Nodes: [][2]int64{{math.MaxInt64, 0}},
			Buffers: [][2]int64{{0, 0}, {0, 8}, {0, 0}}, Body: places(0, 0),
		})},
		{"place of a buffer", "a message is damaged", arrow.Forge(false, batch{
			Rows: 1, Nodes: [][2]int64{{1, 0}},
			Buffers: [][2]int64{{0, 0}, {0, 8}, {8, math.MaxInt64}}, Body: places(0, 0),
		})},
		{"length of a body", "the stream is cut", arrow.Forge(false, batch{
			Rows: 1, Nodes: [][2]int64{{1, 0}}, Length: 2 << 30, Body: places(0, 0),
		})},
		{"a larger one", "a batch of rows is larger than 2048 MiB", arrow.Forge(false, batch{
			Rows: 1, Nodes: [][2]int64{{1, 0}}, Length: math.MaxInt64, Body: places(0, 0),
		})},
		{"length of a list", "a message is damaged", arrow.Forge(true, batch{
			Rows: 1, Nodes: [][2]int64{{1, 0}, {0, 0}},
			Buffers: [][2]int64{{0, 0}, {0, 8}, {0, 0}, {0, 0}, {0, 0}},
			Body:    places(0, math.MaxInt32),
		})},
		{"a text", "a message is damaged", arrow.Forge(false, batch{
			Rows: 1, Nodes: [][2]int64{{1, 0}},
			Buffers: [][2]int64{{0, 0}, {0, 8}, {0, 8}}, Body: places(0, math.MaxInt32),
		})},
		{"a buffer that says more", "takes over 2048 MiB", arrow.Forge(false, packed(8, 2<<30))},
		{
			"a buffer that unpacks to more", "takes over 257 MiB",
			arrow.Forge(false, packed(257*mb, 257*mb)),
		},
		{"many of them", "unpacks to over 2048 MiB", arrow.Forge(false, many)},
		{"lists that overlap", "unpacks to over 2120 MiB", arrow.Forge(true, overlapping(2048, mb/2))},
		{"names", "the schema is damaged", arrow.ForgeNames(1<<14, mb)},
	} {
		t.Run(c.name, func(t *testing.T) {
			refused(t, bytes.NewReader(c.file), len(c.file), c.want)
		})
	}
	t.Run("a body in a compressed stream", func(t *testing.T) {
		long := batch{Rows: 1, Nodes: [][2]int64{{1, 0}}, Length: 1 << 30}
		head := string(arrow.Forge(false, long))
		refused(t, memtest.Zstd(head, strings.Repeat("\x00", mb), 1<<30), 0, "takes over")
	})
}

func refused(t *testing.T, r io.Reader, size int, want string) {
	t.Helper()
	var err error
	memtest.Within(t, 3<<29, func() {
		opts := dataset.Options{Format: dataset.Arrow, Workers: 1, Size: int64(size)}
		_, err = dataset.Read(t.Context(), r, opts)
	})
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%d bytes: error %.300v, want one with %q", size, err, want)
	}
}
