package arrow

import (
	"bytes"
	"encoding/binary"

	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/klauspost/compress/zstd"

	"mingle/dataset/column"
)

// ForgedBatch is a batch of rows that a test makes up: what its metadata say, and its body.
type ForgedBatch struct {
	Rows    int64
	Nodes   [][2]int64 // length and NULLs
	Buffers [][2]int64 // place and length
	Body    []byte
	Length  int64 // that the metadata have for the body; 0: its own
	Zstd    bool  // buffers are compressed
	Times   int   // it is there
}

// Forge is a stream with one column.
func Forge(list bool, batches ...ForgedBatch) []byte {
	var b bytes.Buffer
	fields := []column.Field{{Name: "items", List: list}}
	if _, err := NewStream(&b, fields); err != nil {
		panic(err) // it is written to memory
	}
	for _, one := range batches {
		text := one.bytes()
		for range max(1, one.Times) {
			b.Write(text)
		}
	}
	return b.Bytes()
}

func (f ForgedBatch) bytes() []byte {
	b := flatbuffers.NewBuilder(1024)
	second, first := pairs(b, f.Buffers), pairs(b, f.Nodes)
	var codec flatbuffers.UOffsetT
	if f.Zstd {
		b.StartObject(2)
		b.PrependByteSlot(0, 1, 0)
		codec = b.EndObject()
	}
	b.StartObject(5)
	b.PrependInt64Slot(0, f.Rows, 0)
	if f.Zstd {
		b.PrependUOffsetTSlot(3, codec, 0)
	}
	b.PrependUOffsetTSlot(2, second, 0)
	b.PrependUOffsetTSlot(1, first, 0)
	header := b.EndObject()
	length := f.Length
	if length == 0 {
		length = int64(len(f.Body))
	}
	return append(forgedMessage(b, header, isBatch, length), f.Body...)
}

func forgedMessage(
	b *flatbuffers.Builder, header flatbuffers.UOffsetT, kind byte, length int64,
) []byte {
	b.StartObject(5)
	b.PrependInt64Slot(3, length, 0)
	b.PrependUOffsetTSlot(2, header, 0)
	b.PrependByteSlot(1, kind, 0)
	b.PrependInt16Slot(0, version, 0)
	b.Finish(b.EndObject())
	text := padded(b.FinishedBytes())
	out := binary.LittleEndian.AppendUint32([]byte{255, 255, 255, 255}, uint32(len(text)))
	return append(out, text...)
}

// ForgeNames is a stream whose schema has so many columns, all of them the same one, which has a
// long name.
func ForgeNames(n, length int) []byte {
	b := flatbuffers.NewBuilder(1024)
	one := node(b, string(bytes.Repeat([]byte("x"), length)), typeText, nil, true)
	all := make([]flatbuffers.UOffsetT, n)
	for i := range all {
		all[i] = one
	}
	fields := tables(b, all)
	b.StartObject(4)
	b.PrependUOffsetTSlot(1, fields, 0)
	return forgedMessage(b, b.EndObject(), isSchema, 0)
}

// Packed is a buffer compressed by zstd, behind the length that it is said to have.
func Packed(data []byte, length int64) []byte {
	z, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)) // there is no wrong option
	return z.EncodeAll(data, binary.LittleEndian.AppendUint64(nil, uint64(length)))
}
