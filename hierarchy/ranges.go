package hierarchy

import (
	"errors"
	"fmt"
	"math/big"

	"mingle/dataset/bag"
)

// RangeOptions say how the values of a file are rounded, step by step.
type RangeOptions struct {
	Width  string // of the ranges right above the values, a decimal number above 0; days for dates, seconds for timestamps
	Fanout int    // ranges that make one of the next level, at least 2
	Origin string // where a range of every level begins; default 0
}

// maxRangeLevels bounds the height: more levels than this mean a width far too small for the domain.
const maxRangeLevels = 256

// Ranges builds the rounding hierarchy of values, which must be distinct, ascending points: above every value the range
// of the given width that holds it, above that ever wider ranges, each of fan-out ranges of the level below, up to one
// that holds all (gkountouna-2014, section 4: width 100, fan-out 2).
//
// Ranges are closed: [0-99], [100-199] where the values are whole numbers, [0.0-99.9] where they have one decimal.
// The first and the last of each level end with the least and the greatest value.
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
				return nil, fmt.Errorf("width %s is too small for values from %s to %s: the hierarchy would have more than %d levels", o.Width, values[0], values[len(values)-1], maxRangeLevels)
			}
			t, all := r.around(v, width)
			if label := t.String(); label != labels[len(labels)-1] {
				labels = append(labels, label)
			}
			if all {
				break
			}
			width = new(big.Int).Mul(width, big.NewInt(int64(o.Fanout)))
		}
		if err := b.Path(labels, 0); err != nil {
			return nil, err
		}
	}
	return b.Build(BuildOptions{})
}

// rounding counts in units of the last decimal that the values, the width and the origin have.
type rounding struct {
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
	r := &rounding{scale: max(width.Decimals(), origin.Decimals())}
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

// around is the range of a width that holds a value; all tells that it holds every value.
func (r *rounding) around(v bag.Term, width *big.Int) (t bag.Term, all bool) {
	coef, _ := v.Lo.Coef(r.scale)
	offset := new(big.Int).Sub(coef, r.origin)
	start := offset.Sub(coef, offset.Mod(offset, width)) // Mod is never negative
	end := new(big.Int).Add(start, width)
	t = bag.Term{Lo: bag.Decimal(start, r.scale), Hi: bag.Decimal(end.Sub(end, big.NewInt(1)), r.scale)}
	first, last := t.Lo.Compare(r.lowest) <= 0, t.Hi.Compare(r.highest) >= 0
	if first {
		t.Lo = r.lowest
	}
	if last {
		t.Hi = r.highest
	}
	return t, first && last
}
