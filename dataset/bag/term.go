package bag

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// Term is what stands in a record: a value, or a closed range of values with both ends in it.
type Term struct{ Lo, Hi Number }

// Point is the term of a value that is not generalized.
func Point(n Number) Term { return Term{n, n} }

// IsPoint tells whether the term is a single value.
func (t Term) IsPoint() bool { return t.Lo.Compare(t.Hi) == 0 }

// Contains tells whether a value lies in the term, ends included.
func (t Term) Contains(n Number) bool { return t.Lo.Compare(n) <= 0 && n.Compare(t.Hi) <= 0 }

// Width is Hi - Lo, exactly.
func (t Term) Width() *big.Rat { return t.Hi.Sub(t.Lo) }

// Compare orders terms by their lower ends, then by their upper ends.
func (t Term) Compare(o Term) int {
	if c := t.Lo.Compare(o.Lo); c != 0 {
		return c
	}
	return t.Hi.Compare(o.Hi)
}

// String is the value's own text, or [lo-hi] with the ends' own texts.
func (t Term) String() string {
	if t.IsPoint() {
		return t.Lo.String()
	}
	return "[" + t.Lo.String() + "-" + t.Hi.String() + "]"
}

// ParseTerm reads a value or a range [lo-hi]. The hyphen between the ends is the one that leaves a
// value on both sides, so [-30--20] and [2010-01-05-2010-02-03] are read as they are meant.
func (k Kind) ParseTerm(s string) (Term, error) {
	if !strings.HasPrefix(s, "[") {
		n, err := k.Parse(s)
		return Point(n), err
	}
	body, closed := strings.CutSuffix(s[1:], "]")
	if !closed {
		return Term{}, fmt.Errorf("range %.40q does not end in ]", s)
	}
	var found []Term
	for i := range len(body) {
		if body[i] != '-' {
			continue
		}
		lo, err := k.Parse(body[:i])
		if err != nil {
			continue
		}
		if hi, err := k.Parse(body[i+1:]); err == nil {
			found = append(found, Term{lo, hi})
		}
	}
	switch {
	case len(found) == 0:
		return Term{}, fmt.Errorf("%.80q is not a range of %ss: [lowest-highest]", s, k)
	case len(found) > 1:
		return Term{}, fmt.Errorf("range %.80q can be read in more than one way", s)
	case found[0].Lo.Compare(found[0].Hi) > 0:
		return Term{}, fmt.Errorf("range %.80q ends below where it begins", s)
	}
	return found[0], nil
}

var errRange = errors.New("a range where a value is expected: the original has values, the " +
	"published file ranges, and the original comes first")
