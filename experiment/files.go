package experiment

import (
	"fmt"
	"io"
	"path/filepath"

	"mingle/internal/publish"
)

// pageName is the page of a comparison.
const pageName = "index.html"

// Inputs are the files that the plan names; dir is where they are.
func (p *Plan) Inputs(dir string) []string {
	var out []string
	for _, d := range p.Data {
		if d.File != "" {
			if file := onDisk(d.from(dir)); file != "" {
				out = append(out, file)
			}
		}
		for _, name := range []string{d.Hierarchy, d.Sensitive} {
			if name != "" {
				out = append(out, within(dir, name))
			}
		}
	}
	return out
}

// Targets are the files that WriteFigures writes into a directory, to be checked before the work.
func (p *Plan) Targets(dir string) []publish.Target {
	out := []publish.Target{{Role: "page", Path: filepath.Join(dir, pageName)}}
	for _, plot := range p.Plots {
		out = append(
			out, publish.Target{Role: "figure " + plot.Name, Path: figurePath(dir, plot.Name)},
		)
	}
	return out
}

func figurePath(dir, name string) string { return filepath.Join(dir, name+".svg") }

// WriteFigures writes the page, index.html, and one SVG a plot into a directory: all or none. The
// set is committed.
func (p *Plan) WriteFigures(set *publish.Set, dir string, rows []Row) error {
	defer set.Abort()
	page := func(w io.Writer) error { return p.WritePage(w, rows) }
	if err := writeInto(set, filepath.Join(dir, pageName), page); err != nil {
		return err
	}
	for _, c := range p.Charts(rows) {
		if err := writeInto(set, figurePath(dir, c.Name), c.WriteSVG); err != nil {
			return err
		}
	}
	return set.Commit()
}

func writeInto(set *publish.Set, target string, write func(io.Writer) error) error {
	f, err := set.Create(target, publish.Public)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		return fmt.Errorf("cannot write %s: %w", target, publish.Reason(err))
	}
	return nil
}
