package rows

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"mingle/dataset/column"
	"mingle/internal/limits"
)

// Type is a type of PostgreSQL, by its number in the catalogue pg_type.
type Type uint32

// The types that other packages name.
const (
	Text      Type = 25
	JSON      Type = 114
	TextArray Type = 1009
)

// decoder appends the text of a value to dst. null: it is no value, such as NaN.
type decoder func(dst, value []byte) (out []byte, null bool, err error)

// scalars are the types whose values are texts, by their numbers.
var scalars = map[Type]decoder{
	16:   decodeBool,
	18:   decodeText, // "char"
	19:   decodeText, // name
	20:   whole(8, true),
	21:   whole(2, true),
	23:   whole(4, true),
	Text: decodeText,
	26:   whole(4, false), // oid
	700:  float(32),
	701:  float(64),
	1042: decodePadded, // character(n)
	1043: decodeText,   // varchar
	1082: decodeDate,
	1083: decodeClock,
	1114: timestamp(false),
	1184: timestamp(true),
	1700: decodeNumeric,
	2950: decodeUUID,
}

// elements are the types of arrays, with those of what is in them.
var elements = map[Type]Type{
	1000: 16, 1002: 18, 1003: 19, 1016: 20, 1005: 21, 1007: 23, TextArray: Text, 1028: 26,
	1021: 700, 1022: 701, 1014: 1042, 1015: 1043, 1182: 1082, 1183: 1083, 1115: 1114, 1185: 1184,
	1231: 1700, 2951: 2950,
}

const jsonb Type = 3802

func isJSON(t Type) bool { return t == JSON || t == jsonb }

// Known tells whether values of a type can be read.
func Known(t Type) bool {
	return scalars[t] != nil || elements[t] != 0 || isJSON(t)
}

var errShort = errors.New("the value has another length than its type")

func decodeText(dst, value []byte) ([]byte, bool, error) {
	return append(dst, value...), false, nil
}

// decodePadded leaves out the blanks that fill the value up, which mean nothing.
func decodePadded(dst, value []byte) ([]byte, bool, error) {
	return append(dst, bytes.TrimRight(value, " ")...), false, nil
}

func decodeBool(dst, value []byte) ([]byte, bool, error) {
	if len(value) != 1 {
		return dst, false, errShort
	}
	return strconv.AppendBool(dst, value[0] != 0), false, nil
}

// signed is a number in two's complement, of 2, 4 or 8 bytes.
func signed(value []byte) int64 {
	switch len(value) {
	case 2:
		return int64(int16(binary.BigEndian.Uint16(value)))
	case 4:
		return int64(int32(binary.BigEndian.Uint32(value)))
	}
	return int64(binary.BigEndian.Uint64(value))
}

// wholeSize is how many bytes a whole number of a type has; 0: it is another type.
func wholeSize(t Type) int {
	switch t {
	case 20:
		return 8
	case 21:
		return 2
	case 23, 26:
		return 4
	}
	return 0
}

func whole(size int, negative bool) decoder {
	return func(dst, value []byte) ([]byte, bool, error) {
		if len(value) != size {
			return dst, false, errShort
		}
		n := signed(value)
		if !negative {
			n = int64(uint32(n))
		}
		return strconv.AppendInt(dst, n, 10), false, nil
	}
}

func float(bits int) decoder {
	return func(dst, value []byte) ([]byte, bool, error) {
		if len(value) != bits/8 {
			return dst, false, errShort
		}
		f := 0.0
		if bits == 32 {
			f = float64(math.Float32frombits(binary.BigEndian.Uint32(value)))
		} else {
			f = math.Float64frombits(binary.BigEndian.Uint64(value))
		}
		out, is := column.AppendFloat(dst, f, bits)
		return out, !is, nil
	}
}

// PostgreSQL counts from 2000-01-01, in days or microseconds; the first and the last number are
// infinitely long ago, and never.
const (
	daysBefore   = 10957
	second       = 1_000_000
	microsBefore = daysBefore * 86400 * second
)

func decodeDate(dst, value []byte) ([]byte, bool, error) {
	if len(value) != 4 {
		return dst, false, errShort
	}
	switch days := signed(value); days {
	case math.MaxInt32:
		return append(dst, "infinity"...), false, nil
	case math.MinInt32:
		return append(dst, "-infinity"...), false, nil
	default:
		return column.AppendDate(dst, days+daysBefore), false, nil
	}
}

func timestamp(utc bool) decoder {
	return func(dst, value []byte) ([]byte, bool, error) {
		if len(value) != 8 {
			return dst, false, errShort
		}
		micros := signed(value)
		switch {
		case micros == math.MaxInt64:
			return append(dst, "infinity"...), false, nil
		case micros == math.MinInt64:
			return append(dst, "-infinity"...), false, nil
		case micros > math.MaxInt64-microsBefore:
			return dst, false, errors.New("the moment is out of range")
		}
		return column.AppendTimestamp(dst, micros+microsBefore, second, utc), false, nil
	}
}

func decodeClock(dst, value []byte) ([]byte, bool, error) {
	if len(value) != 8 {
		return dst, false, errShort
	}
	return column.AppendClock(dst, signed(value), second), false, nil
}

