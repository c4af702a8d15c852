package verify

import (
	"slices"

	"mingle/dataset"
	"mingle/privacy"
)

// l^m-diversity (terrovitis-2011, section 5.2). A combination c breaches when sup(c and s)·l >
// sup(c) for a sensitive item s; the most frequent set of sensitive items is always attained by a
// single one. Supports of c are counted as for k^m; those of c and s over the rows that have s, for
// one s after the other.

// sensRef is a reference to a row that has a sensitive item, and in how many of its transactions.
type sensRef struct {
	tally
	at ref
}

// sensRefs lists the references by sensitive item.
func (s *search) sensRefs(c *classes, refs []ref) []sensRef {
	out := s.bySens[:0]
	for _, at := range refs {
		for _, t := range c.tallies(int(at.row)) {
			out = append(out, sensRef{t, at})
		}
	}
	slices.SortStableFunc(out, func(a, b sensRef) int { return int(a.sensitive - b.sensitive) })
	s.bySens = out
	return out
}

// eachSensitive calls do with the references of one sensitive item after the other.
func eachSensitive(refs []sensRef, do func(sensitive int32, refs []sensRef)) {
	for len(refs) > 0 {
		n := 1
		for n < len(refs) && refs[n].sensitive == refs[0].sensitive {
			n++
		}
		do(refs[0].sensitive, refs[:n])
		refs = refs[n:]
	}
}

// singleRatios compares, for every counted item, its support beside each sensitive item with
// lv.count.
func (s *search) singleRatios(prefix []int32, c *classes, refs []ref, lv *level) {
	if c.tallyStart == nil {
		return
	}
	l := s.promise.L
	eachSensitive(s.sensRefs(c, refs), func(sensitive int32, refs []sensRef) {
		for _, r := range refs {
			for _, z := range c.items[r.at.next:c.start[r.at.row+1]] {
				lv.second[z] += r.count
			}
		}
		for _, r := range refs {
			for _, z := range c.items[r.at.next:c.start[r.at.row+1]] {
				with := int(lv.second[z])
				lv.second[z] = 0
				if n := int(lv.count[z]); n > 0 && with*l > n {
					s.add(append(prefix, c.label[z]), sensitive, n, with*l)
				}
			}
		}
	})
}

// pairRatios does the same for the pairs in the triangle.
func (s *search) pairRatios(prefix []int32, c *classes, refs []ref, alive []int32) {
	if c.tallyStart == nil {
		return
	}
	lv := s.scratch(len(prefix), c)
	if len(lv.other) < len(lv.triangle) {
		lv.other = make([]int32, len(lv.triangle))
	}
	eachSensitive(s.sensRefs(c, refs), func(sensitive int32, refs []sensRef) {
		for _, r := range refs {
			lv.tally(lv.other, s.restOf(c, r.at, lv), r.count)
		}
		for _, r := range refs {
			rest := s.restOf(c, r.at, lv)
			for x, i := range rest {
				for _, j := range rest[x+1:] {
					cell := lv.row[i] + int(j)
					with := int(lv.other[cell]) * s.promise.L
					lv.other[cell] = 0
					if n := int(lv.triangle[cell]); with > n {
						nodes := append(prefix, c.label[alive[i]], c.label[alive[j]])
						s.add(nodes, sensitive, n, with)
					}
				}
			}
		}
	})
}

// checkEmpty checks the empty combination: what someone learns who only knows that a person is in
// the data. It occurs in every line. No share is taken of lines that show nothing, which are so
// many.
func checkEmpty(published, sensitive *dataset.Dataset, silent int, p privacy.KM) *witnesses {
	found := &witnesses{}
	if n := published.Len(); 0 < n && n < p.K {
		found.add(nil, -1, n, p.K)
	}
	if !p.Diverse() {
		return found
	}
	told := sensitive.Len() - silent
	for s, n := range sensitive.Supports() {
		if n*p.L > told {
			found.add(nil, int32(s), told, n*p.L)
		}
	}
	return found
}
