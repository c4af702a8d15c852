package cluster

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"mingle/attack"
	"mingle/hierarchy"
)

// frequencies is what an adversary knows of all transactions: the share of them that have each leaf
// and each sensitive item, and of the lines with the label of a leaf, the share that have the leaf.
type frequencies struct {
	Leaves    []float64 `json:"leaves"`
	Chance    []float64 `json:"chance"`
	Sensitive []float64 `json:"sensitive,omitempty"`
}

// gained is what "attack-sum" says of one name.
type gained struct {
	Worker string `json:"worker"`
	Came   sent   `json:"came"`
	Sets   int64  `json:"sets"` // the sum of all counts that came

	Matched   attack.Matched `json:"matched"` // of one side
	Items     attack.Counted `json:"items"`
	Sensitive attack.Counted `json:"sensitive"`
}

// attackSum makes figures of the rows of one name after the other.
type attackSum struct {
	*Plan
	figures
	named
	tree  *hierarchy.Tree
	said  gained
	group gainedGroup
}

// attackSum makes figures of the blocks in the lines that r has, all of one name one after another.
func (p *Plan) attackSum(ctx context.Context, r io.Reader, w io.Writer) error {
	tree, err := p.Tree()
	if err == nil {
		err = p.fits(tree)
	}
	if err == nil && (p.Frequencies == nil || len(p.Frequencies.Leaves) != tree.Leaves() ||
		len(p.Frequencies.Chance) != tree.Leaves() ||
		len(p.Frequencies.Sensitive) != len(p.Sensitive)) {
		err = fmt.Errorf("the plan is not of its hierarchy")
	}
	if err != nil {
		return err
	}
	s := &attackSum{
		Plan: p, figures: p.figures(tree), named: newNamed(w, p.Size+2), tree: tree,
	}
	return s.eachName(ctx, r, s.end)
}

// end writes what is to be said of a name.
func (s *attackSum) end() error {
	s.said = gained{Worker: s.Version, Came: s.came}
	s.said.Matched.K = int(s.K)
	s.group = gainedGroup{}
	err := s.all.each(s.row)
	if err == nil {
		err = s.close()
	}
	if err != nil {
		return err
	}
	return writeSealed(s.out, s.name, "gained", s.said)
}

// writeSealed is writeJSON with a checksum: figures that change on the way are seen.
func writeSealed(w *bufio.Writer, name, kind string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return writeLine(w, name, kind, fmt.Sprintf("%x:%s", checksum(name, text), text))
}

// unseal reads what writeSealed has written under a name.
func unseal(name, text string, v any) error {
	sum, text, _ := strings.Cut(text, ":")
	if sum != fmt.Sprintf("%x", checksum(name, []byte(text))) {
		return defect("a worker's record is damaged")
	}
	if err := json.Unmarshal([]byte(text), v); err != nil {
		return defect("a worker's record cannot be read")
	}
	return nil
}

// gainedGroup is the rows of a set: of items before, of labels after.
type gainedGroup struct {
	set            []int32
	lines, persons int64
	known          []ofLines
	with           map[int32]int64 // by label, or sensitive item behind these
	items          []ofLines
	sensitive      []ofLines
}

// ofLines is so many lines of a kind that have an item or a sensitive one.
type ofLines struct {
	item, line int32
	n          int64
}

func (s *attackSum) row(row []int32, n int64) error {
	s.said.Sets += n
	set := row[:s.Size]
	if s.group.set == nil || !slices.Equal(set, s.group.set) {
		if err := s.close(); err != nil {
			return err
		}
		s.group = gainedGroup{set: slices.Clone(set), with: map[int32]int64{}}
	}
	g := &s.group
	kind, of := s.read(row[s.Size])
	one := ofLines{of, row[s.Size+1] - s.figures.lines, n}
	switch kind {
	case inLines:
		g.lines += n
	case ofPersons:
		g.persons += n
	case known:
		g.known = append(g.known, one)
	case withLabel:
		g.with[of] += n
	case withSensitive:
		g.with[s.fill+of] += n
	case ofItem:
		g.items = append(g.items, one)
	case ofSensitive:
		g.sensitive = append(g.sensitive, one)
	default:
		return errBlock
	}
	return nil
}

// close makes figures of the rows of a set.
func (s *attackSum) close() error {
	g := &s.group
	if len(g.known) == 0 { // no transaction is long enough
		return nil
	}
	before := strings.HasPrefix(s.name, ofBefore)
	weight := 0.0
	for _, k := range g.known {
		weight += float64(k.n) / attack.Combinations(int(k.line), s.Size)
		if before {
			g.lines += k.n
		}
	}
	if g.lines <= 0 {
		return fmt.Errorf("a set is known of lines that have it, and no line has it")
	}
	matches := g.lines
	if s.Person != "" { // lines of nobody known are one where there are no others
		matches = max(1, g.persons)
	}
	s.said.Matched.Add(int(matches), weight)
	if before {
		s.inferBefore(g)
	} else {
		s.inferAfter(g)
	}
	return nil
}

// each calls do for the lines of each item, which stand one after another.
func each(of []ofLines, do func(item int32, n int64, lines []ofLines)) {
	for len(of) > 0 {
		n, end := int64(0), 0
		for end < len(of) && of[end].item == of[0].item {
			n, end = n+of[end].n, end+1
		}
		do(of[0].item, n, of[:end])
		of = of[end:]
	}
}

// weigh is of how many persons a set and one of their further items are drawn.
func (s *attackSum) weigh(lines []ofLines) float64 {
	w := 0.0
	for _, l := range lines {
		w += float64(l.n) / attack.Combinations(int(l.line), s.Size+1) / float64(s.Size+1)
	}
	return w
}

// weighSensitive is of how many persons a set and one of their sensitive items are drawn.
func (s *attackSum) weighSensitive(lines []ofLines) float64 {
	w := 0.0
	for _, l := range lines {
		length, has := l.line/s.figures.items, l.line%s.figures.items
		w += float64(l.n) / attack.Combinations(int(length), s.Size) / float64(has)
	}
	return w
}

func (s *attackSum) inferBefore(g *gainedGroup) {
	each(g.items, func(item int32, n int64, lines []ofLines) {
		w := s.weigh(lines)
		s.said.Items.Baseline.Add(s.Frequencies.Leaves[item], w)
		s.said.Items.Before.Add(float64(n)/float64(g.lines), w)
	})
	each(g.sensitive, func(item int32, n int64, lines []ofLines) {
		w := s.weighSensitive(lines)
		s.said.Sensitive.Baseline.Add(s.Frequencies.Sensitive[item], w)
		s.said.Sensitive.Before.Add(float64(n)/float64(g.lines), w)
	})
}

// inferAfter gives an item published as a group the probability that the group is this item: where
// the set has the group too, because of another item, no more than how frequent the item is.
func (s *attackSum) inferAfter(g *gainedGroup) {
	each(g.items, func(item int32, _ int64, lines []ofLines) {
		label := s.Cut[item]
		with, chance := g.with[label], s.Frequencies.Chance[item]
		if slices.Contains(g.set, label) {
			with, chance = g.lines, min(chance, s.Frequencies.Leaves[item])
		}
		if s.tree.LeafCount(label) == 1 {
			chance = 1
		}
		s.said.Items.After.Add(chance*float64(with)/float64(g.lines), s.weigh(lines))
	})
	each(g.sensitive, func(item int32, _ int64, lines []ofLines) {
		s.said.Sensitive.After.Add(float64(g.with[s.fill+item])/float64(g.lines),
			s.weighSensitive(lines))
	})
}
