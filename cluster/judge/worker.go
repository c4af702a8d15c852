// Package judge judges a release that lies on a cluster. It is written from the definitions, as
// package verify is, and shares nothing with what made the release but the readers: sets are added
// up by the engine itself, not by a worker.
//
// It judges global recodings, files whose labels are a cut of the hierarchy, and local ones, where
// an item may be published as different labels in different lines.
package judge

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"mingle/cluster/split"
	"mingle/dataset"
	"mingle/hierarchy"
)

// Protocol is the version of what workers and judge say to each other.
const Protocol = 9

// The parts of the work.
const (
	// of published lines: the labels and sets of them, and these with each sensitive item, to be
	// added up
	ofSets      = "sets"
	ofPublished = "published" // of published lines: their digests
	ofOriginal  = "original"  // of original lines: the digests of what they must be published as
	ofPersons   = "persons"   // of original lines, by their persons: the sets of what they must be
	ofLines     = "lines"     // the same, of the lines that each set has, and one person of them
	ofClasses   = "classes"   // of placed lines, by their persons: those of each class (classes.go)
	ofTorn      = "torn"      // of published lines: the sets with a torn child (compatible.go)
	ofCells     = "cells"     // of published lines: what may be below tuples of nodes
	// of published lines: the sets of elements with an odd one, and these with each sensitive item
	ofElements = "elements"
	ofUnions   = "unions" // of published lines: what of tuples they leave, and their sensitive items
	ofPlaced   = "placed" // of placed lines: their digests
	ofHad      = "had"    // of original lines: those with an item below each node of a tuple
	ofPairs    = "pairs"  // of both: line i of one and of the other
)

// plan is what a worker is to do.
type plan struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
	split.Layout

	What  string    `json:"what"`
	M     int       `json:"m"`
	L     int       `json:"l,omitempty"`     // 0: there are no sensitive items
	Share int       `json:"share,omitempty"` // of one person; 0: it is not bounded
	Nodes []int32   `json:"nodes"`           // the published labels
	At    [2]uint64 `json:"at"`              // secret: where digests are taken
	Salt  []byte    `json:"salt"`            // secret: of the hashes of lines

	Torn      []int32         `json:"torn,omitempty"`    // torn children
	Tuples    [][]int32       `json:"tuples,omitempty"`  // of M nodes
	Deep      bool            `json:"deep,omitempty"`    // tuples are taken apart
	Certain   []int64         `json:"certain,omitempty"` // lines that any items of a tuple leave
	Plainly   bool            `json:"plainly,omitempty"` // how lines are read; else child by child
	Placed    bool            `json:"placed,omitempty"`  // the lines are placed ones (placed.go)
	Odd       []int32         `json:"odd,omitempty"`     // split children, or labels below others
	Numbers   split.Numbering `json:"numbers"`           // of the lines of both
	Originals int             `json:"originals"`         // how many of the files are original ones
}

// work is what a worker does with the lines of r.
type work func(
	p *plan, ctx context.Context, t *hierarchy.Tree, r io.Reader, w *bufio.Writer,
) error

// before are the verbs of the steps before "verify".
var before = map[string]work{workWhose: (*plan).whose, workPairs: (*plan).rows}

// parts are what "verify" does for each part of the work.
var parts = map[string]work{
	ofSets: (*plan).sets, ofPublished: (*plan).digests, ofOriginal: (*plan).digests,
	ofPersons: (*plan).persons, ofLines: (*plan).persons, ofClasses: (*plan).persons,
	ofTorn: (*plan).tornSets, ofCells: (*plan).cells, ofElements: (*plan).elements,
	ofUnions: (*plan).unions, ofPlaced: (*plan).placedDigests, ofHad: (*plan).had,
	ofPairs: (*plan).pairs,
}

// Work does a part of the work on the lines of r.
// verb is one of Verbs.
func Work(
	ctx context.Context, verb string, text io.Reader, version string, r io.Reader, w io.Writer,
) error {
	p := &plan{}
	if err := json.NewDecoder(text).Decode(p); err != nil {
		return fmt.Errorf("the plan cannot be read: %w", err)
	}
	if p.Protocol != Protocol || p.Version != version {
		return fmt.Errorf("the driver is mingle %s (protocol %d), this worker %s (%d): they must be "+
			"the same", p.Version, p.Protocol, version, Protocol)
	}
	if verb == workCount {
		return split.CountLines(ctx, r, version, w)
	}
	tree, err := p.Tree()
	if err != nil {
		return err
	}
	does, known := before[verb]
	if !known {
		does, known = parts[p.What]
	}
	if !known {
		return fmt.Errorf("a worker cannot do %q", p.What)
	}
	out := bufio.NewWriterSize(w, 64<<10)
	if err := does(p, ctx, tree, r, out); err != nil {
		return err
	}
	return out.Flush()
}

