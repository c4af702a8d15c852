package parquet

import "errors"

// thrift reads Thrift's compact protocol, in which the metadata stand. Nothing is reserved for
// what a length says: it must be there. After an error all reads give zero.
type thrift struct {
	b     []byte
	at    int
	depth int
	err   error
}

var errThrift = errors.New("the metadata are damaged")

// maxDepth is how deep structs may stand in each other; the format has 7 levels.
const maxDepth = 24

// Kinds of values on the wire.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

func (t *thrift) fail() {
	if t.err == nil {
		t.err = errThrift
	}
	t.at = len(t.b)
}

func (t *thrift) byte() byte {
	if t.at >= len(t.b) {
		t.fail()
		return 0
	}
	t.at++
	return t.b[t.at-1]
}

func (t *thrift) uvarint() uint64 {
	n := uint64(0)
	for shift := uint(0); shift < 64; shift += 7 {
		c := t.byte()
		n |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return n
		}
	}
	t.fail()
	return 0
}

// int reads an integer of any width.
func (t *thrift) int() int64 {
	n := t.uvarint()
	return int64(n>>1) ^ -int64(n&1)
}

// bytes reads a text, which aliases what is read.
func (t *thrift) bytes() []byte {
	n := t.uvarint()
	if n > uint64(len(t.b)-t.at) {
		t.fail()
		return nil
	}
	t.at += int(n)
	return t.b[t.at-int(n) : t.at]
}

// fields reads a struct: each is called with a field's number and kind, and reads the value.
func (t *thrift) fields(each func(id int, kind byte)) {
	if t.depth++; t.depth > maxDepth {
		t.fail()
	}
	for id := 0; t.err == nil; {
		head := t.byte()
		if head == 0 {
			break
		}
		if delta := int(head >> 4); delta > 0 {
			id += delta
		} else {
			id = int(t.int())
		}
		each(id, head&15)
	}
	t.depth--
}

// list reads a list: each is called for every element, and reads it.
func (t *thrift) list(each func(kind byte)) {
	head := t.byte()
	n := uint64(head >> 4)
	if n == 15 {
		n = t.uvarint()
	}
	if n > uint64(len(t.b)-t.at) { // an element has a byte at least
		t.fail()
		return
	}
	if t.depth++; t.depth > maxDepth {
		t.fail()
	}
	for i := uint64(0); i < n && t.err == nil; i++ {
		each(head & 15)
	}
	t.depth--
}

// skip passes over a field's value.
func (t *thrift) skip(kind byte) {
	if kind != thriftTrue && kind != thriftFalse { // which fields have in their heads
		t.skipElement(kind)
	}
}

func (t *thrift) skipElement(kind byte) {
	switch kind {
	case thriftTrue, thriftFalse, thriftByte:
		t.byte()
	case 4, 5, thriftI64:
		t.uvarint()
	case thriftDouble:
		if t.at += 8; t.at > len(t.b) {
			t.fail()
		}
	case thriftBinary:
		t.bytes()
	case thriftList, thriftSet:
		t.list(t.skipElement)
	case thriftMap:
		t.skipMap()
	case thriftStruct:
		t.fields(func(_ int, kind byte) { t.skip(kind) })
	default:
		t.fail()
	}
}

func (t *thrift) skipMap() {
	n := t.uvarint()
	if n == 0 {
		return
	}
	kinds := t.byte()
	if n > uint64(len(t.b)-t.at) {
		t.fail()
	}
	if t.depth++; t.depth > maxDepth {
		t.fail()
	}
	for i := uint64(0); i < n && t.err == nil; i++ {
		t.skipElement(kinds >> 4)
		t.skipElement(kinds & 15)
	}
	t.depth--
}

// thriftWriter writes the same protocol.
type thriftWriter struct {
	b    []byte
	last []int // by open struct: the number of its last field
}

func (w *thriftWriter) uvarint(n uint64) {
	for ; n >= 0x80; n >>= 7 {
		w.b = append(w.b, byte(n)|0x80)
	}
	w.b = append(w.b, byte(n))
}

func (w *thriftWriter) zigzag(n int64) { w.uvarint(uint64(n<<1) ^ uint64(n>>63)) }

func (w *thriftWriter) begin() { w.last = append(w.last, 0) }

func (w *thriftWriter) end() {
	w.b = append(w.b, 0)
	w.last = w.last[:len(w.last)-1]
}

// head begins a field; numbers ascend by at most 15.
func (w *thriftWriter) head(id int, kind byte) {
	last := &w.last[len(w.last)-1]
	w.b = append(w.b, byte(id-*last)<<4|kind)
	*last = id
}

func (w *thriftWriter) i32(id int, n int64) {
	w.head(id, 5)
	w.zigzag(n)
}

func (w *thriftWriter) i64(id int, n int64) {
	w.head(id, thriftI64)
	w.zigzag(n)
}

func (w *thriftWriter) text(id int, s string) {
	w.head(id, thriftBinary)
	w.element(s)
}

func (w *thriftWriter) element(s string) {
	w.uvarint(uint64(len(s)))
	w.b = append(w.b, s...)
}

func (w *thriftWriter) open(id int) {
	w.head(id, thriftStruct)
	w.begin()
}

func (w *thriftWriter) list(id, n int, kind byte) {
	w.head(id, thriftList)
	if n < 15 {
		w.b = append(w.b, byte(n)<<4|kind)
		return
	}
	w.b = append(w.b, 15<<4|kind)
	w.uvarint(uint64(n))
}
