package hierarchy

import (
	"errors"
	"fmt"
	"math/big"

	"mingle/dataset/bag"
)

// RangeOptions say how the values of a file are rounded, step by step.
type RangeOptions struct {
	// of the ranges right above the values, a decimal number above 0; days for dates, seconds for
	// timestamps
	Width  string
	Fanout int // ranges that make one of the next level, at least 2
	// where a range of every level begins; default 0, which is the start of 1970 for dates and
	// timestamps
	Origin string
	Kind   bag.Kind
}

// maxRangeLevels bounds the height: more levels than this mean a width far too small for the
// domain.
const maxRangeLevels = 256

// Ranges builds the rounding hierarchy of values, which must be distinct, ascending points: above
// every value the range of the given width that holds it, above that ever wider ranges, each of
// fan-out ranges of the level below, up to one that holds all (gkountouna-2014, section 4: width
// 100, fan-out 2).
//
// Ranges are closed: [0-99], [100-199] where the values are whole numbers, [0.0-99.9] where they
// have one decimal. The last day or second of a range is in it. The first and the last of each
// level end with the least and the greatest value. No range but the root reaches over the origin.
func Ranges(values []bag.Term, o RangeOptions) (*Tree, error) {
	r, err := newRounding(values, o)
	if err != nil {
		return nil, err
	}
	b := NewBuilder()
	for _, v := range values {
		labels := []string{v.String()}
		width := new(big.Int).Set(r.width)
		for level := 0; len(values) > 1; level++ {
			if level == maxRangeLevels {
				return nil, fmt.Errorf("width %s is too small for values from %s to %s: the "+
					"hierarchy would have more than %d levels",
					o.Width, values[0], values[len(values)-1], maxRangeLevels)
			}
			labels = appendNew(labels, r.around(v, width).String())
			if r.last(width) {
				break
			}
			width = new(big.Int).Mul(width, big.NewInt(int64(o.Fanout)))
		}
		if len(values) > 1 {
			labels = appendNew(labels, bag.Term{Lo: r.lowest, Hi: r.highest}.String())
		}
		if err := b.Path(labels, 0); err != nil {
			return nil, err
		}
	}
	return b.Build(BuildOptions{})
}

// rounding counts in units of the last decimal that the values, the width and the origin have.
type rounding struct {
	kind            bag.Kind
	scale           int
	width, origin   *big.Int
	lowest, highest bag.Number
}

func newRounding(values []bag.Term, o RangeOptions) (*rounding, error) {
	width, errWidth := bag.ParseNumber(o.Width)
	if errWidth != nil {
		errWidth = fmt.Errorf("width: %w", errWidth)
	} else if width.Compare(bag.Int(0)) <= 0 {
		errWidth = fmt.Errorf("width (%s) must be above 0", o.Width)
	}
	origin, errOrigin := bag.Int(0), error(nil)
	if o.Origin != "" {
		if origin, errOrigin = bag.ParseNumber(o.Origin); errOrigin != nil {
			errOrigin = fmt.Errorf("origin: %w", errOrigin)
		}
	}
	var errFan, errValues error
	if o.Fanout < 2 {
		errFan = fmt.Errorf("fan-out (%d) must be at least 2", o.Fanout)
	}
	if len(values) == 0 {
		errValues = errors.New("there are no values to build ranges over")
	}
	if err := errors.Join(errWidth, errOrigin, errFan, errValues); err != nil {
		return nil, err
	}
	r := &rounding{kind: o.Kind, scale: max(width.Decimals(), origin.Decimals())}
	for _, v := range values {
		if !v.IsPoint() {
			return nil, fmt.Errorf("%s is a range: ranges are built over values", v)
		}
		r.scale = max(r.scale, v.Lo.Decimals())
	}
	r.width, _ = width.Coef(r.scale)
	r.origin, _ = origin.Coef(r.scale)
	r.lowest, r.highest = values[0].Lo, values[len(values)-1].Lo
	return r, nil
}

func appendNew(labels []string, label string) []string {
	if labels[len(labels)-1] == label {
		return labels
	}
	return append(labels, label)
}

// start is where the range of a width that holds a value begins.
func (r *rounding) start(n bag.Number, width *big.Int) *big.Int {
	coef, _ := n.Coef(r.scale)
	offset := new(big.Int).Sub(coef, r.origin)
	return coef.Sub(coef, offset.Mod(offset, width)) // Mod is never negative
}

// around is the range of a width that holds a value, cut off at the ends of the domain. Its ends
// are values that may be in it: where dates are months, a range from the 18th begins a month later.
// Whatever a layout makes of its ends, the value is between them.
func (r *rounding) around(v bag.Term, width *big.Int) bag.Term {
	start := r.start(v.Lo, width)
	end := new(big.Int).Add(start, width)
	t := bag.Term{
		Lo: r.kind.From(start, r.scale), Hi: r.kind.At(end.Sub(end, big.NewInt(1)), r.scale),
	}
	if t.Lo.Compare(r.lowest) <= 0 {
		t.Lo = r.lowest
	}
	if t.Hi.Compare(r.highest) >= 0 {
		t.Hi = r.highest
	}
	if t.Lo.Compare(v.Lo) > 0 {
		t.Lo = v.Lo
	}
	if t.Hi.Compare(v.Hi) < 0 {
		t.Hi = v.Hi
	}
	return t
}

// last tells that ranges of a width need no wider ones above them but the root: one holds all
// values, or two do that meet at the origin, which wider ones would not unite.
func (r *rounding) last(width *big.Int) bool {
	first, last := r.start(r.lowest, width), r.start(r.highest, width)
	if first.Cmp(last) == 0 {
		return true
	}
	return last.Cmp(r.origin) == 0 && first.Add(first, width).Cmp(last) == 0
}
