package cluster

import (
	"context"
	"slices"

	"mingle/anonymize/global"
	"mingle/cluster/engine"
	"mingle/cluster/judge"
	"mingle/cluster/split"
	"mingle/hierarchy"
	"mingle/measure"
)

// Compared is published files and their original, which lie with an engine. What they lost, and
// what an adversary gains from them, is counted there, as they lie.
//
// They must be a recoding of the original: the judge compares the lines first, and of a local one
// counts what the items are published as, by label. Of a global one that is known from the labels,
// wherever a line stands, and counts of the original and of the published labels tell all.
type Compared struct {
	Engine              engine.Engine
	Version             string
	Layout              split.Layout // of both
	Original, Published string       // a file each, or a folder of files
	AllowUnknown        bool         // see Release

	Buckets  int // under how many names counts are sent; 0: 48
	Progress func(stage string)
}

// RecodingError says why files are not looked at: they are no recoding of an original, or of a kind
// that is not.
type RecodingError struct{ Breach judge.Breach }

func (e *RecodingError) Error() string {
	return "the published files are not compared on a cluster: " + e.Breach.String()
}

// comparison is a comparison under way, of a global recoding where not said otherwise.
type comparison struct {
	Compared
	found     *judge.Finding // of a local recoding, too
	tree      *hierarchy.Tree
	counts    *counts
	supports  global.Supports // of the original
	published []int32         // by leaf: its published node, itself where it does not occur
	labels    map[int32]int64 // how many published lines have each
}

// begin has the lines compared.
func (c Compared) begin(ctx context.Context) (*comparison, error) {
	if c.Buckets == 0 {
		c.Buckets = buckets
	}
	if c.Progress == nil {
		c.Progress = func(string) {}
	}
	if err := c.Layout.Check(); err != nil {
		return nil, err
	}
	tree, err := c.Layout.Tree()
	if err != nil {
		return nil, err
	}
	original, err := Files(ctx, c.Engine, c.Layout, c.Original)
	if err != nil {
		return nil, err
	}
	published, err := Files(ctx, c.Engine, c.Layout, c.Published)
	if err != nil {
		return nil, err
	}
	f, err := judge.Release{
		Engine: c.Engine, Version: c.Version, Layout: c.Layout, Tree: tree, Published: published,
		Original: original, AllowUnknown: c.AllowUnknown, Progress: c.Progress,
	}.Recoding(ctx)
	if err != nil {
		return nil, err
	}
	if !f.Holds {
		return nil, &RecodingError{f.Breaches[0]}
	}
	return &comparison{
		Compared: c, found: f, tree: tree, labels: f.Supports, counts: &counts{
			engine: c.Engine, version: c.Version, layout: c.Layout, tree: tree, files: original,
			buckets: c.Buckets, tell: c.Progress, allowUnknown: true, salt: salt(),
		},
	}, nil
}

// count has the items of the original counted.
func (c *comparison) count(ctx context.Context) (err error) {
	if c.supports, err = c.counts.Supports(ctx); err != nil {
		return err
	}
	f := c.found
	if seen := c.counts.seen; seen.Lines != f.Lines || seen.Occurrences != f.Occurrences {
		return defect("%d lines with %d items were compared, and %d with %d counted", f.Lines,
			f.Occurrences, seen.Lines, seen.Occurrences)
	}
	return c.publish()
}

// publish finds the published node of each leaf.
func (c *comparison) publish() error {
	c.published = hierarchy.BottomCut(c.tree).Map()
	found := slices.Repeat([]bool{false}, c.tree.Leaves())
	for u := range c.labels {
		lo, hi := c.tree.Range(u)
		for leaf := lo; leaf < hi; leaf++ {
			c.published[leaf], found[leaf] = u, true
		}
	}
	for leaf, n := range c.supports.Leaves {
		if n > 0 && !found[leaf] {
			return defect("an item occurs, and is published as nothing")
		}
	}
	return nil
}

// Losses is what published files lost.
type Losses struct {
	Transactions int64         `json:"transactions"`
	NCP          *measure.Loss `json:"ncp"`
	// Notes are what the published files show beside, which the figures do not.
	Notes []string `json:"notes,omitempty"`
}

// Measure measures what the published files lost.
func (c Compared) Measure(ctx context.Context) (*Losses, error) {
	by, err := c.begin(ctx)
	if err != nil {
		return nil, err
	}
	var ncp measure.Loss
	if by.found.Local {
		ncp = measure.NCPOfLabels(by.tree, by.found.At)
	} else if err := by.count(ctx); err != nil {
		return nil, err
	} else {
		ncp = measure.NCPOfCut(by.tree, by.supports.Leaves, by.published)
	}
	return &Losses{Transactions: by.found.Lines, NCP: &ncp, Notes: by.found.Notes}, nil
}
