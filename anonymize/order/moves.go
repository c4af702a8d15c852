package order

import "slices"

// reverse turns around the run of positions i..j; 0 < i <= j < n-1.
func (t *tour) reverse(i, j int) {
	slices.Reverse(t.at[i : j+1])
	for p := i; p <= j; p++ {
		t.pos[t.at[p]] = int32(p)
	}
}

// swapRuns exchanges the run of x positions from i on with the y positions after it; all within
// 1..n-2.
func (t *tour) swapRuns(i, x, y int) {
	a, b := t.at[i-1], t.at[i]
	c, d := t.at[i+x-1], t.at[i+x]
	e, f := t.at[i+x+y-1], t.at[i+x+y]
	t.gain += int64(t.d(a, b) + t.d(c, d) + t.d(e, f) - t.d(a, d) - t.d(e, b) - t.d(c, f))
	t.reverse(i, i+x-1)
	t.reverse(i+x, i+x+y-1)
	t.reverse(i, i+x+y-1)
	t.touch(a, b, c, d, e, f)
}

// twoOpt looks for a shortening reversal whose new edge joins c to one of its near cities, and
// applies it.
func (t *tour) twoOpt(c int32) bool {
	p := int(t.pos[c])
	// the edge of c that goes: to its successor or its predecessor
	for _, side := range [2]int{1, -1} {
		if p+side < 0 || p+side >= t.n {
			continue
		}
		next := t.at[p+side]
		old := t.d(c, next)
		for _, e := range t.near[int(c)*t.lists : (int(c)+1)*t.lists] {
			gain := old - t.d(c, e)
			if gain <= 0 {
				break
			}
			q := int(t.pos[e])
			if q+side < 0 || q+side >= t.n {
				continue
			}
			after := t.at[q+side]
			gain += t.d(e, after) - t.d(next, after)
			if gain <= 0 {
				continue
			}
			i, j := min(p, q), max(p, q)
			if side == 1 {
				i++
			} else {
				j--
			}
			t.reverse(i, j)
			t.gain += int64(gain)
			t.touch(c, next, e, after)
			return true
		}
	}
	return false
}

// orOpt looks for a run of one to three cities that begins or ends with c and is better between a
// near city of c and that city's neighbour, and moves it there so that c comes next to the near
// city.
func (t *tour) orOpt(c int32) bool {
	for length := 1; length <= 3; length++ {
		for _, side := range [2]int{1, -1} { // where the rest of the run lies, seen from c
			p := int(t.pos[c])
			i, j := p, p+side*(length-1)
			if i > j {
				i, j = j, i
			}
			if i < 1 || j > t.n-2 {
				continue
			}
			if t.moveRun(c, i, j) {
				return true
			}
			if length == 1 {
				break
			}
		}
	}
	return false
}

// moveRun moves the run i..j, which begins or ends with c, next to a near city of c if that is
// shorter.
func (t *tour) moveRun(c int32, i, j int) bool {
	before, after := t.at[i-1], t.at[j+1]
	other := t.at[i] + t.at[j] - c // the other end of the run; c itself where it is alone
	removed := t.d(before, t.at[i]) + t.d(t.at[j], after) - t.d(before, after)
	for _, e := range t.near[int(c)*t.lists : (int(c)+1)*t.lists] {
		if removed <= t.d(c, e) {
			break
		}
		q := int(t.pos[e])
		if q >= i && q <= j {
			continue
		}
		for _, side := range [2]int{1, -1} { // the neighbour of e that the run is put before
			r := q + side
			if r < 0 || r >= t.n || r >= i && r <= j {
				continue
			}
			f := t.at[r]
			gain := removed - t.d(c, e) - t.d(other, f) + t.d(e, f)
			if gain <= 0 {
				continue
			}
			t.place(i, j, run{c: c, between: [2]int{min(q, r), max(q, r)}, first: side == 1})
			t.gain += int64(gain)
			t.touch(before, after, c, other, e, f)
			return true
		}
	}
	return false
}

// run says where a run goes: between two neighbouring positions, with c as its first city there or
// as its last.
type run struct {
	c       int32
	between [2]int
	first   bool
}

// place moves the run i..j by three reversals.
func (t *tour) place(i, j int, to run) {
	length := j - i + 1
	var begin int
	if to.between[1] <= i { // to the left: positions between[1]..i-1 move right
		begin = to.between[1]
		t.reverse(begin, j)
		t.reverse(begin+length, j)
	} else { // to the right: positions j+1..between[0] move left
		begin = to.between[0] - length + 1
		t.reverse(i, to.between[0])
		t.reverse(i, begin-1)
	}
	end := begin + length - 1
	if at := t.at[begin]; (at == to.c) != to.first && length > 1 {
		t.reverse(begin, end)
	}
}
