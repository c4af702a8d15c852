package verify

// sums are sums by a small number, few of which are not 0.
type sums struct {
	n  []int   // by number
	of []int32 // what is not 0
}

// add adds more than 0 for x.
func (s *sums) add(x int32, n int) {
	for int(x) >= len(s.n) {
		s.n = append(s.n, 0)
	}
	if s.n[x] == 0 {
		s.of = append(s.of, x)
	}
	s.n[x] += n
}

// clear makes all of them 0.
func (s *sums) clear() {
	for _, x := range s.of {
		s.n[x] = 0
	}
	s.of = s.of[:0]
}
