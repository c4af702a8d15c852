package cluster

import (
	"errors"
	"slices"
	"sort"
)

// rareSets is rare sets in ascending blocks, in a file. Compressed, they take some bytes each.
type rareSets struct {
	size   int
	file   *store
	blocks run
	first  [][]int32 // of each block

	lists map[int]*list // blocks that are unpacked
	held  int           // ranks in them
	most  int           // with more, they are unpacked anew
}

// list is the sets of a block, one after another, and their counts.
type list struct {
	ranks  []int32
	counts []int64
}

// mostHeld is about how many ranks of unpacked blocks are held, some 64 MB with their counts.
const mostHeld = 8 << 20

// newRareSets brings the blocks of all names into one order.
func newRareSets(blocks map[string]run, size int) (*rareSets, error) {
	file, err := newStore()
	if err != nil {
		return nil, err
	}
	s := &rareSets{size: size, file: file, lists: map[int]*list{}, most: mostHeld}
	if err := s.fill(blocks); err != nil {
		return nil, errors.Join(err, file.close())
	}
	return s, nil
}

// fill merges blocks, of which as many are unpacked at a time as there are names.
func (s *rareSets) fill(blocks map[string]run) error {
	g := &gather{size: s.size}
	for _, r := range blocks {
		if err := g.add(r); err != nil {
			return err
		}
	}
	w := newWriter(s.size, func(block []byte) error {
		b, err := s.file.put(block)
		s.blocks = append(s.blocks, b)
		return err
	})
	err := g.each(func(set []int32, n int64) error {
		if len(s.first) == len(s.blocks) {
			s.first = append(s.first, slices.Clone(set))
		}
		return w.add(set, n)
	})
	if err == nil {
		err = w.flush()
	}
	return err
}

// open reads the head of a block.
func (s *rareSets) open(at int) (*sets, error) {
	block, err := s.blocks[at].load()
	if err != nil {
		return nil, err
	}
	return open(block, s.size)
}

// Each implements global.RareSets.
func (s *rareSets) Each(do func(ranks []int32) bool) error {
	for at := range s.blocks {
		in, err := s.open(at)
		if err != nil {
			return err
		}
		for {
			more, err := in.next()
			if err != nil {
				return err
			}
			if !more {
				break
			}
			if !do(in.set) {
				return nil
			}
		}
	}
	return nil
}

// Support implements global.RareSets.
func (s *rareSets) Support(ranks []int32) (int, error) {
	at, first := slices.BinarySearchFunc(s.first, ranks, slices.Compare)
	if !first {
		at--
	}
	if at < 0 {
		return -1, nil
	}
	l, err := s.unpack(at)
	if err != nil {
		return -1, err
	}
	i := sort.Search(len(l.counts), func(i int) bool {
		return slices.Compare(l.ranks[i*s.size:(i+1)*s.size], ranks) >= 0
	})
	if i == len(l.counts) || !slices.Equal(l.ranks[i*s.size:(i+1)*s.size], ranks) {
		return -1, nil
	}
	return int(l.counts[i]), nil
}

// unpack lists the sets of a block, and forgets others where they are many.
func (s *rareSets) unpack(at int) (*list, error) {
	if l := s.lists[at]; l != nil {
		return l, nil
	}
	in, err := s.open(at)
	if err != nil {
		return nil, err
	}
	if s.held > s.most {
		clear(s.lists)
		s.held = 0
	}
	l := &list{}
	for {
		more, err := in.next()
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
		l.ranks = append(l.ranks, in.set...)
		l.counts = append(l.counts, in.n)
	}
	s.lists[at] = l
	s.held += len(l.ranks)
	return l, nil
}

// Close implements global.RareSets.
func (s *rareSets) Close() error { return s.file.close() }
