package attack

// Figures of data that lie elsewhere and are counted there. Every combination of items is looked
// at, so they are exact.

// Matched sums up, over combinations that persons have, how many records match. Sums of several
// can be sent and put together. Weights are those of Add: Unique, Under and Counts are of the
// combinations that one record matches, that some do and fewer than K, and by number of matches.
type Matched struct {
	K            int                        `json:"k"` // see Options
	Combinations int64                      `json:"combinations"`
	Weight       float64                    `json:"weight"` // of all combinations
	Unique       float64                    `json:"unique"`
	Under        float64                    `json:"under"`
	Success      float64                    `json:"success"` // the sum of weight/matches
	Fewest       int                        `json:"fewest"`  // matches seen, 0 aside; 0: none
	Counts       [len(bucketStarts)]float64 `json:"counts"`
}

func (m *Matched) tally() *candidateTally {
	return &candidateTally{
		k: m.K, weight: m.Weight, unique: m.Unique, under: m.Under, success: m.Success,
		fewest: m.Fewest, counts: m.Counts, combinations: m.Combinations,
	}
}

func (m *Matched) set(t *candidateTally) {
	*m = Matched{
		m.K, t.combinations, t.weight, t.unique, t.under, t.success, t.fewest, t.counts,
	}
}

// Add adds a combination that so many records match. The weight is the expected number of persons
// of whom it is known, each one's combinations being equally likely.
func (m *Matched) Add(matches int, weight float64) {
	t := m.tally()
	t.add(matches, weight)
	m.set(t)
}

// Merge adds another sum.
func (m *Matched) Merge(o Matched) {
	t := m.tally()
	t.merge(o.tally())
	m.set(t)
}

// Candidates are the figures. The baseline is the success of picking any record.
func (m *Matched) Candidates(baseline float64) Candidates {
	return m.tally().result(true, baseline)
}

// Believed sums up the probabilities that an adversary gives to items that persons have.
type Believed struct {
	Weight  float64 `json:"weight"`  // of all probabilities
	Sum     float64 `json:"sum"`     // of weight times probability
	Certain float64 `json:"certain"` // weight of those that are 1
	Largest float64 `json:"largest"` // probability
}

func (b *Believed) tally() *confidenceTally {
	return &confidenceTally{weight: b.Weight, sum: b.Sum, certain: b.Certain, largest: b.Largest}
}

func (b *Believed) set(t *confidenceTally) {
	*b = Believed{t.weight, t.sum, t.certain, t.largest}
}

// Add adds a probability, from 0 to 1, with its weight.
func (b *Believed) Add(belief, weight float64) {
	t := b.tally()
	t.add(belief, weight)
	b.set(t)
}

// Merge adds another sum.
func (b *Believed) Merge(o Believed) {
	t := b.tally()
	t.merge(o.tally())
	b.set(t)
}

// Counted is inference of one kind, counted.
type Counted struct {
	Baseline Believed `json:"baseline"`
	Before   Believed `json:"before"`
	After    Believed `json:"after"`
}

// Merge adds other sums.
func (c *Counted) Merge(o Counted) {
	c.Baseline.Merge(o.Baseline)
	c.Before.Merge(o.Before)
	c.After.Merge(o.After)
}

// Inference is the figures, of so many persons and known items; of names what is inferred, as
// [Inference.Of] does.
func (c *Counted) Inference(of string, known, persons int) *Inference {
	a := &inference{}
	a.tallies[0] = inferenceTally{*c.Baseline.tally(), *c.Before.tally(), *c.After.tally()}
	return a.result(&Inference{Known: known, Of: of, Persons: persons, Exact: true})
}

// Combinations is how many combinations of size items a transaction of n items has.
func Combinations(n, size int) float64 { return binomial(n, size) }
