package dataset

import "slices"

// Where the dataset is to be packed, transactions are packed as they come in, by provisional ids,
// and once more by their final ids, for which all labels must be known. What has been renumbered is
// let go, so that little of both is held at once.

// pack appends a part's transactions; to translates its ids, nil if they are the collector's own.
func (c *collector) pack(p *part, to []int32) {
	begin := uint32(0)
	for _, end := range p.ends {
		tx := p.items[begin:end]
		if to != nil {
			for i, it := range tx {
				tx[i] = to[it]
			}
		}
		slices.Sort(tx)
		distinct := slices.Compact(tx)
		c.repeats += len(tx) - len(distinct)
		c.packed.add(distinct)
		begin = end
	}
}

// renumber packs transactions again, item i as to[i], all different. The old form is used up.
func (p *packed) renumber(to []int32) *packed {
	if unchanged(to) {
		return p
	}
	out := &packed{}
	c := (&Dataset{packed: p}).Cursor()
	sorter := newSetSorter(to)
	for i := range p.n {
		tx := c.Tx(i)
		sorter.sort(tx)
		out.add(tx)
		for used := int(c.chunk) - 1; used >= 0 && p.chunks[used] != nil; used-- {
			p.chunks[used] = nil
		}
	}
	return out
}
