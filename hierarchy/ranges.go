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

	// Ended, if given, is asked now and then; an error ends the building.
	Ended func() error `json:"-"`
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
	for i, v := range values {
		if i%askedEvery == 0 && o.Ended != nil {
			if err := o.Ended(); err != nil {
				return nil, err
			}
		}
		if err := b.Path(r.path(v), 0); err != nil {
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
	levels          []roundingLevel // none where there is one value
}

// roundingLevel holds the range of a width that was looked at last: values come in their order, so
// that the next one is often in it.
type roundingLevel struct {
	width, start, end *big.Int // the range is from start up to, not with, end; nil: none yet
	term              bag.Term // cut off at the ends of the domain
	label             string
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
	if len(values) > 1 {
		return r, r.addLevels(o)
	}
	return r, nil
}

// addLevels adds a level for each width, up to that which needs no wider one but the root's.
func (r *rounding) addLevels(o RangeOptions) error {
	width := r.width
	for len(r.levels) < maxRangeLevels {
		r.levels = append(r.levels, roundingLevel{width: width})
		if r.last(width) {
			return nil
		}
		width = new(big.Int).Mul(width, big.NewInt(int64(o.Fanout)))
	}
	return fmt.Errorf("width %s is too small for values from %s to %s: the hierarchy would have "+
		"more than %d levels", o.Width, r.lowest, r.highest, maxRangeLevels)
}

// path is a value, and what stands above it.
func (r *rounding) path(v bag.Term) []string {
	labels := append(make([]string, 0, len(r.levels)+2), v.String())
	coef, _ := v.Lo.Coef(r.scale)
	for i := range r.levels {
		labels = appendNew(labels, r.around(v, coef, &r.levels[i]))
	}
	if len(r.levels) > 0 {
		labels = appendNew(labels, bag.Term{Lo: r.lowest, Hi: r.highest}.String())
	}
	return labels
}

func appendNew(labels []string, label string) []string {
	if labels[len(labels)-1] == label {
		return labels
	}
	return append(labels, label)
}

// start is where the range of a width begins that holds a value, given in units.
func (r *rounding) start(coef, width *big.Int) *big.Int {
	offset := new(big.Int).Sub(coef, r.origin)
	return offset.Sub(coef, offset.Mod(offset, width)) // Mod is never negative
}

// around is the label of the range of a level that holds a value. The ends of a range are values
// that may be in it: where dates are months, a range from the 18th begins a month later. Whatever a
// layout makes of its ends, the value is between them.
func (r *rounding) around(v bag.Term, coef *big.Int, l *roundingLevel) string {
	if l.start == nil || coef.Cmp(l.start) < 0 || coef.Cmp(l.end) >= 0 {
		r.find(coef, l)
	}
	t := l.term
	if t.Lo.Compare(v.Lo) > 0 {
		t.Lo = v.Lo
	}
	if t.Hi.Compare(v.Hi) < 0 {
		t.Hi = v.Hi
	}
	if t != l.term {
		return t.String()
	}
	return l.label
}

// find finds the range of a level that holds a value, cut off at the ends of the domain.
func (r *rounding) find(coef *big.Int, l *roundingLevel) {
	l.start = r.start(coef, l.width)
	l.end = new(big.Int).Add(l.start, l.width)
	l.term = bag.Term{
		Lo: r.kind.From(l.start, r.scale),
		Hi: r.kind.At(new(big.Int).Sub(l.end, big.NewInt(1)), r.scale),
	}
	if l.term.Lo.Compare(r.lowest) <= 0 {
		l.term.Lo = r.lowest
	}
	if l.term.Hi.Compare(r.highest) >= 0 {
		l.term.Hi = r.highest
	}
	l.label = l.term.String()
}

// last tells that ranges of a width need no wider ones above them but the root: one holds all
// values, or two do that meet at the origin, which wider ones would not unite.
func (r *rounding) last(width *big.Int) bool {
	lowest, _ := r.lowest.Coef(r.scale)
	highest, _ := r.highest.Coef(r.scale)
	first, last := r.start(lowest, width), r.start(highest, width)
	if first.Cmp(last) == 0 {
		return true
	}
	return last.Cmp(r.origin) == 0 && first.Add(first, width).Cmp(last) == 0
}
