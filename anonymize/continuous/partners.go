package continuous

import "slices"

// partners are all values of the records with a value in a segment, in ascending order: what can be met beside it.
type partners struct {
	span  span
	value []int32
	rec   []int32
}

// partners looks up, or makes, the partners of a segment. Those made when the segment had at least half of its present
// postings are good enough: what they list is true, and a candidate's support is counted anew anyway. So no record is
// listed more than about log n times in the whole run.
func (p *postings) partners(sp span) *partners {
	have := p.met[sp.lo]
	if have != nil && sp.lo <= have.span.lo && have.span.hi <= sp.hi && 2*len(p.of(have.span)) >= len(p.of(sp)) {
		return have
	}
	room := len(p.of(sp)) * (len(p.rec)/max(1, p.data.Len()) + 1)
	met := &partners{span: sp, value: make([]int32, 0, room), rec: make([]int32, 0, room)}
	p.forget()
	for _, rec := range p.of(sp) {
		if p.once(rec) {
			for _, v := range p.data.Record(int(rec)) {
				met.value, met.rec = append(met.value, v), append(met.rec, rec)
			}
		}
	}
	p.forget()
	met.sort(len(p.start))
	p.met[sp.lo] = met
	return met
}

// inherit keeps the longer list of partners when segments merge.
func (p *postings) inherit(from, into int32) {
	if old := p.met[from]; old != nil && (p.met[into] == nil || len(old.rec) > len(p.met[into].rec)) {
		p.met[into] = old
	}
	delete(p.met, from)
}

// below is the number of entries with a lower value.
func (p *partners) below(v int32) int {
	n, _ := slices.BinarySearch(p.value, v)
	return n
}

// among is the run of entries whose values lie in a span.
func (p *partners) among(s span) []int32 { return p.rec[p.below(s.lo):p.below(s.hi+1)] }

// sort orders the entries by value, those of one value as they stand: a radix sort, 11 bits at a time.
func (p *partners) sort(values int) {
	const bits = 11
	n := len(p.rec)
	value, rec := make([]int32, n), make([]int32, n)
	for shift := 0; values>>shift > 0; shift += bits {
		var start [1<<bits + 1]int32
		for _, v := range p.value {
			start[v>>shift&(1<<bits-1)+1]++
		}
		for i := range 1 << bits {
			start[i+1] += start[i]
		}
		for i, v := range p.value {
			at := &start[v>>shift&(1<<bits-1)]
			value[*at], rec[*at] = v, p.rec[i]
			*at++
		}
		p.value, value = value, p.value
		p.rec, rec = rec, p.rec
	}
}
