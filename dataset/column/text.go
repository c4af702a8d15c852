package column

import (
	"bytes"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// The texts of typed values. A value has one text in every format, so that the same data are the
// same items whatever file they come in.

// IsText tells whether the name of a column is text: UTF-8 without NUL.
func IsText(name string) bool {
	return utf8.ValidString(name) && strings.IndexByte(name, 0) < 0
}

// AppendDate appends a day as 2010-03-05; days are counted from 1970-01-01.
func AppendDate(dst []byte, days int64) []byte {
	const most = 100_000_000 // some 270,000 years
	if days < -most || days > most {
		return append(strconv.AppendInt(dst, days, 10), " days since 1970-01-01"...)
	}
	return time.Unix(days*86400, 0).UTC().AppendFormat(dst, "2006-01-02")
}

// AppendTimestamp appends a moment as 2010-03-05T10:31:59, with as many digits of the second as
// are not 0 at the end, and with a Z where it is one of universal time, not of a clock somewhere.
// It is counted in units, so many a second, from 1970.
func AppendTimestamp(dst []byte, value, unit int64, utc bool) []byte {
	seconds, rest := value/unit, value%unit
	if rest < 0 {
		seconds, rest = seconds-1, rest+unit
	}
	const most = 100_000_000 * 86400
	if seconds < -most || seconds > most {
		return append(strconv.AppendInt(dst, seconds, 10), " seconds since 1970"...)
	}
	t := time.Unix(seconds, rest*(1_000_000_000/unit)).UTC()
	dst = t.AppendFormat(dst, "2006-01-02T15:04:05.999999999")
	if utc {
		dst = append(dst, 'Z')
	}
	return dst
}

// AppendClock appends a time of day as 10:31:59; it is counted in units, so many a second.
func AppendClock(dst []byte, value, unit int64) []byte {
	seconds := value / unit
	if value < 0 || seconds >= 86400 {
		return append(strconv.AppendInt(dst, seconds, 10), " seconds"...)
	}
	t := time.Unix(seconds, value%unit*(1_000_000_000/unit)).UTC()
	return t.AppendFormat(dst, "15:04:05.999999999")
}

// AppendFloat appends a number as it is usually written: 7 for 7.0, and without an exponent where
// it has at most 21 digits. It reports false where there is none: NaN is how some programs write a
// missing value.
func AppendFloat(dst []byte, f float64, bits int) ([]byte, bool) {
	size := math.Abs(f)
	switch {
	case math.IsNaN(f):
		return dst, false
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...), true
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...), true
	case f == 0:
		return append(dst, '0'), true
	case size < 1e21 && size >= 1e-6:
		return strconv.AppendFloat(dst, f, 'f', -1, bits), true
	}
	return strconv.AppendFloat(dst, f, 'e', -1, bits), true
}

// MaxDecimal is the most bytes of a decimal, four times what the formats have: to write a number of
// many digits takes far more time than to read it.
const MaxDecimal = 128

// AppendDecimal appends unscaled / 10^scale with all its digits, as 12.50.
func AppendDecimal(dst []byte, unscaled *big.Int, scale int) []byte {
	text := new(big.Int).Abs(unscaled).Append(nil, 10)
	if unscaled.Sign() < 0 {
		dst = append(dst, '-')
	}
	if scale <= 0 {
		dst = append(dst, text...)
		for ; scale < 0 && unscaled.Sign() != 0; scale++ {
			dst = append(dst, '0')
		}
		return dst
	}
	if zeros := scale + 1 - len(text); zeros > 0 {
		text = append(bytes.Repeat([]byte{'0'}, zeros), text...)
	}
	dst = append(dst, text[:len(text)-scale]...)
	return append(append(dst, '.'), text[len(text)-scale:]...)
}

// BigEndian is the number that bytes are in two's complement, the highest first.
func BigEndian(b []byte) *big.Int {
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}

// Half is the number of a float of 16 bits.
func Half(h uint16) float64 {
	sign, exp, frac := 1.0, int(h>>10&31), float64(h&1023)
	if h>>15 == 1 {
		sign = -1
	}
	switch {
	case exp == 31 && frac != 0:
		return math.NaN()
	case exp == 31:
		return math.Inf(int(sign))
	case exp == 0:
		return sign * math.Ldexp(frac, -24)
	}
	return sign * math.Ldexp(1024+frac, exp-25)
}
