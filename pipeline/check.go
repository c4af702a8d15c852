package pipeline

import (
	"context"
	"errors"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/privacy"
	"mingle/verify"
)

// Check is the question whether a published file keeps k^m-anonymity.
type Check struct {
	Original         string // "": not given, then only what the published file shows is judged
	Published        string
	Options          dataset.Options // of both files; a Format holds for both
	PublishedFormat  dataset.Format  // "": as Options says, or else the extension
	Hierarchy        string
	HierarchyOptions hierarchy.ReadOptions
	Sensitive        string
	Promise          privacy.KM
	MaySuppress      bool // items and transactions of the original may be missing
	Files            *Files
}

// Run reads the files and gives the verdict.
func (c Check) Run(ctx context.Context) (*verify.Finding, error) {
	_, finding, err := c.run(ctx)
	return finding, err
}

// run is Run, with what was read.
func (c Check) run(ctx context.Context) (in verify.KMInput, _ *verify.Finding, _ error) {
	faults := []error{c.Promise.Validate()}
	if c.Promise.Diverse() && c.Sensitive == "" {
		faults = append(faults, errors.New("l-diversity needs the list of sensitive items: give it with --sensitive"))
	}
	if err := errors.Join(faults...); err != nil {
		return in, nil, err
	}
	in, err := c.bind(ctx)
	var unknown *unknownError
	if errors.As(err, &unknown) {
		return in, unknownItems(c, unknown), nil
	}
	if err != nil {
		return in, nil, stopped(ctx, err)
	}
	finding, err := verify.KM(ctx, in)
	return in, finding, stopped(ctx, err)
}

func (c Check) bind(ctx context.Context) (in verify.KMInput, err error) {
	in = verify.KMInput{Promise: c.Promise, MaySuppress: c.MaySuppress, Workers: c.Files.Workers, Progress: c.Files.Progress}
	if in.Tree, err = c.Files.Hierarchy(ctx, c.Hierarchy, c.HierarchyOptions); err != nil {
		return in, err
	}
	var sensitive []string
	if c.Sensitive != "" {
		if sensitive, err = c.Files.Items(ctx, roleSensitive, c.Sensitive); err != nil {
			return in, err
		}
		if in.Tree, err = withoutSensitive(in.Tree, sensitive); err != nil {
			return in, err
		}
	}
	if err := c.bindPublished(ctx, &in, sensitive); err != nil || c.Original == "" {
		return in, err
	}
	original, _, err := c.Files.Transactions(ctx, "original", c.Original, c.Options)
	if err != nil {
		return in, err
	}
	if sensitive != nil {
		if original, in.OriginalSensitive, err = Split(original, sensitive); err != nil {
			return in, err
		}
	}
	in.Original, err = in.Tree.Encode(original)
	return in, inFile(c.Original, err)
}

func (c Check) bindPublished(ctx context.Context, in *verify.KMInput, sensitive []string) error {
	opts := publishedOptions(c.Published, c.PublishedFormat, knownFormat(c.Original, c.Options))
	published, _, err := c.Files.Transactions(ctx, "published", c.Published, opts)
	if err != nil {
		return err
	}
	err = BindPublished(in, published, sensitive)
	var missing *hierarchy.MissingItemsError
	if errors.As(err, &missing) {
		return &unknownError{missing, published.Len()}
	}
	return err
}

// unknownError says that a published file has items that the hierarchy does not have.
type unknownError struct {
	*hierarchy.MissingItemsError
	transactions int
}

// knownFormat fills in the format of the original, where there is one and its name tells; else reading it will say what
// is wrong.
func knownFormat(original string, opts dataset.Options) dataset.Options {
	if original == "" || original == Stdin {
		return opts
	}
	if known, err := opts.WithFormat(original); err == nil {
		return known
	}
	return opts
}
