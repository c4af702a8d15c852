package parquet

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"mingle/internal/limits"
)

// page is the head of a page.
type page struct {
	kind                   int // 0 data, 2 dictionary, 3 data of the second version
	unpacked, packed       int64
	values                 int64
	encoding               int64
	defEncoding            int64
	repEncoding            int64
	defSize, repSize       int64 // second version
	plainValues, hasValues bool  // second version: they are not compressed
}

const maxPageHead = 1 << 20 // bytes: it may hold the least and the greatest text

// pages reads the pages of a chunk.
type pages struct {
	r     *bufio.Reader
	left  int64
	codec int
	raw   []byte
	data  []byte
	zstd  *zstd.Decoder
}

func (p *pages) begin(r *io.SectionReader, codec int) {
	if p.r == nil {
		p.r = bufio.NewReaderSize(r, 1<<16)
	} else {
		p.r.Reset(r)
	}
	p.left, p.codec = r.Size(), codec
}

// next reads a page, decompressed but for the levels of the second version, which are not
// compressed. It is valid until the next one is read. The error is io.EOF after the last one.
func (p *pages) next(account *limits.Account) (h page, data []byte, err error) {
	if p.left == 0 {
		return h, nil, io.EOF
	}
	before := p.left
	if h, err = p.head(); err != nil {
		return h, nil, err
	}
	if h.packed < 0 || h.unpacked < 0 || h.packed > p.left || h.values < 0 || h.defSize < 0 ||
		h.repSize < 0 || h.defSize+h.repSize > min(h.packed, h.unpacked) {
		return h, nil, errPage
	}
	if max(h.packed, h.unpacked) > maxPage {
		return h, nil, &limits.TooLarge{Why: fmt.Sprintf("a page is larger than %s: write the file "+
			"with pages of the usual size, about 1 MiB", limits.Bytes(maxPage))}
	}
	if err := account.Work(before - p.left + h.packed + h.unpacked); err != nil {
		return h, nil, err // several groups may have the same pages
	}
	p.raw = sized(p.raw, int(h.packed))
	if _, err := io.ReadFull(p.r, p.raw); err != nil {
		return h, nil, err
	}
	p.left -= h.packed
	plain := int(h.defSize + h.repSize)
	if p.codec == 0 || h.kind == 3 && h.plainValues {
		if h.packed != h.unpacked {
			return h, nil, errPage
		}
		return h, p.raw, nil
	}
	p.data = append(sized(p.data, int(h.unpacked))[:0], p.raw[:plain]...)
	if h.unpacked > int64(plain) {
		err = p.unpack(p.data[plain:h.unpacked], p.raw[plain:])
	}
	return h, p.data[:h.unpacked], err
}

// sized is a buffer of n bytes, the one given where it has room. What is reserved for a page that
// turns out to be shorter is bounded by maxPage.
func sized(b []byte, n int) []byte {
	if cap(b) < n || cap(b) > 4<<20 && n < cap(b)/4 {
		return make([]byte, n)
	}
	return b[:n]
}

// head reads the head of a page, whose length is not known before.
func (p *pages) head() (h page, err error) {
	for n := 256; ; n *= 4 {
		b, err := p.r.Peek(int(min(int64(n), p.left)))
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) && len(b) == 0 {
			return h, err
		}
		t := &thrift{b: b}
		h = t.page()
		if t.err == nil {
			p.left -= int64(t.at)
			_, err = p.r.Discard(t.at)
			return h, err
		}
		if int64(n) >= p.left || n > maxPageHead {
			return h, errPage
		}
		if n*4 > p.r.Size() {
			p.r = bufio.NewReaderSize(p.r, n*4)
		}
	}
}

func (t *thrift) page() (h page) {
	t.fields(func(id int, kind byte) {
		switch {
		case id == 1 && kind == 5:
			h.kind = int(t.int())
		case id == 2 && kind == 5:
			h.unpacked = t.int()
		case id == 3 && kind == 5:
			h.packed = t.int()
		case (id == 5 || id == 7 || id == 8) && kind == thriftStruct:
			h.hasValues = true
			t.fields(func(field int, kind byte) {
				if kind == 5 {
					h.number(id, field, t.int())
					return
				}
				if id == 8 && field == 7 {
					h.plainValues = kind == thriftFalse
				}
				t.skip(kind)
			})
		default:
			t.skip(kind)
		}
	})
	return h
}

// number takes a number of the head that is of the page's kind.
func (h *page) number(of, field int, n int64) {
	var to *int64
	switch [2]int{of, field} {
	case [2]int{5, 1}, [2]int{7, 1}, [2]int{8, 1}:
		to = &h.values
	case [2]int{5, 2}, [2]int{7, 2}, [2]int{8, 4}:
		to = &h.encoding
	case [2]int{5, 3}:
		to = &h.defEncoding
	case [2]int{5, 4}:
		to = &h.repEncoding
	case [2]int{8, 5}:
		to = &h.defSize
	case [2]int{8, 6}:
		to = &h.repSize
	default:
		return
	}
	*to = n
}

// unpack decompresses src, which must fill dst.
func (p *pages) unpack(dst, src []byte) (err error) {
	n := -1
	switch p.codec {
	case 1:
		if size, err := snappy.DecodedLen(src); err != nil || size != len(dst) {
			return errPage
		}
		_, err = snappy.Decode(dst, src)
		n = len(dst)
	case 2:
		n, err = gunzip(dst, src)
	case 6:
		n, err = p.unzstd(dst, src)
	case 7:
		n, err = lz4.UncompressBlock(src, dst)
	default:
		names := map[int]string{3: "LZO", 4: "Brotli", 5: "the old LZ4"}
		name := names[p.codec]
		if name == "" {
			name = "in an unknown way"
		}
		return fmt.Errorf("it is compressed with %s, which is not read: write it with zstd, "+
			"snappy, gzip or LZ4_RAW", name)
	}
	if err != nil || n != len(dst) {
		return errPage
	}
	return nil
}

func gunzip(dst, src []byte) (int, error) {
	z, err := gzip.NewReader(bytes.NewReader(src))
	if err != nil {
		return 0, err
	}
	n, err := io.ReadFull(z, dst)
	if err != nil {
		return n, err
	}
	if more, _ := z.Read(make([]byte, 1)); more > 0 {
		return n, errPage
	}
	return n, nil
}

func (p *pages) unzstd(dst, src []byte) (n int, err error) {
	if p.zstd == nil {
		p.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxMemory(maxPage), zstd.WithDecoderLowmem(true))
		if err != nil {
			return 0, err
		}
	}
	var head zstd.Header
	if err := head.Decode(src); err != nil || head.HasFCS && head.FrameContentSize > maxPage {
		return 0, errPage
	}
	out, err := p.zstd.DecodeAll(src, dst[:0:len(dst)])
	if err == nil && len(out) == len(dst) && len(out) > 0 && &out[0] != &dst[0] {
		copy(dst, out)
	}
	return len(out), err
}

// runs begins the levels at the beginning of a page of the first version, behind their length.
func runs(b []byte, width uint) (h hybrid, rest []byte, err error) {
	if len(b) < 4 {
		return h, nil, errPage
	}
	n := binary.LittleEndian.Uint32(b)
	if b = b[4:]; uint64(n) > uint64(len(b)) {
		return h, nil, errPage
	}
	return hybrid{b: b[:n], width: width}, b[n:], nil
}
