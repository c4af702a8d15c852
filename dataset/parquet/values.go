package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"mingle/dataset/column"
)

// Encodings of values, with their numbers in the format.
const (
	encPlain           = 0
	encPlainDictionary = 2
	encHybrid          = 3
	encDelta           = 5
	encDeltaLength     = 6
	encDeltaText       = 7
	encDictionary      = 8
	encSplit           = 9
)

// values hands out the values of a page, one after another, as words.
type values interface {
	// next appends the texts of n values to words.
	next(words *column.Words, n int) error
}

// fixed are values of a fixed size, one after another.
type fixed struct {
	b    []byte
	size int
	leaf *leaf
}

func (v *fixed) next(words *column.Words, n int) error {
	for range n {
		if len(v.b) < v.size {
			return errPage
		}
		v.leaf.appendFixed(words, v.b[:v.size])
		v.b = v.b[v.size:]
	}
	return nil
}

// truths are truth values, a bit each.
type truths struct {
	b  []byte
	at int
}

func (v *truths) next(words *column.Words, n int) error {
	for range n {
		if v.at>>3 >= len(v.b) {
			return errPage
		}
		appendBool(words, v.b[v.at>>3]>>(v.at&7)&1 == 1)
		v.at++
	}
	return nil
}

// hybridBits are truth values in runs.
type hybridBits struct{ hybrid }

func (v *hybridBits) next(words *column.Words, n int) error {
	var one [1]int32
	for range n {
		if err := v.fill(one[:]); err != nil {
			return err
		}
		appendBool(words, one[0] == 1)
	}
	return nil
}

func appendBool(words *column.Words, v bool) {
	words.Text = strconv.AppendBool(words.Text, v)
	words.End()
}

// counted are texts, each behind its length.
type counted struct {
	b    []byte
	leaf *leaf
}

func (v *counted) next(words *column.Words, n int) error {
	for range n {
		if len(v.b) < 4 {
			return errPage
		}
		size := binary.LittleEndian.Uint32(v.b)
		if v.b = v.b[4:]; uint64(size) > uint64(len(v.b)) {
			return errPage
		}
		if err := v.leaf.appendText(words, v.b[:size]); err != nil {
			return err
		}
		v.b = v.b[size:]
	}
	return nil
}

var errDecimal = fmt.Errorf("a decimal has more than %d bytes: is it one?", column.MaxDecimal)

// appendText appends the value that a text is.
func (l *leaf) appendText(words *column.Words, b []byte) error {
	if l.as == asDecimal {
		if len(b) > column.MaxDecimal {
			return errDecimal
		}
		words.Text = column.AppendDecimal(words.Text, column.BigEndian(b), l.scale)
		words.End()
		return nil
	}
	words.Add(b)
	return nil
}

// appendFixed appends the value that bytes of the type's size are.
func (l *leaf) appendFixed(words *column.Words, b []byte) {
	switch l.physical {
	case typeInt32:
		n := int64(int32(binary.LittleEndian.Uint32(b)))
		if l.as == asUnsigned {
			n = int64(uint32(n))
		}
		l.appendInt(words, n)
	case typeInt64:
		l.appendInt(words, int64(binary.LittleEndian.Uint64(b)))
	case typeInt96:
		nanos, day := int64(binary.LittleEndian.Uint64(b)), binary.LittleEndian.Uint32(b[8:])
		const epoch = 2440588 // 1970-01-01 as a Julian day
		seconds := (int64(day) - epoch) * 86400
		words.Text = appendNanos(words.Text, seconds, nanos)
		words.End()
	case typeFloat:
		l.appendFloat(words, float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), 32)
	case typeDouble:
		l.appendFloat(words, math.Float64frombits(binary.LittleEndian.Uint64(b)), 64)
	default:
		l.appendBytes(words, b)
	}
}

