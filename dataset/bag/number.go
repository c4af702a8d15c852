package bag

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// maxDigits bounds the digits of a number, so that a short text such as 1e999999999 cannot ask for
// gigabytes.
const maxDigits = 400

// Number is an exact decimal number that keeps its own text. The zero value is not a number; see
// [ParseNumber].
//
// Equal numbers have equal coefficients and scales, whatever their texts: 1.50 and 1.5 are one
// number.
type Number struct {
	text  string
	coef  *big.Int // value = coef / 10^scale
	scale int      // at least 0; minimal
}

// String is the number's own text, as it was read.
func (n Number) String() string { return n.text }

// Int makes a number of an integer.
func Int(v int64) Number {
	n := Number{coef: big.NewInt(v)}
	n.text = n.coef.String()
	return n
}

// decimal makes a number of coef/10^scale with the given text; it takes coef over.
func decimal(text string, coef *big.Int, scale int) Number {
	if coef.Sign() == 0 {
		return Number{text, coef, 0}
	}
	ten, rest := big.NewInt(10), new(big.Int)
	for scale > 0 {
		q, r := new(big.Int).QuoRem(coef, ten, rest)
		if r.Sign() != 0 {
			break
		}
		coef, scale = q, scale-1
	}
	return Number{text, coef, scale}
}

// ParseNumber reads a decimal number exactly: an optional sign, digits with an optional point, an
// optional exponent. There is no rounding at any length. NaN, infinities, blanks inside and
// separators of thousands are refused.
func ParseNumber(s string) (Number, error) {
	mantissa, sign := s, ""
	if s != "" && (s[0] == '-' || s[0] == '+') {
		sign, mantissa = strings.TrimPrefix(s[:1], "+"), s[1:]
	}
	exponent := 0
	if i := strings.IndexAny(mantissa, "eE"); i >= 0 {
		var err error
		if exponent, err = parseExponent(mantissa[i+1:]); err != nil {
			return Number{}, notNumber(s)
		}
		mantissa = mantissa[:i]
	}
	whole, frac, _ := strings.Cut(mantissa, ".")
	if whole+frac == "" || !allDigits(whole) || !allDigits(frac) {
		return Number{}, notNumber(s)
	}
	scale := len(frac) - exponent
	digits := strings.TrimLeft(whole+frac, "0")
	if digits == "" {
		return decimal(s, new(big.Int), 0), nil
	}
	if len(digits)-min(scale, 0) > maxDigits || scale > maxDigits {
		return Number{}, fmt.Errorf("%.40q has more than %d digits", s, maxDigits)
	}
	if scale < 0 {
		digits, scale = digits+strings.Repeat("0", -scale), 0
	}
	coef, ok := new(big.Int).SetString(sign+digits, 10)
	if !ok {
		return Number{}, notNumber(s)
	}
	return decimal(s, coef, scale), nil
}

func parseExponent(s string) (int, error) {
	negative := false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		negative, s = s[0] == '-', s[1:]
	}
	if s == "" || !allDigits(s) {
		return 0, errors.New("no exponent")
	}
	s = strings.TrimLeft(s, "0")
	if len(s) > 6 {
		s = "999999" // out of bounds either way
	}
	e := 0
	for _, c := range s {
		e = e*10 + int(c-'0')
	}
	if negative {
		e = -e
	}
	return e, nil
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

func notNumber(s string) error {
	switch strings.ToLower(strings.TrimLeft(s, "+-")) {
	case "":
		if s == "" {
			return errors.New("the field is empty: leave it out, or write a number")
		}
	case "nan":
		return fmt.Errorf("%q cannot be ordered: it is not a number", s)
	case "inf", "infinity", "∞":
		return fmt.Errorf("%q: an infinite value has no range to be published in", s)
	}
	return fmt.Errorf("%.40q is not a number", s)
}

// Compare orders numbers by value: -1, 0 or +1. It is exact.
func (n Number) Compare(o Number) int {
	if n.scale == o.scale {
		return n.coef.Cmp(o.coef)
	}
	a, b, _ := align(n, o)
	return a.Cmp(b)
}

// Sub is n - o, exactly.
func (n Number) Sub(o Number) *big.Rat {
	a, b, scale := align(n, o)
	return new(big.Rat).SetFrac(new(big.Int).Sub(a, b), pow10(scale))
}

// Coef is the number times 10^scale, exactly, if it has no more than scale decimals.
func (n Number) Coef(scale int) (*big.Int, bool) {
	if n.scale > scale {
		return nil, false
	}
	if n.scale == scale {
		return new(big.Int).Set(n.coef), true
	}
	return new(big.Int).Mul(n.coef, pow10(scale-n.scale)), true
}

// Decimals is the number of digits needed after the point: 0 for whole numbers.
func (n Number) Decimals() int { return n.scale }

// Decimal makes the number coef/10^scale, its text written with all scale decimals.
func Decimal(coef *big.Int, scale int) Number {
	digits := new(big.Int).Abs(coef).String()
	if len(digits) <= scale {
		digits = strings.Repeat("0", scale-len(digits)+1) + digits
	}
	text := digits
	if scale > 0 {
		text = digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	}
	if coef.Sign() < 0 {
		text = "-" + text
	}
	return decimal(text, new(big.Int).Set(coef), scale)
}

func align(n, o Number) (a, b *big.Int, scale int) {
	scale = max(n.scale, o.scale)
	a, _ = n.Coef(scale)
	b, _ = o.Coef(scale)
	return a, b, scale
}

func pow10(e int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(e)), nil)
}
