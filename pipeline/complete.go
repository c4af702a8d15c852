package pipeline

import (
	"context"
	"fmt"
	"io"

	"mingle/dataset"
	"mingle/dataset/rows"
	"mingle/generate"
	"mingle/hierarchy"
	"mingle/internal/publish"
)

// Completion makes made-up transactions of items from a release, see [generate.Complete].
type Completion struct {
	Files
	Published        string
	Layout           dataset.Options
	Hierarchy        string
	HierarchyOptions hierarchy.ReadOptions
	Seed             uint64

	Output       string
	OutputFormat dataset.Format
	Delimiter    rune // between the fields of the output; 0: as in the release, of .tsv files tab
	Force        bool
	Out          io.Writer // standard output
}

// Run reads the release, and writes the completion whole or not at all.
func (c *Completion) Run(ctx context.Context) (*dataset.Dataset, error) {
	if c.Output != Stdin && rows.Is(c.Output) || c.OutputFormat == dataset.Database {
		return nil, fmt.Errorf("%s: a completion is written to a file: name one", nameWritten(c.Output))
	}
	if err := checkOutput(c.Output, c.OutputFormat); err != nil {
		return nil, err
	}
	set := &publish.Set{
		Force: c.Force, Out: c.Out, In: c.In, Inputs: []string{c.Published, c.Hierarchy},
	}
	if err := set.Check(publish.Target{Role: "output", Path: c.Output}); err != nil {
		return nil, err
	}
	defer set.Abort()
	published, read, err := c.Release(ctx, c.Published, c.Layout)
	if err != nil {
		return nil, err
	}
	t, err := c.Files.Hierarchy(ctx, c.Hierarchy, c.HierarchyOptions)
	if err != nil {
		return nil, err
	}
	made, err := generate.Complete(t, published, c.Seed)
	if err != nil {
		return nil, err
	}
	f, err := set.Create(c.Output, publish.Public)
	if err != nil {
		return nil, err
	}
	packed, err := dataset.Compress(f, c.Output)
	if err == nil {
		layout := publishedOptions(c.Output, c.OutputFormat, read, c.Published)
		if c.Delimiter != 0 {
			layout.Delimiter = c.Delimiter
		}
		err = dataset.Write(packed, made, layout)
	}
	if err == nil {
		err = packed.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", nameWritten(c.Output), publish.Reason(err))
	}
	return made, set.Commit()
}