func decodeUUID(dst, value []byte) ([]byte, bool, error) {
	if len(value) != 16 {
		return dst, false, errShort
	}
	for i, c := range value {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			dst = append(dst, '-')
		}
		const digits = "0123456789abcdef"
		dst = append(dst, digits[c>>4], digits[c&15])
	}
	return dst, false, nil
}

// The signs of a numeric, and its base.
const (
	negative    = 0x4000
	notANumber  = 0xC000
	plusForever = 0xD000
	lessForever = 0xF000
	base        = 10000
)

// decodeNumeric writes a decimal with all its digits, as 12.50. Its digits are of base 10000; the
// first stands before weight others and the point.
func decodeNumeric(dst, value []byte) ([]byte, bool, error) {
	if len(value) < 8 {
		return dst, false, errShort
	}
	count, weight := int(binary.BigEndian.Uint16(value)), int(signed(value[2:4]))
	sign, scale := binary.BigEndian.Uint16(value[4:]), int(binary.BigEndian.Uint16(value[6:]))
	value = value[8:]
	switch {
	case len(value) != 2*count:
		return dst, false, errShort
	case sign == notANumber:
		return dst, true, nil
	case sign == plusForever:
		return append(dst, "Infinity"...), false, nil
	case sign == lessForever:
		return append(dst, "-Infinity"...), false, nil
	case sign != 0 && sign != negative:
		return dst, false, errors.New("the number has no sign that is known")
	case 4*(max(weight, 0)+1)+scale > column.MaxDecimal:
		return dst, false, fmt.Errorf("a number has more than %d digits", column.MaxDecimal)
	}
	digit := func(i int) (int, error) {
		if i < 0 || i >= count {
			return 0, nil
		}
		d := int(binary.BigEndian.Uint16(value[2*i:]))
		if d >= base {
			return 0, errors.New("the number has a digit that is none")
		}
		return d, nil
	}
	var text []byte
	for place := max(weight, 0); place >= -(scale+3)/4; place-- {
		d, err := digit(weight - place)
		if err != nil {
			return dst, false, err
		}
		if text = append(text, fmt.Sprintf("%04d", d)...); place == 0 {
			text = append(text, '.')
		}
	}
	point := bytes.IndexByte(text, '.')
	text = text[:point+1+scale]
	if scale == 0 {
		text = text[:point]
	}
	for len(text) > 1 && text[0] == '0' && text[1] != '.' {
		text = text[1:]
	}
	if sign == negative {
		dst = append(dst, '-')
	}
	return append(dst, text...), false, nil
}

// array takes the elements of an array of one dimension; each gets a text, or none where it is
// NULL.
func array(value []byte, each func(element []byte, null bool) error) error {
	if len(value) < 12 {
		return errShort
	}
	dimensions := binary.BigEndian.Uint32(value)
	value = value[12:]
	switch {
	case dimensions == 0:
		return nil
	case dimensions != 1:
		return errors.New("an array has several dimensions: a set has one")
	case len(value) < 8:
		return errShort
	}
	count := binary.BigEndian.Uint32(value)
	value = value[8:]
	for range count {
		if len(value) < 4 {
			return errShort
		}
		size := int64(int32(binary.BigEndian.Uint32(value)))
		value = value[4:]
		if size > int64(len(value)) || size < -1 {
			return errShort
		}
		if size == -1 {
			if err := each(nil, true); err != nil {
				return err
			}
			continue
		}
		if err := each(value[:size], false); err != nil {
			return err
		}
		value = value[size:]
	}
	if len(value) > 0 {
		return errShort
	}
	return nil
}

var (
	errNoArray = errors.New("a value is no JSON array of texts and numbers: a set is one, such as " +
		`["a", 7]`)
	errJSON = errors.New("a value is broken JSON")
)

// jsonArray takes the elements of a JSON array of texts, numbers and nulls. null in its place is
// an empty one.
func jsonArray(value []byte, each func(element []byte, null bool) error) error {
	if !json.Valid(value) || limits.LoneSurrogate(value) {
		return errJSON
	}
	value = bytes.TrimSpace(value)
	if string(value) == "null" {
		return nil
	}
	if value[0] != '[' {
		return errNoArray
	}
	for i := 1; i < len(value); {
		switch c := value[i]; {
		case c == '"':
			end := endOfText(value, i)
			text, err := plainText(value[i:end])
			if err == nil {
				err = each(text, false)
			}
			if err != nil {
				return err
			}
			i = end
		case c == '-' || c >= '0' && c <= '9':
			end := i + bytes.IndexAny(value[i:], ",] \t\r\n")
			if err := each(value[i:end], false); err != nil {
				return err
			}
			i = end
		case c == 'n':
			if err := each(nil, true); err != nil {
				return err
			}
			i += len("null")
		case c == '[' || c == '{' || c == 't' || c == 'f':
			return errNoArray
		default: // blanks, commas, the end
			i++
		}
	}
	return nil
}

// endOfText is where the text of JSON ends whose quote stands at i.
func endOfText(b []byte, i int) int {
	for i++; b[i] != '"'; i++ {
		if b[i] == '\\' {
			i++
		}
	}
	return i + 1
}

func plainText(quoted []byte) ([]byte, error) {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1], nil
	}
	var text string
	if json.Unmarshal(quoted, &text) != nil {
		return nil, errJSON
	}
	return []byte(text), nil
}
