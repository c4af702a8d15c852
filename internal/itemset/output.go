package itemset

// chunk is some sets that were found, as they are handed from one goroutine to another.
type chunk struct {
	ints []int32 // support, size, items; again and again
	last bool    // of its piece of work
}

// chunkInts is how many numbers a chunk has, unless one set alone has more.
const chunkInts = 1 << 14

// each visits the sets.
func (c chunk) each(visit Visit) error {
	for at := 0; at < len(c.ints); {
		size := int(c.ints[at+1])
		items := c.ints[at+2 : at+2+size : at+2+size]
		if err := visit(items, int(c.ints[at])); err != nil {
			return err
		}
		at += 2 + size
	}
	return nil
}

// output is where one piece of work puts what it finds.
type output struct {
	emit func(chunk)
	ints []int32
}

// put adds a set of item ids, ascending, with its support.
func (o *output) put(items []int32, support int32) {
	if len(o.ints) > 0 && len(o.ints)+len(items)+2 > chunkInts {
		o.emit(chunk{ints: o.ints})
		o.ints = make([]int32, 0, chunkInts)
	}
	o.ints = append(o.ints, support, int32(len(items)))
	o.ints = append(o.ints, items...)
}

// end hands on what is left, if it is nothing too.
func (o *output) end() { o.emit(chunk{ints: o.ints, last: true}) }
