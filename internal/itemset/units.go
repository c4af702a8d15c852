package itemset

import "slices"

// Where a unit, such as a person, may have several transactions, the support of a set is the number
// of distinct units with a transaction that has all of it. The transactions of a unit come one
// after the other, and weigh 1: a unit is counted where it is met first. All others count by their
// weights, which may be 0: then a set may occur and have no support.

// noUnit is the unit of a transaction that counts by its weight.
const noUnit = -1

// weighUnits is the support of a set, given its places.
func weighUnits(units, weights []int32, at []Place) int {
	total, last := 0, int32(noUnit)
	for _, p := range at {
		if u := units[p.Tx]; u == noUnit || u != last {
			total, last = total+int(weights[p.Tx]), u
		}
	}
	return total
}

// unit of transaction i.
func (d *Data) unit(i int) int32 {
	if d.Units == nil {
		return noUnit
	}
	return d.Units[i]
}

// unitsOf makes room for units where they are counted.
func unitsOf(d *Data) []int32 {
	if d.Units == nil {
		return nil
	}
	return make([]int32, 0, d.Len)
}

// closeOf is close for a row of a unit.
func (r *rows) closeOf(unit, weight int32) {
	r.close(weight)
	if r.units != nil {
		r.units = append(r.units, unit)
	}
}

// stamp marks what a row of a unit has been counted for: 0 stands for nothing yet.
func stamp(unit int32) int32 { return unit + 2 }

// countUnit adds to a count what a row of a unit adds after those before it; last is the stamp of
// the last one.
func countUnit(count, last *int32, unit, weight int32) {
	switch s := stamp(unit); {
	case unit == noUnit:
		*last = max(*last, s)
		*count += weight
	case *last != s:
		*last = s
		*count += weight
	}
}

// countUnits counts the distinct units of every extension of a set.
func (p *projection) countUnits(in *rows, at []Place) {
	if p.last == nil {
		p.last = make([]int32, len(p.count))
	}
	p.touched = p.touched[:0]
	for _, o := range at {
		unit, weight := in.units[o.Tx], in.weights[o.Tx]
		for _, e := range in.behind(o) {
			if p.last[e] == 0 {
				p.touched = append(p.touched, e)
			}
			countUnit(&p.count[e], &p.last[e], unit, weight)
		}
	}
}

// addOf is add for a row of a unit: equal ones of the same unit become one, and weigh no more.
func (d *deduplicator) addOf(to *rows, row []int32, unit, weight int32) {
	h := hashRow(row) + uint64(uint32(unit+1))*0xBF58476D1CE4E5B9
	for slot := h & d.mask; ; slot = (slot + 1) & d.mask {
		n := d.slots[slot]
		if n == 0 {
			to.ids = append(to.ids, row...)
			to.closeOf(unit, weight)
			d.slots[slot] = uint32(to.len())
			return
		}
		if to.units[n-1] == unit && slices.Equal(to.row(n-1), row) {
			if unit == noUnit {
				to.weights[n-1] += weight
			}
			return
		}
	}
}
