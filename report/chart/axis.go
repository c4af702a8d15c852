package chart

import (
	"math"
	"strconv"
	"strings"
)

// axis says where numbers stand along one side of a chart.
type axis struct {
	low, high float64 // what is shown
	log       bool
	names     []string // instead of numbers: the i-th stands at i
	from, to  float64  // where low and high are drawn
}

// at is where a number is drawn.
func (a *axis) at(v float64) float64 {
	low, high := a.low, a.high
	if a.log {
		v, low, high = math.Log(v), math.Log(low), math.Log(high)
	}
	if high == low {
		return (a.from + a.to) / 2
	}
	return a.from + (v-low)/(high-low)*(a.to-a.from)
}

// tick is a number with its place on an axis.
type tick struct {
	at    float64
	label string // "": a line alone
}

// ticks are at most about so many numbers that are told.
func (a *axis) ticks(most int) []tick {
	switch {
	case a.names != nil:
		return a.nameTicks()
	case a.log:
		return a.logTicks(most)
	}
	step := roundStep((a.high - a.low) / float64(most))
	var out []tick
	for i := math.Ceil(a.low/step - 1e-9); i*step <= a.high+1e-9*step; i++ {
		out = append(out, tick{i * step, Number(i * step)})
	}
	return out
}

func (a *axis) nameTicks() []tick {
	var out []tick
	for i, name := range a.names {
		out = append(out, tick{float64(i), name})
	}
	return out
}

// logTicks tells powers of ten, every so many where they are many, and between them 2 and 5 where
// they are few.
func (a *axis) logTicks(most int) []tick {
	first, last := int(math.Floor(math.Log10(a.low))), int(math.Ceil(math.Log10(a.high)))
	every := max(1, (last-first+most-1)/most)
	between := 2*(last-first) <= most
	var out []tick
	for e := first; e <= last; e++ {
		for _, factor := range []float64{1, 2, 5} {
			v := factor * math.Pow10(e)
			if v < a.low*(1-1e-9) || v > a.high*(1+1e-9) {
				continue
			}
			t := tick{at: v}
			if factor == 1 && (e-first)%every == 0 || between {
				t.label = Number(v)
			}
			if t.label != "" || factor == 1 {
				out = append(out, t)
			}
		}
	}
	return out
}

// roundStep is the least of 1, 2 and 5 times a power of ten that is at least step.
func roundStep(step float64) float64 {
	if !(step > 0) {
		return 1
	}
	unit := math.Pow10(int(math.Floor(math.Log10(step))))
	for _, factor := range []float64{1, 2, 5} {
		if factor*unit >= step*(1-1e-9) {
			return factor * unit
		}
	}
	return 10 * unit
}

// superscripts are the digits of exponents.
var superscripts = strings.NewReplacer(
	"-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸",
	"9", "⁹",
)

// Number is a number in words as short as they can be: 0.05, 20,000, 5·10⁻⁶.
func Number(v float64) string {
	a := math.Abs(v)
	if a < 1e-12 {
		return "0"
	}
	if a >= 1e7 || a < 1e-3 {
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "e")
		if r, err := strconv.ParseFloat(mantissa, 64); err == nil {
			mantissa = strconv.FormatFloat(r, 'g', 3, 64)
		}
		e, _ := strconv.Atoi(exponent)
		power := "10" + superscripts.Replace(strconv.Itoa(e))
		if mantissa == "1" {
			return power
		}
		return mantissa + "·" + power
	}
	whole, part, _ := strings.Cut(strconv.FormatFloat(round(v), 'f', -1, 64), ".")
	if part != "" {
		part = "." + part
	}
	return grouped(whole) + part
}

// round keeps six digits.
func round(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	if err != nil || math.Abs(v) >= 1e6 {
		return math.Round(v)
	}
	return r
}

// grouped sets a comma between thousands from 10,000 up.
func grouped(digits string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	if len(digits) < 5 {
		return sign + digits
	}
	out := digits[:len(digits)%3]
	for i := len(digits) % 3; i < len(digits); i += 3 {
		if out != "" {
			out += ","
		}
		out += digits[i : i+3]
	}
	return sign + out
}
