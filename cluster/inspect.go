package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"mingle/cluster/engine"
	"mingle/cluster/split"
	"mingle/hierarchy"
	"mingle/internal/itemset"
)

// Profile is what counts tell of data, without any item of them.
type Profile struct {
	Lines       int64    `json:"lines"`
	Empty       int64    `json:"empty"` // lines
	Occurrences int64    `json:"occurrences"`
	Longest     int      `json:"longest"` // items of a line
	Items       int      `json:"items"`   // that occur
	Known       int      `json:"known"`   // items of the hierarchy
	K           int      `json:"k"`
	Sets        []SetsOf `json:"sets"` // by their size, from 1
}

// SetsOf is how many sets of items of a size occur, and in fewer than k lines.
type SetsOf struct {
	Different int64 `json:"different"`
	Rare      int64 `json:"rare"`
}

// Data is the files of an engine.
type Data struct {
	Engine   engine.Engine
	Version  string
	Layout   split.Layout
	Input    string // a file, or a folder of files
	Progress func(stage string)
}

// Inspect counts the sets of up to m items in the files: a job a size. Sets stay where they are
// counted; their numbers are told.
func (d Data) Inspect(ctx context.Context, k, m int) (*Profile, error) {
	l := d.Layout
	if l.Person != "" {
		return nil, errors.New("transactions are counted here, not persons")
	}
	tree, err := flat(&l)
	if err != nil {
		return nil, err
	}
	files, err := Files(ctx, d.Engine, l, d.Input)
	if err != nil {
		return nil, err
	}
	c := &counts{
		engine: d.Engine, version: d.Version, layout: l, tree: tree, files: files, buckets: buckets,
		tell: d.Progress, allowUnknown: true,
	}
	s, err := c.Supports(ctx)
	if err != nil {
		return nil, err
	}
	p := &Profile{
		Lines: c.seen.Lines, Empty: c.seen.Lines - c.seen.Filled,
		Occurrences: c.seen.Occurrences, Longest: c.seen.Longest, Known: tree.Leaves(), K: k,
	}
	one, order := SetsOf{}, []int32(nil)
	for u, n := range s.Leaves {
		if n > 0 {
			one.Different++
			order = append(order, int32(u))
		}
		if 0 < n && n < k {
			one.Rare++
		}
	}
	p.Items, p.Sets = int(one.Different), []SetsOf{one}
	itemset.TreeOrder(order, s.Nodes, func(a, b int32) int { return int(a - b) })
	for size := 2; size <= min(m, p.Longest); size++ {
		d, err := c.count(ctx, fmt.Sprintf("sets of %d", size), Plan{
			Cut: hierarchy.BottomCut(tree).Map(), Order: order, Size: size, K: int64(k),
			Number: true,
		})
		if err == nil {
			err = errors.Join(c.same(&d.total), d.close())
		}
		if err != nil {
			return nil, err
		}
		of := SetsOf{}
		for _, m := range d.names {
			of.Different, of.Rare = of.Different+m.Different, of.Rare+m.Rare
		}
		p.Sets = append(p.Sets, of)
	}
	return p, nil
}

// flat puts a hierarchy of the same items without groups in a layout's place: sets of items alone
// are counted.
func flat(l *split.Layout) (*hierarchy.Tree, error) {
	if err := l.Check(); err != nil {
		return nil, err
	}
	tree, err := l.Tree()
	if err != nil {
		return nil, err
	}
	b := hierarchy.NewBuilder()
	for leaf := range tree.Leaves() {
		path := []string{tree.Label(int32(leaf)), tree.Label(tree.Root())}
		if err := b.Path(path, leaf+1); err != nil {
			return nil, err
		}
	}
	if tree, err = b.Build(hierarchy.BuildOptions{}); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := hierarchy.Write(&text, tree, hierarchy.ARX); err != nil {
		return nil, err
	}
	l.Hierarchy, l.Reading = text.Bytes(), hierarchy.ReadOptions{Name: l.Reading.Name}
	return l.Tree()
}
