package cover

// Proof is why no solution weighs less than some target: the bound of Rows reaches it; or, once
// every variable is fixed that, the other way, would bring that bound to Threshold, Parts have
// bounds that add up to it, or both Sides of the case distinction on Branch reach it. It is checked
// by package verify, which does not share this code. Variables are numbered as in the whole
// program.
type Proof struct {
	Rows      []Row
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

// Part is a set of variables whose weight by itself is at least Bound. Variables that are in no
// part and not fixed belong to the part of the nearest variable above them that is in one, if any:
// they are chosen together with it.
type Part struct {
	Vars  []int32
	Bound int64
	Proof *Proof
}

// rows are the constraints that have a multiplier.
func (t *task) rows(y []int64) []Row {
	var out []Row
	for c, m := range y {
		if m == 0 {
			continue
		}
		row := Row{Need: t.need[c], Y: m}
		for _, v := range t.Clause(c) {
			row.Vars = append(row.Vars, t.orig[v])
		}
		out = append(out, row)
	}
	return out
}

// proof is the node of a bound that climbed.
func (a *ascent) proof() *Proof {
	return &Proof{Rows: a.t.rows(a.y), Threshold: a.upper, Branch: -1}
}
