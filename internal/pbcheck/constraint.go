package pbcheck

import (
	"fmt"
	"math/big"
	"strings"
)

// constraint says that the sum of factors of literals that hold is at least degree. Factors are
// positive, and of a variable and its negation only one has one.
type constraint struct {
	factor map[string]*big.Int
	degree *big.Int
}

func newConstraint() *constraint {
	return &constraint{factor: map[string]*big.Int{}, degree: new(big.Int)}
}

// isLiteral tells whether a word is a variable, x and a number, or its negation.
func isLiteral(word string) bool {
	digits, is := strings.CutPrefix(strings.TrimPrefix(word, "~"), "x")
	return is && digits != "" && strings.Trim(digits, "0123456789") == ""
}

func negated(literal string) string {
	if v, is := strings.CutPrefix(literal, "~"); is {
		return v
	}
	return "~" + literal
}

// parse reads "factor literal ... >= degree".
func parse(words []string) (*constraint, error) {
	n := len(words)
	if n < 2 || n%2 != 0 || words[n-2] != ">=" {
		return nil, fmt.Errorf("is no constraint")
	}
	x := newConstraint()
	if _, ok := x.degree.SetString(words[n-1], 10); !ok {
		return nil, fmt.Errorf("%s is no number", words[n-1])
	}
	for i := 0; i < n-2; i += 2 {
		factor, ok := new(big.Int).SetString(words[i], 10)
		if !ok || factor.Sign() < 1 || !isLiteral(words[i+1]) {
			return nil, fmt.Errorf("%s %s is no term", words[i], words[i+1])
		}
		x.add(factor, words[i+1])
	}
	return x, nil
}

// add adds a term: of a literal and its negation, as much as both have is always there.
func (x *constraint) add(factor *big.Int, literal string) {
	if other, is := x.factor[negated(literal)]; is {
		both := factor
		if other.Cmp(factor) < 0 {
			both = other
		}
		x.degree.Sub(x.degree, both)
		left := new(big.Int).Sub(factor, both)
		x.factor[negated(literal)] = new(big.Int).Sub(other, both)
		if x.factor[negated(literal)].Sign() == 0 {
			delete(x.factor, negated(literal))
		}
		if left.Sign() == 0 {
			return
		}
		factor = left
	}
	sum := new(big.Int).Set(factor)
	if own, is := x.factor[literal]; is {
		sum.Add(sum, own)
	}
	x.factor[literal] = sum
}

func (x *constraint) plus(y *constraint) *constraint {
	out := x.times(big.NewInt(1))
	out.degree.Add(out.degree, y.degree)
	for l, f := range y.factor {
		out.add(f, l)
	}
	return out
}

func (x *constraint) times(by *big.Int) *constraint {
	out := newConstraint()
	out.degree.Mul(x.degree, by)
	for l, f := range x.factor {
		out.factor[l] = new(big.Int).Mul(f, by)
	}
	return out
}

// over divides and rounds up.
func (x *constraint) over(by *big.Int) *constraint {
	up := func(n *big.Int) *big.Int {
		quotient, rest := new(big.Int).DivMod(n, by, new(big.Int))
		if rest.Sign() > 0 {
			quotient.Add(quotient, big.NewInt(1))
		}
		return quotient
	}
	out := newConstraint()
	out.degree = up(x.degree)
	for l, f := range x.factor {
		out.factor[l] = up(f)
	}
	return out
}

// contrary says that x does not hold.
func (x *constraint) contrary() *constraint {
	out := newConstraint()
	out.degree.Sub(x.most(), x.degree)
	out.degree.Add(out.degree, big.NewInt(1))
	for l, f := range x.factor {
		out.factor[negated(l)] = f
	}
	return out
}

// most is the sum of all factors.
func (x *constraint) most() *big.Int {
	sum := new(big.Int)
	for _, f := range x.factor {
		sum.Add(sum, f)
	}
	return sum
}

// value is the sum of the factors of literals that hold.
func (x *constraint) value(holds map[string]bool) *big.Int {
	sum := new(big.Int)
	for l, f := range x.factor {
		if holds[l] {
			sum.Add(sum, f)
		}
	}
	return sum
}

// atLeast is what an objective, as a constraint of at least 0, is at least where y holds: what y
// has more of a literal than the objective may be there, and lowers what y says.
func (x *constraint) atLeast(y *constraint) *big.Int {
	least := new(big.Int).Set(y.degree)
	for l, f := range y.factor {
		more := new(big.Int).Set(f)
		if own, is := x.factor[l]; is {
			more.Sub(more, own)
		}
		if more.Sign() > 0 {
			least.Sub(least, more)
		}
	}
	if least.Sign() < 0 {
		return new(big.Int)
	}
	return least
}
