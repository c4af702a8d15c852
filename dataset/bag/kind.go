package bag

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"
)

// Kind says how the fields of a file become numbers. The zero value reads decimal numbers.
type Kind struct {
	name   string
	layout []string // of package time, the first that fits; nil: numbers
	unit   string   // values are rounded down to it as they are read; "": as they are
}

// The units of dates and timestamps, with the layout they are shown in.
var unitLayout = map[string]string{
	"year": "2006", "month": "2006-01", "day": "2006-01-02", "hour": "2006-01-02T15",
	"minute": "2006-01-02T15:04", "second": "2006-01-02T15:04:05",
}

// Units are the names of the units that dates and timestamps can be shown in.
func Units() []string { return []string{"year", "month", "day", "hour", "minute", "second"} }

// Numbers is the kind of decimal numbers.
func Numbers() Kind { return Kind{name: "number"} }

// NewKind makes a kind: "number", "date" (2006-01-02) or "timestamp" (RFC 3339, also with a blank
// for the T, without zone or without seconds; UTC where no zone is given). layout, if not empty, is
// the layout of the fields in the notation of Go's package time. unit, if not empty, is the unit
// dates and timestamps are shown in: they are rounded down to it as they are read, so everything
// that is judged is judged on what is shown. A date that shows more than its day, and a zone of
// which the machine must know the name, are refused: what is shown would not be what is judged.
func NewKind(name, layout, unit string) (Kind, error) {
	k := Kind{name: name, unit: unit}
	switch name {
	case "", "number":
		if layout != "" || unit != "" {
			return Kind{}, errors.New("a layout or a unit is for dates and timestamps: say " +
				"which of them the values are")
		}
		return Numbers(), nil
	case "date":
		k.layout = []string{"2006-01-02"}
	case "timestamp":
		k.layout = []string{
			time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999",
			"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04", "2006-01-02 15:04",
		}
	default:
		return Kind{}, fmt.Errorf(
			"values of kind %q are not known: number, date or timestamp", name,
		)
	}
	if layout != "" {
		k.layout = []string{layout}
	}
	if namesZones(k.layout[0]) {
		return Kind{}, fmt.Errorf("the layout %q has a zone by its name, which is another one on "+
			"other machines: use offsets, such as -07:00, or leave the zone out", layout)
	}
	if k.name == "date" && (unit == "" && showsTimes(k.layout[0]) || unit != "" &&
		!slices.Contains(Units()[:3], unit) && unitLayout[unit] != "") {
		return Kind{}, errors.New("dates are compared by the day, and what is shown would tell more: " +
			"give a unit of day, month or year, or say that the values are timestamps")
	}
	if unit != "" {
		shown, ok := unitLayout[unit]
		if !ok {
			return Kind{}, fmt.Errorf("unit %q is not known: %s", unit, strings.Join(Units(), ", "))
		}
		if !slices.Contains(k.layout, shown) {
			k.layout = append(k.layout, shown) // what was published in this unit can be read back
		}
	}
	return k, nil
}

// showsTimes tells whether a layout shows more of a time than its day.
func showsTimes(layout string) bool {
	early := time.Date(2001, 3, 4, 5, 6, 7, 8_009_010, time.UTC)
	late := time.Date(2001, 3, 4, 17, 16, 27, 18_019_020, time.FixedZone("", 3*3600+1800))
	return early.Format(layout) != late.Format(layout)
}

// namesZones tells whether a layout shows a zone by its name.
func namesZones(layout string) bool {
	at := func(zone string) string {
		return time.Date(2001, 3, 4, 5, 6, 7, 0, time.FixedZone(zone, 3600)).Format(layout)
	}
	return at("ABC") != at("DEF")
}

// longFraction tells whether a text has a fraction of a second of which not all digits are read.
func longFraction(s string) bool {
	at := strings.IndexAny(s, ".,")
	for ; at >= 0; at = strings.IndexAny(s, ".,") {
		s = s[at+1:]
		if len(s)-len(strings.TrimLeft(s, "0123456789")) > 9 {
			return true
		}
	}
	return false
}

// showsFraction tells whether a layout shows a time's part of a second, with which times are read
// in any case.
func showsFraction(layout string, t time.Time) bool {
	if t.Nanosecond() == 0 {
		return true
	}
	shown, err := time.Parse(layout, t.Format(layout))
	return err == nil && shown.Nanosecond() == t.Nanosecond()
}

