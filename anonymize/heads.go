package anonymize

// Heads counts the persons of transactions. It has working space, and is for one goroutine. A nil
// one counts transactions: each is a person of its own.
type Heads struct {
	of    []int32 // by transaction; -1: of nobody known
	round []int32 // by person: the round in which it was met last
	own   []int32 // by person: its transactions in that round
	now   int32
}

// NewHeads is for the transactions of an input.
func (in Input) NewHeads() *Heads {
	if !in.Promise.Persons {
		return nil
	}
	n := 0
	for _, p := range in.Persons {
		n = max(n, int(p)+1)
	}
	return &Heads{of: in.Persons, round: make([]int32, n), own: make([]int32, n)}
}

// Count is how many distinct persons some transactions have, those of nobody left out.
func (h *Heads) Count(txs []int32) int {
	if h == nil {
		return len(txs)
	}
	n, _ := h.count(txs)
	return n
}

// Most is how many of some transactions one person has, at most; 0 where transactions are counted.
func (h *Heads) Most(txs []int32) int {
	if h == nil {
		return 0
	}
	_, most := h.count(txs)
	return most
}

func (h *Heads) count(txs []int32) (persons, most int) {
	h.now++
	for _, i := range txs {
		p := h.of[i]
		if p < 0 {
			continue
		}
		if h.round[p] != h.now {
			h.round[p], h.own[p] = h.now, 0
			persons++
		}
		h.own[p]++
		most = max(most, int(h.own[p]))
	}
	return persons, most
}
