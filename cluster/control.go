package cluster

import (
	"encoding/json"
	"fmt"
	"strings"

	"mingle/privacy"
)

// control is the name under which workers send what they say of themselves.
const control = "@"

// mapped is what one run of "map" says of itself.
type mapped struct {
	Worker      string `json:"worker"` // version
	Lines       int64  `json:"lines"`
	Filled      int64  `json:"filled"` // lines that have anything that is counted, or their persons
	Occurrences int64  `json:"occurrences"`
	Sensitive   int64  `json:"sensitive"` // occurrences of sensitive items, which are not among those
	Longest     int    `json:"longest"`   // of what is counted
	Sum         uint64 `json:"sum"`       // of the lines, in any order
	Sets        int64  `json:"sets"`      // the sum of all counts that were sent
	Came        sent   `json:"came"`      // lines of persons
	// of persons: lines that have anything that is counted, and the most lines, and of these, that
	// one person has
	FilledLines int64 `json:"filled_lines,omitempty"`
	Most        int64 `json:"most,omitempty"`
	MostFilled  int64 `json:"most_filled,omitempty"`
	// Sent has, for every name, the blocks that were sent under it.
	Sent map[string]sent `json:"sent"`
}

// sent is some blocks, or lines of persons.
type sent struct {
	Blocks int64  `json:"blocks"`
	Sum    uint64 `json:"sum"`
}

func (s *sent) add(o sent) {
	s.Blocks += o.Blocks
	s.Sum += o.Sum
}

// whose is what one run of "whose" says of itself.
type whose struct {
	Worker string `json:"worker"`
	Sent   sent   `json:"sent"` // lines
}

// merged is what "merge" says of one name: what came, and what it delivers.
type merged struct {
	Worker string `json:"worker"`
	Came   sent   `json:"came"`
	Sets   int64  `json:"sets"` // the sum of all counts that came
	Gone   sent   `json:"gone"` // blocks that are delivered

	Different int64 `json:"different"` // sets that came
	Rare      int64 `json:"rare"`      // of them in fewer than k transactions
}

// total is what all runs of "map" say together.
type total struct {
	mapped
	workers int
	whose   sent // lines of persons that were sent
}

func (t *total) add(m *mapped) {
	t.workers++
	t.Lines += m.Lines
	t.Filled += m.Filled
	t.Occurrences += m.Occurrences
	t.Sensitive += m.Sensitive
	t.Longest = max(t.Longest, m.Longest)
	t.Sum += m.Sum
	t.Came.add(m.Came)
	t.FilledLines += m.FilledLines
	t.Most, t.MostFilled = max(t.Most, m.Most), max(t.MostFilled, m.MostFilled)
	t.mapped.Sets += m.Sets
	for name, s := range m.Sent {
		all := t.Sent[name]
		all.add(s)
		if t.Sent == nil {
			t.Sent = map[string]sent{}
		}
		t.Sent[name] = all
	}
}

// delivery is the lines that a counting job returned, taken apart.
type delivery struct {
	total  total
	names  map[string]*merged
	blocks map[string]run // by name, in file
	file   *store         // made when there are any
	gone   map[string]sent
}

// newDelivery takes lines, until check.
func newDelivery() *delivery {
	return &delivery{
		names: map[string]*merged{}, blocks: map[string]run{}, gone: map[string]sent{},
	}
}

// close gives the room of the blocks back.
func (d *delivery) close() error {
	if d.file == nil {
		return nil
	}
	return d.file.close()
}

// line takes a line of a counting job.
func (d *delivery) line(line, version string) error {
	name, text, ok := strings.Cut(line, "\t")
	kind, text, _ := strings.Cut(text, ":")
	switch {
	case ok && name == control && kind == "map":
		m := &mapped{}
		if err := json.Unmarshal([]byte(text), m); err != nil {
			return defect("a worker's record cannot be read")
		}
		d.total.add(m)
		return sameVersion(m.Worker, version)
	case ok && name == control && kind == "whose":
		w := &whose{}
		if err := json.Unmarshal([]byte(text), w); err != nil {
			return defect("a worker's record cannot be read")
		}
		d.total.whose.add(w.Sent)
		return sameVersion(w.Worker, version)
	case ok && kind == "merge":
		m := &merged{}
		if err := json.Unmarshal([]byte(text), m); err != nil {
			return defect("a worker's record cannot be read")
		}
		if d.names[name] != nil {
			return defect("name %s was added up twice", name)
		}
		d.names[name] = m
		return sameVersion(m.Worker, version)
	case ok && kind == "rare":
		block, err := unspell(text)
		if err != nil {
			return defect("%w", err)
		}
		if d.file == nil {
			if d.file, err = newStore(); err != nil {
				return err
			}
		}
		b, err := d.file.put(block)
		if err != nil {
			return err
		}
		d.blocks[name] = append(d.blocks[name], b)
		gone := d.gone[name]
		gone.add(sent{1, checksum(name, block)})
		d.gone[name] = gone
		return nil
	}
	return defect("a line cannot be understood (%d bytes)", len(line))
}

// came refuses what no worker has told of, and lines of persons where others came than were sent.
func (t *total) came() error {
	switch {
	case t.workers == 0:
		return defect("no worker has said what it did")
	case t.whose != t.Came:
		return defect("%d lines of persons were sent and %d came, or others", t.whose.Blocks,
			t.Came.Blocks)
	}
	return nil
}

// check refuses a delivery unless everything that was sent has arrived once, and everything that is
// delivered too.
func (d *delivery) check() error {
	if err := d.total.came(); err != nil {
		return err
	}
	sets := int64(0)
	for name, m := range d.names {
		sets += m.Sets
		if d.total.Sent[name] != m.Came {
			return defect("of name %s %d blocks were sent and %d came, or others",
				name, d.total.Sent[name].Blocks, m.Came.Blocks)
		}
		if d.gone[name] != m.Gone {
			return defect("of name %s %d blocks were delivered and %d came, or others",
				name, m.Gone.Blocks, d.gone[name].Blocks)
		}
	}
	for name, s := range d.total.Sent {
		if d.names[name] == nil {
			return defect("name %s is missing, with %d blocks", name, s.Blocks)
		}
	}
	for name := range d.blocks {
		if d.names[name] == nil {
			return defect("name %s was delivered and not added up", name)
		}
	}
	if sets != d.total.mapped.Sets {
		return defect("%d sets were counted and %d added up", d.total.mapped.Sets, sets)
	}
	return nil
}

func sameVersion(worker, driver string) error {
	if worker != driver {
		return defect("a worker is of version %q, the driver of %q", worker, driver)
	}
	return nil
}

// DefectError says that what a job returned is not whole.
type DefectError struct{ err error }

func (e *DefectError) Error() string {
	return "what the cluster returned is not whole: " + e.err.Error() + "; nothing was published"
}

func (e *DefectError) Unwrap() error { return e.err }

// Is tells that it is a [privacy.ErrFault].
func (*DefectError) Is(kind error) bool { return kind == privacy.ErrFault }

func defect(format string, args ...any) error {
	return &DefectError{fmt.Errorf(format, args...)}
}
