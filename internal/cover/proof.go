package cover

import "iter"

// Proof is why no solution weighs less than some target: the bound of Rows reaches it; or, once
// every variable is fixed that, the other way, would bring that bound to Threshold, Parts have
// bounds that add up to it, or both Sides of the case distinction on Branch reach it. It is checked
// by package verify, which does not share this code. Variables are numbered as in the whole
// program.
type Proof struct {
	Rows      Rows
	Threshold int64 // not less than the target; 0: nothing is fixed
	Parts     []Part
	Branch    int32     // the variable of the case distinction; used when Sides are set
	Sides     [2]*Proof // Branch chosen, Branch not chosen
}

// Row is a constraint with its multiplier: at least Need of Vars are chosen. Need is 1, and some
// clause says so; or it is one less than there are variables, and for every two of them some clause
// does.
type Row struct {
	Vars []int32
	Need int32
	Y    int64
}

// Rows are rows one after the other. A proof may have millions, so they hold no pointers, which the
// collector would follow again and again.
type Rows struct {
	vars []int32 // of all rows
	ends []int32 // where those of a row end
	need []int32
	y    []int64
}

// bytes is what they take, about, and what holds them.
func (r *Rows) bytes() int64 {
	const each, holder = 16, 256
	return int64(4*cap(r.vars) + each*cap(r.ends) + holder)
}

// All are the rows; their variables are not to be changed.
func (r *Rows) All() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		from := int32(0)
		for n, end := range r.ends {
			if !yield(Row{Vars: r.vars[from:end:end], Need: r.need[n], Y: r.y[n]}) {
				return
			}
			from = end
		}
	}
}

// Part is a set of variables whose weight by itself is at least Bound. Variables that are in no
// part and not fixed belong to the part of the nearest variable above them that is in one, if any:
// they are chosen together with it.
type Part struct {
	Vars  []int32
	Bound int64
	Proof *Proof
}

// rows are the constraints that have a multiplier.
func (t *task) rows(y []int64) (out Rows) {
	rows, vars := 0, 0
	for c, m := range y {
		if m != 0 {
			rows, vars = rows+1, vars+len(t.Clause(c))
		}
	}
	out.vars, out.ends = make([]int32, 0, vars), make([]int32, 0, rows)
	out.need, out.y = make([]int32, 0, rows), make([]int64, 0, rows)
	for c, m := range y {
		if m == 0 {
			continue
		}
		for _, v := range t.Clause(c) {
			out.vars = append(out.vars, t.orig[v])
		}
		out.ends = append(out.ends, int32(len(out.vars)))
		out.need, out.y = append(out.need, t.need[c]), append(out.y, m)
	}
	return out
}

// proof is the node of a bound that climbed.
func (a *ascent) proof() *Proof {
	return &Proof{Rows: a.t.rows(a.y), Threshold: a.upper, Branch: -1}
}