// appendNanos appends a moment of so many seconds and nanoseconds.
func appendNanos(dst []byte, seconds, nanos int64) []byte {
	seconds += nanos / 1_000_000_000
	if nanos %= 1_000_000_000; nanos == 0 || seconds < -9e9 || seconds > 9e9 {
		return column.AppendTimestamp(dst, seconds, 1, false)
	}
	return column.AppendTimestamp(dst, seconds*1_000_000_000+nanos, 1_000_000_000, false)
}

func (l *leaf) appendInt(words *column.Words, n int64) {
	switch l.as {
	case asUnsigned:
		words.Text = strconv.AppendUint(words.Text, uint64(n), 10)
	case asDate:
		words.Text = column.AppendDate(words.Text, n)
	case asTime:
		words.Text = column.AppendClock(words.Text, n, l.unit)
	case asTimestamp, asMoment:
		words.Text = column.AppendTimestamp(words.Text, n, l.unit, l.as == asMoment)
	case asDecimal:
		words.Text = column.AppendDecimal(words.Text, big.NewInt(n), l.scale)
	default:
		words.Text = strconv.AppendInt(words.Text, n, 10)
	}
	words.End()
}

// appendFloat appends a number; what is none is an empty word, which stands for no value.
func (l *leaf) appendFloat(words *column.Words, f float64, bits int) {
	words.Text, _ = column.AppendFloat(words.Text, f, bits)
	words.End()
}

func (l *leaf) appendBytes(words *column.Words, b []byte) {
	switch l.as {
	case asFloat16:
		l.appendFloat(words, column.Half(binary.LittleEndian.Uint16(b)), 32)
	case asUUID:
		const hex = "0123456789abcdef"
		for i, c := range b {
			if i == 4 || i == 6 || i == 8 || i == 10 {
				words.Text = append(words.Text, '-')
			}
			words.Text = append(words.Text, hex[c>>4], hex[c&15])
		}
		words.End()
	default:
		_ = l.appendText(words, b) // its length is the type's, which unusable has looked at
	}
}

// size is that of a value of a fixed size in bytes.
func (l *leaf) size() int {
	switch l.physical {
	case typeInt32, typeFloat:
		return 4
	case typeInt64, typeDouble:
		return 8
	case typeInt96:
		return 12
	}
	return l.length
}

// values begins the values of a page; most is how many it has at most.
func (l *leaf) values(encoding int64, b []byte, most int) (values, error) {
	isInt := l.physical == typeInt32 || l.physical == typeInt64
	switch {
	case encoding == encPlain && l.physical == typeBool:
		return &truths{b: b}, nil
	case encoding == encPlain && l.physical == typeBytes:
		return &counted{b, l}, nil
	case encoding == encPlain:
		return &fixed{b, l.size(), l}, nil
	case encoding == encHybrid && l.physical == typeBool && len(b) >= 4:
		size := binary.LittleEndian.Uint32(b)
		if uint64(size) > uint64(len(b)-4) {
			return nil, errPage
		}
		return &hybridBits{hybrid{b: b[4 : 4+size], width: 1}}, nil
	case encoding == encDelta && isInt:
		v := &deltaInts{leaf: l}
		_, err := v.begin(b, most)
		return v, err
	case encoding == encDeltaLength && l.physical == typeBytes:
		return newDeltaLength(b, l, most)
	case encoding == encDeltaText && (l.physical == typeBytes || l.physical == typeFixed):
		return newDeltaText(b, l, most)
	case encoding == encSplit && l.physical != typeBool && l.physical != typeBytes:
		return newSplit(b, l)
	}
	return nil, errEncoding
}

// newSplit brings the bytes of values together that are stored by place.
func newSplit(b []byte, l *leaf) (values, error) {
	size := l.size()
	n := len(b) / size
	whole := make([]byte, n*size)
	for i := range n {
		for k := range size {
			whole[i*size+k] = b[k*n+i]
		}
	}
	return &fixed{whole, size, l}, nil
}
