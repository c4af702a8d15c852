package cluster

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mingle/anonymize/global"
	"mingle/hierarchy"
	"mingle/privacy"
)

// hand is some lines that stay together.
type hand struct {
	id                                uint64
	lines, filled, occurrences, pairs int64
	sum                               uint64
	secrets                           int64          // how many sensitive items the lines have
	sensitive                         map[int32]with // by item

	// of persons, who are in one hand each: how many there are, and with a line that is not empty;
	// and how many lines one of them has, and not empty ones
	persons, filledPersons, most, mostFilled int64
	own                                      map[string]*ofPerson // until tally
}

// with is how many lines, and persons, have a sensitive item, and how many with anything else.
type with struct{ all, filled, persons, filledPersons int64 }

func (a with) plus(b with) with {
	return with{
		a.all + b.all, a.filled + b.filled, a.persons + b.persons,
		a.filledPersons + b.filledPersons,
	}
}

// ofPerson is how many lines a person has, and not empty ones, and of each sensitive item whether
// it is in one.
type ofPerson struct {
	all, filled int64
	sensitive   map[int32]with
}

func (h *hand) add(o hand) {
	h.lines += o.lines
	h.filled += o.filled
	h.occurrences += o.occurrences
	h.pairs += o.pairs
	h.sum += o.sum
	h.secrets += o.secrets
	h.persons += o.persons
	h.filledPersons += o.filledPersons
	h.most, h.mostFilled = max(h.most, o.most), max(h.mostFilled, o.mostFilled)
	if h.sensitive == nil {
		h.sensitive = map[int32]with{}
	}
	for x, n := range o.sensitive {
		h.sensitive[x] = h.sensitive[x].plus(n)
	}
}

// line adds a line, as it is sent.
func (h *hand) line(t *hierarchy.Tree, l oneLine, text string) {
	filled := int64(min(1, len(l.tx)))
	h.add(hand{
		lines: 1, filled: filled, occurrences: int64(len(l.tx)), sum: checksum("", []byte(text)),
		sensitive: sensitiveOf(l.sensitive, filled), secrets: int64(len(l.sensitive)),
	})
	for _, u := range l.tx {
		h.pairs += int64(t.Depth(u))
	}
	if l.name == "" || strings.HasPrefix(l.name, nobody) {
		return
	}
	own := h.own[l.name]
	if own == nil {
		own = &ofPerson{sensitive: map[int32]with{}}
		h.own[l.name] = own
	}
	own.all++
	own.filled += filled
	for _, x := range l.sensitive {
		before := own.sensitive[x].filledPersons
		own.sensitive[x] = with{persons: 1, filledPersons: max(filled, before)}
	}
}

// tally counts the persons of the lines.
func (h *hand) tally() {
	for _, n := range h.own {
		h.add(hand{
			persons: 1, filledPersons: min(1, n.filled), most: n.all, mostFilled: n.filled,
			sensitive: n.sensitive,
		})
	}
}

// keeps is why the lines of a hand cannot keep a promise by themselves, whatever is generalized.
func (h *hand) keeps(t *hierarchy.Tree, p privacy.KM, items []string) error {
	s := global.Supports{Transactions: int(h.lines), Nodes: make([]int, t.Nodes())}
	if s.Nodes[t.Root()] = int(h.filled); p.Persons {
		s.Persons, s.Nodes[t.Root()], s.Filled = int(h.persons), int(h.filledPersons), int(h.filled)
		s.Most, s.MostFilled = int(h.most), int(h.mostFilled)
		s.Leaves = []int{int(h.occurrences)} // whether there are any is looked at
	}
	for x, item := range items {
		n := h.sensitive[int32(x)]
		s.Sensitive = append(s.Sensitive, global.Sensitive{
			Item: item, All: int(n.all), Filled: int(n.filled), Persons: int(n.persons),
			PersonsFilled: int(n.filledPersons),
		})
	}
	return s.Check(t, p)
}

// sensitiveOf is the sensitive items of a line, of which filled lines have anything else.
func sensitiveOf(items []int32, filled int64) map[int32]with {
	out := make(map[int32]with, len(items))
	for _, x := range items {
		out[x] = with{all: 1, filled: filled}
	}
	return out
}

// spellSensitive is that as text.
func spellSensitive(of map[int32]with) string {
	text := []byte{':'}
	for _, x := range slices.Sorted(maps.Keys(of)) {
		n := of[x]
		text = fmt.Appendf(text, "%d=%d/%d/%d/%d ", x, n.all, n.filled, n.persons, n.filledPersons)
	}
	return string(text)
}

// readSensitive reads what spellSensitive has written, of so many items.
func readSensitive(text string, items int) (map[int32]with, error) {
	text, whole := strings.CutPrefix(text, ":")
	out := map[int32]with{}
	for _, one := range strings.Fields(text) {
		item, counts, is := strings.Cut(one, "=")
		x, err := strconv.Atoi(item)
		_, twice := out[int32(x)]
		fields := strings.Split(counts, "/")
		if !is || err != nil || twice || x < 0 || x >= items || len(fields) != 4 {
			whole = false
			break
		}
		var n [4]int64
		for i, f := range fields {
			u, err := strconv.ParseUint(f, 10, 50)
			whole = whole && err == nil
			n[i] = int64(u)
		}
		own := with{n[0], n[1], n[2], n[3]}
		whole = whole && own.all >= max(own.filled, own.persons) &&
			min(own.filled, own.persons) >= own.filledPersons
		out[int32(x)] = own
	}
	if !whole {
		return nil, defect("what a worker says of sensitive items cannot be understood")
	}
	return out, nil
}

// handsOf adds up what workers of Sizes told of hands, ascending; there are so many sensitive
// items.
func handsOf(told []string, version string, items int) ([]hand, error) {
	of := map[uint64]*hand{}
	for _, line := range told {
		f := strings.Split(line, "\t")
		if len(f) != 12 {
			return nil, defect("what a worker says of parts cannot be understood")
		}
		var n [10]uint64
		for i := range n {
			var err error
			if n[i], err = strconv.ParseUint(f[i], 10, 64); err != nil ||
				0 < i && i < 9 && n[i] > 1<<50 {
				return nil, defect("what a worker says of parts cannot be understood")
			}
		}
		if err := sameVersion(f[11], version); err != nil {
			return nil, err
		}
		sensitive, err := readSensitive(f[10], items)
		if err != nil {
			return nil, err
		}
		if of[n[0]] == nil {
			of[n[0]] = &hand{id: n[0]}
		}
		secrets := int64(0)
		for _, n := range sensitive {
			secrets += n.all
		}
		of[n[0]].add(hand{
			lines: int64(n[1]), filled: int64(n[2]), occurrences: int64(n[3]), pairs: int64(n[4]),
			persons: int64(n[5]), filledPersons: int64(n[6]), most: int64(n[7]),
			mostFilled: int64(n[8]), sum: n[9], sensitive: sensitive, secrets: secrets,
		})
	}
	var out []hand
	for _, h := range of {
		out = append(out, *h)
	}
	slices.SortFunc(out, func(a, b hand) int { return cmp.Compare(a.id, b.id) })
	return out, nil
}