// segment is lines that stand one after another in a file.
type segment struct {
	file, place string
	lines       int64
	digest      [2]uint64
	power       [2]uint64 // of At, for the next line

	occurrences, penalty int64

	// of published lines of persons: the first and the last, and whether all between ascend
	first, last []byte
	ascend      bool
}

// order looks at the order of more lines.
func (s *segment) order(text []byte) {
	for line := range bytes.Lines(text) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if s.last == nil {
			s.first, s.ascend = append([]byte{}, line...), true
		} else {
			s.ascend = s.ascend && bytes.Compare(s.last, line) <= 0
		}
		s.last = append(s.last[:0:0], line...)
	}
}

// digests writes a line for each part of a file: where it is, and the digest of its lines.
func (p *plan) digests(
	ctx context.Context, t *hierarchy.Tree, r io.Reader, w *bufio.Writer,
) error {
	as, err := p.publishedAs(t)
	if err != nil {
		return err
	}
	var s *segment
	end := func() {
		if s != nil {
			fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%s\t%x\t%x\t%t\n",
				s.file, s.place, s.lines, s.digest[0], s.digest[1], s.occurrences, s.penalty,
				p.Version, s.first, s.last, s.ascend)
		}
	}
	err = p.Parts(ctx, r, func(file, place string, text []byte, d *dataset.Dataset) error {
		if s == nil || s.file != file || s.place != place {
			end()
			s = &segment{file: file, place: place, power: [2]uint64{1, 1}}
		}
		if p.Person != "" && as == nil {
			s.order(text)
		}
		return p.digest(ctx, s, t, as, d)
	})
	end()
	return err
}

// publishedAs is the lowest published node at or above each leaf, -1 where there is none; nil for
// published lines.
func (p *plan) publishedAs(t *hierarchy.Tree) ([]int32, error) {
	if p.What == ofPublished {
		return nil, nil
	}
	as := slices.Repeat([]int32{-1}, t.Leaves())
	for _, u := range p.Nodes {
		if u < 0 || int(u) >= t.Nodes() {
			return nil, errors.New("the plan names a node that there is not")
		}
		lo, hi := t.Range(u)
		for leaf := lo; leaf < hi; leaf++ {
			if as[leaf] < 0 || t.Covers(as[leaf], u) {
				as[leaf] = u
			}
		}
	}
	return as, nil
}

// digest adds the lines of d to a segment.
func (p *plan) digest(
	ctx context.Context, s *segment, t *hierarchy.Tree, as []int32, d *dataset.Dataset,
) error {
	d, sensitive, err := p.Apart(d)
	switch {
	case err != nil:
	case as == nil:
		d, err = t.EncodePublished(d)
	default:
		d, err = t.Encode(d)
	}
	if err != nil {
		return err
	}
	var line []int32
	h := newHash(p.Salt)
	for i, tx := range d.All() {
		if i%4096 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		line = line[:0]
		for _, it := range tx {
			u := it
			if as != nil {
				if u = as[it]; u >= 0 {
					s.penalty += t.Penalty(u)
				} // else it is published as nothing, and no published line has such a label
			}
			line = append(line, u)
		}
		s.occurrences += int64(len(tx))
		slices.Sort(line)
		line = slices.Compact(line)
		if sensitive != nil { // which are published as they are
			line = behind(t, line, sensitive.Tx(i))
		}
		own := h.of(line)
		for j := range own {
			s.digest[j] = plus(s.digest[j], times(own[j], s.power[j]))
			s.power[j] = times(s.power[j], p.At[j])
		}
		s.lines++
	}
	return nil
}

// hasher hashes lines.
type hasher struct{ salt, text []byte }

func newHash(salt []byte) *hasher { return &hasher{salt: salt} }

// of hashes a set of nodes and sensitive items to two numbers of the field.
func (h *hasher) of(set []int32) [2]uint64 {
	h.text = append(h.text[:0], h.salt...)
	for _, u := range set {
		h.text = binary.LittleEndian.AppendUint32(h.text, uint32(u))
	}
	sum := sha256.Sum256(h.text)
	return [2]uint64{
		binary.LittleEndian.Uint64(sum[:8]) % field, binary.LittleEndian.Uint64(sum[8:16]) % field,
	}
}