// String is the kind's name.
func (k Kind) String() string {
	if k.name == "" {
		return "number"
	}
	return k.name
}

// Parse reads one field. The result of a date counts days, that of a timestamp seconds, from the
// start of 1970 UTC; both keep their text, or get that of the unit. A fraction that a layout does
// not show is refused: what is shown would not be what is judged.
func (k Kind) Parse(s string) (Number, error) {
	if k.layout == nil {
		return ParseNumber(s)
	}
	if s == "" {
		return Number{}, notNumber(s)
	}
	for _, layout := range k.layout {
		t, err := time.Parse(layout, s)
		if err != nil {
			continue
		}
		if k.unit != "" {
			t = floorTo(t, k.unit)
			s = t.Format(unitLayout[k.unit])
		} else if longFraction(s) {
			return Number{}, fmt.Errorf("%.40q has more than nine digits of a second", s)
		} else if !showsFraction(layout, t) {
			return Number{}, fmt.Errorf("%.40q has a part of a second that the layout %q does not "+
				"show: add .999999999 to the layout, or give a unit", s, layout)
		}
		if k.name == "date" {
			return decimal(s, big.NewInt(floorDiv(t.Unix(), 86400)), 0), nil
		}
		nano := new(big.Int).Mul(big.NewInt(t.Unix()), big.NewInt(1e9))
		return decimal(s, nano.Add(nano, big.NewInt(int64(t.Nanosecond()))), 9), nil
	}
	return Number{}, fmt.Errorf("%.40q is not a %s such as %s", s, k.name, k.layout[0])
}

// At is the value coef/10^scale with a text of this kind: that of a decimal number, or a date or
// timestamp in the first layout or the unit. Where the text cannot tell it exactly, it is the value
// that the text tells.
func (k Kind) At(coef *big.Int, scale int) Number {
	if k.layout == nil {
		return Decimal(coef, scale)
	}
	whole, rest := new(big.Int).DivMod(coef, pow10(scale), new(big.Int))
	t := time.Unix(whole.Int64()*86400, 0).UTC()
	if k.name == "timestamp" {
		nano := rest.Mul(rest, big.NewInt(1e9))
		t = time.Unix(whole.Int64(), nano.Quo(nano, pow10(scale)).Int64()).UTC()
	}
	layout := k.layout[0]
	if k.unit != "" {
		layout = unitLayout[k.unit]
	}
	if n, err := k.Parse(t.Format(layout)); err == nil {
		return n
	}
	return Decimal(coef, scale) // a year that no layout holds
}

// From is the least value of this kind that is not below coef/10^scale, with its text.
func (k Kind) From(coef *big.Int, scale int) Number {
	n, least := k.At(coef, scale), Decimal(coef, scale)
	if n.Compare(least) >= 0 {
		return n
	}
	for _, step := range k.steps(scale) {
		if n = k.At(step.Add(step, coef), scale); n.Compare(least) >= 0 {
			break
		}
	}
	return n
}

// steps are how far the next time may be that a layout or a unit can tell, ascending: all but a bit
// of what two such times may be apart. Months and years are not all of one length.
func (k Kind) steps(scale int) []*big.Int {
	var apart []time.Duration
	for d := time.Nanosecond; d <= time.Second; d *= 10 {
		apart = append(apart, d)
	}
	const day = 24 * time.Hour
	apart = append(apart, time.Minute, time.Hour, day)
	for _, days := range []time.Duration{28, 29, 30, 31, 365, 366} {
		apart = append(apart, days*day)
	}
	one := int64(time.Second)
	if k.name == "date" {
		one = int64(day)
	}
	steps := make([]*big.Int, len(apart))
	for i, d := range apart {
		step := new(big.Int).Mul(big.NewInt(int64(d)), pow10(scale))
		steps[i] = step.Div(step, big.NewInt(one)).Sub(step, big.NewInt(1))
	}
	return steps
}

func floorTo(t time.Time, unit string) time.Time {
	t = t.UTC()
	switch unit {
	case "year":
		return time.Date(t.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	case "month":
		return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
	case "day":
		return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	case "hour":
		return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), 0, 0, 0, time.UTC)
	case "minute":
		return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, time.UTC)
	}
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
