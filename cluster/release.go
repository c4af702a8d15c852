package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"mingle/anonymize"
	"mingle/anonymize/global"
	"mingle/anonymize/global/exact"
	"mingle/cluster/engine"
	"mingle/cluster/judge"
	"mingle/cluster/place"
	"mingle/cluster/split"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/privacy"
	"mingle/release"
)

// Release is a release to be made of files that an engine reads.
type Release struct {
	Engine  engine.Engine
	Version string       // of the program, here and in the workers
	Input   string       // a file, or a folder of files
	Query   string       // in place of Input: of the engine's language, a row a line
	Layout  split.Layout // of the input and of the output
	Promise privacy.KM
	Output  string // a folder
	Force   bool   // replace a release that is there
	// AllowUnknown lets Layout.Sensitive have items that neither the data nor the hierarchy has.
	AllowUnknown bool
	Table        bool // write a table (engine.Table), not lines

	Algorithm string     // one of Algorithms; "": aa
	Vertical  global.VPA // the parts of vpa

	// Of local and partition: into how many parts the lines are dealt, about; 0: as few as a worker
	// has memory for, in bytes; 0: WorkerMemory. Seed is the secret of what local leaves to chance;
	// nil: it is drawn, and forgotten.
	Parts        int
	WorkerMemory int64
	Seed         *[32]byte

	// Announce, if set, is called when the release was judged and before it has its name, with its
	// files. What it returns is called once it has; after an error of either there is no release.
	Announce func(ctx context.Context, files []string) (done func() error, err error)

	Buckets  int // under how many names counts are sent; 0: 48
	Progress func(stage string)
}

// Made is a release that was judged and is in its place.
type Made struct {
	Finding *judge.Finding
	Cut     *hierarchy.Cut
	Bound   *release.Bound // what exact has proven; nil of others
	Parts   int            // of local and partition, which have no cut
	Files   []string       // of the output, in order
}

// buckets is the usual number of names: enough for some tens of reducers, and few enough to be
// merged at once.
const buckets = 48

// Check refuses what is not kept on a cluster, of so many sensitive items.
func Check(p privacy.KM, sensitive int) error {
	if err := p.Validate(); err != nil {
		return err
	}
	plain := privacy.KM{K: p.K, M: p.M, L: p.L, Persons: p.Persons, PersonShare: p.PersonShare}
	if len(p.Columns) == 0 {
		p.Columns = nil
	}
	switch {
	case !reflect.DeepEqual(p, plain):
		return errors.New("on a cluster k^m-anonymity and l^m-diversity of transactions and of " +
			"persons are made and judged: sensitive items that are known, sensitive columns, negative " +
			"knowledge and the adversary \"algorithm\" are not")
	case p.Diverse() && sensitive == 0:
		return errors.New("l-diversity needs the list of sensitive items: give it with --sensitive")
	case !p.Diverse() && sensitive > 0:
		return errors.New("a list of sensitive items is given, but l is not: give it with -l")
	}
	return nil
}

// Make makes the release: it counts, finds the cut, writes to a staging folder, has it judged, and
// only then gives the folder its name. When it fails, or is killed, there is no output; the next
// run with the same output removes what it left.
func (r Release) Make(ctx context.Context) (*Made, error) {
	m, err := r.begin(ctx)
	if err != nil {
		return nil, err
	}
	var made *Made
	if m.rows != "" {
		err = m.query(ctx)
	}
	stage := m.stage(stagePrefix) + nonce()
	if err == nil {
		m.aside = stage
		made, err = m.make(ctx)
	}
	if err != nil {
		// what cannot be removed now is removed by the next run
		late := context.WithoutCancel(ctx)
		err = errors.Join(err, r.Engine.Remove(late, stage), m.drop(late))
		return nil, err
	}
	return made, nil
}

// making is a release under way.
type making struct {
	Release
	tree  *hierarchy.Tree
	files []string
	rows  string // the folder for the rows of a query; "": there is none

	salt   []byte // of the names of persons
	placed string // the folder of lines of parts where the judge asks for it; "": there is none

	placedFiles []string // those in it
	aside       string   // the folder that the release is written to
}

// begin refuses, before any work, what cannot end well, and removes what was left by runs that were
// killed.
func (r Release) begin(ctx context.Context) (*making, error) {
	r.Output = strings.TrimRight(r.Output, "/")
	r.Promise.Persons = r.Layout.Person != ""
	if r.Algorithm == "" {
		r.Algorithm = "aa"
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	tree, err := r.Layout.Tree()
	if err != nil {
		return nil, err
	}
	if err := r.clean(ctx); err != nil {
		return nil, err
	}
	if _, err := Free(ctx, r.Engine, r.Output, r.Force); err != nil {
		return nil, err
	}
	m := &making{Release: r, tree: tree, salt: salt()}
	if r.Query != "" {
		m.rows = r.stage(rowsPrefix) + nonce()
	} else if m.files, err = Files(ctx, r.Engine, r.Layout, r.Input); err != nil {
		return nil, err
	}
	if m.Buckets == 0 {
		m.Buckets = buckets
	}
	if m.Progress == nil {
		m.Progress = func(string) {}
	}
	return m, nil
}

// check refuses what is not made, and an output that is not apart from what is read.
func (r Release) check() error {
	err := Check(r.Promise, len(r.Layout.Sensitive))
	if err = errors.Join(err, r.Layout.Check()); err != nil {
		return err
	}
	if r.Table {
		if err := ofTables(r.Layout); err != nil {
			return err
		}
	}
	if err := r.CheckParts(); err != nil {
		return err
	}
	if !slices.Contains(Algorithms, r.Algorithm) {
		return fmt.Errorf("%s is not made on a cluster: %s are", r.Algorithm,
			strings.Join(Algorithms, ", "))
	}
	if base := path.Base(r.Output); base == "." || base == ".." {
		return fmt.Errorf("the output (%s) must be named by the name of a folder", r.Output)
	}
	read := []place.Named{{What: "the input", Path: r.Input}}
	if r.Query != "" {
		read = nil
		for _, at := range place.Quoted(r.Query) {
			read = append(read, place.Named{What: "a path of the query", Path: at})
		}
	}
	return place.Apart(place.Named{What: "the output", Path: r.Output}, read...)
}

// Free refuses an output that is there, and tells whether one is that may be replaced. With force
// it is a release of ours, or an empty folder: what replaces them removes all that is there. Every
// release has the mark of a folder that was written as a whole, and beside it the files of lines
// alone.
func Free(ctx context.Context, s engine.Storage, output string, force bool) (bool, error) {
	output = strings.TrimRight(output, "/")
	there, err := s.Exists(ctx, output)
	switch {
	case err != nil || !there:
		return there, err
	case !force:
		return there, fmt.Errorf("%s is there already: choose another folder, or --force", output)
	}
	_, err = s.Files(ctx, output) // in which there are no folders
	var found []string
	if err == nil {
		found, err = s.Siblings(ctx, output+"/"+wholeMark, "")
	}
	whole := len(found) == 0
	for _, f := range found {
		name := strings.TrimPrefix(path.Base(f), ".") // sums are beside files, and hidden
		name = strings.TrimSuffix(name, ".crc")
		whole = whole || name == wholeMark
		if !strings.HasPrefix(name, "part-") && name != wholeMark {
			err = fmt.Errorf("it has %s", path.Base(f))
		}
	}
	if err == nil && !whole {
		err = fmt.Errorf("it has no %s", wholeMark)
	}
	if err != nil {
		err = fmt.Errorf("%s is not replaced, for it is not known to be a release: %w. Choose "+
			"another folder, or remove it", output, err)
	}
	return there, err
}

// wholeMark is the file that engines leave in a folder that they have written as a whole.
const wholeMark = "_SUCCESS"

// query has the rows of the query written to a folder of their own: they are asked for once, and
// what is counted, published and judged are the same lines.
func (m *making) query(ctx context.Context) error {
	m.Progress("reading the rows of the query")
	rows, err := m.Engine.Private(ctx, m.rows)
	if err == nil {
		err = m.Engine.Rows(ctx, m.Query, rows)
	}
	if err == nil {
		m.files, err = Files(ctx, m.Engine, m.Layout, rows)
	}
	return err
}

// Files lists the files of a path, of which there must be one.
func Files(
	ctx context.Context, e engine.Engine, l split.Layout, path string,
) ([]string, error) {
	list, err := e.Files(ctx, path)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, f := range list {
		if strings.HasSuffix(f.Path, ".zst") {
			return nil, fmt.Errorf("%s: zstd is not read by every engine: unpack it first, or use "+
				".gz, which one worker reads alone", f.Path)
		}
		if strings.HasSuffix(f.Path, engine.Table) {
			if err := ofTables(l); err != nil {
				return nil, fmt.Errorf("%s: %w", f.Path, err)
			}
		}
		out = append(out, f.Path)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: there is no file", path)
	}
	return out, nil
}

// ofTables refuses lines that are no rows of a table.
func ofTables(l split.Layout) error {
	if l.Format != dataset.Fimi {
		return errors.New("tables are read and written as fimi, for which items have no blanks: give " +
			"--input-format fimi")
	}
	return nil
}

// drop removes the rows of the query, which are the original, and lines that tell their persons.
func (m *making) drop(ctx context.Context) error {
	for _, folder := range []string{m.rows, m.placed} {
		if folder == "" {
			continue
		}
		if err := m.Engine.Remove(ctx, folder); err != nil {
			return err
		}
	}
	return nil
}

func (m *making) make(ctx context.Context) (*Made, error) {
	made, seen := &Made{}, (*total)(nil)
	stage, err := m.Engine.Private(ctx, m.aside)
	if err != nil {
		return nil, err
	}
	if _, is := parted[m.Algorithm]; is {
		seen, made.Parts, err = m.inParts(ctx, stage)
	} else {
		seen, err = m.byCut(ctx, stage, made)
	}
	switch {
	case errors.Is(err, engine.ErrNoLines) && m.Promise.Persons:
		err = anonymize.EnoughPersons(0, 0, 0, true, m.Promise.K)
	case errors.Is(err, engine.ErrNoLines):
		err = anonymize.Enough(0, 0, m.Promise.K)
	}
	if err != nil {
		return nil, err
	}
	if made.Finding, err = m.judge(ctx, stage, seen); err != nil {
		return nil, err
	}
	made.Files, err = m.place(ctx, stage)
	return made, err
}

// byCut finds a cut and writes the lines as it publishes them to a folder.
func (m *making) byCut(ctx context.Context, stage string, made *Made) (*total, error) {
	c := &counts{
		engine: m.Engine, version: m.Version, layout: m.Layout, tree: m.tree, files: m.files,
		buckets: m.Buckets, tell: m.Progress, allowUnknown: m.AllowUnknown, salt: m.salt,
	}
	job := engine.Job{
		Name: "publish", Input: m.files, Map: "publish", Output: stage, Table: m.Table,
		Sorted: m.Layout.Person != "",
	}
	if n := len(job.Input); n > engine.MostOrdered && job.Ordered() { // before they are counted
		return nil, fmt.Errorf("there are %d files to publish in their order, more than %d: merge some",
			n, engine.MostOrdered)
	}
	var err error
	if made.Cut, made.Bound, err = m.find(ctx, c); err != nil {
		return nil, err
	}
	m.Progress("publishing")
	job.Plan = Plan{
		Protocol: Protocol, Version: m.Version, Layout: m.Layout, Cut: made.Cut.Map(), Size: 1,
		Buckets: 1,
	}.encode()
	_, err = m.Engine.Run(ctx, job)
	return c.seen, err
}

// Algorithms are those that are made on a cluster.
var Algorithms = []string{"aa", "exact", "vpa", "local", "partition"}

// find finds the cut of the algorithm, and the bound of exact.
func (m *making) find(ctx context.Context, c *counts) (*hierarchy.Cut, *release.Bound, error) {
	progress := func(p anonymize.Progress) { m.Progress("finding the cut: " + p.Stage) }
	switch m.Algorithm {
	case "exact":
		return exact.CutOf(ctx, m.tree, m.Promise, c, progress)
	case "vpa":
		cut, err := m.Vertical.CutOf(ctx, m.tree, m.Promise, c, progress)
		return cut, nil, err
	}
	cut, err := global.CutOf(ctx, m.tree, m.Promise, c, progress)
	return cut, nil, err
}

// place announces the release and gives it its name.
func (m *making) place(ctx context.Context, stage string) ([]string, error) {
	done := func() error { return nil }
	if m.Announce != nil {
		files, err := Files(ctx, m.Engine, m.Layout, stage)
		if err == nil {
			done, err = m.Announce(ctx, files)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := m.drop(ctx); err != nil {
		return nil, err
	}
	if err := m.appear(ctx, stage, done); err != nil {
		return nil, err
	}
	files, err := Files(context.WithoutCancel(ctx), m.Engine, m.Layout, m.Output)
	if err != nil {
		err = fmt.Errorf("%s is in its place, but cannot be listed: %w", m.Output, err)
	}
	return files, err
}

// judge has the folder judged as it lies there.
func (m *making) judge(ctx context.Context, stage string, seen *total) (*judge.Finding, error) {
	files, err := Files(ctx, m.Engine, m.Layout, stage)
	if err != nil {
		return nil, err
	}
	of := judge.Release{
		Engine: m.Engine, Version: m.Version, Layout: m.Layout, Tree: m.tree,
		Published: files, Original: m.files, K: m.Promise.K, M: m.Promise.M, L: m.Promise.L,
		PersonShare: m.Promise.PersonShare, AllowUnknown: m.AllowUnknown, Progress: m.Progress,
	}
	if m.placed != "" {
		of.Placed, of.Salt = m.placedFiles, m.salt
	}
	f, err := of.Judge(ctx)
	if err != nil {
		return nil, err
	}
	if !f.Holds {
		return nil, &BreachError{f}
	}
	if f.Lines != seen.Lines || f.Occurrences != seen.Occurrences {
		return nil, defect("%d lines with %d items were counted, %d with %d judged", seen.Lines,
			seen.Occurrences, f.Lines, f.Occurrences)
	}
	if m.Layout.Person != "" && !f.Ascending {
		return nil, defect("the published lines do not ascend: lines of a person may stand together")
	}
	return f, nil
}

// BreachError is what the judge found wrong with a release that was about to be published.
type BreachError struct{ Finding *judge.Finding }

func (e *BreachError) Error() string {
	f := e.Finding
	why := f.Breaches[0].String()
	if f.Broken > 1 {
		why = fmt.Sprintf("%d breaches, such as %s", f.Broken, why)
	}
	if f.Unlike { // it was the input's own when it was made
		why += "; did the input change meanwhile?"
	}
	return "the judge refuses the release: " + why + ". Nothing was published"
}

// Is tells that it is a [privacy.ErrBroken].
func (*BreachError) Is(kind error) bool { return kind == privacy.ErrBroken }

// The folders beside the output that are not the output.
const (
	stagePrefix  = "mingle-staging-"
	rowsPrefix   = "mingle-rows-" // of a query
	formerPrefix = "mingle-former-"
	partsPrefix  = "mingle-parts-" // lines of releases of parts
)

// stage is how names of folders of a kind begin that belong to the output. They begin with "_",
// which engines take for no data.
func (r Release) stage(kind string) string {
	dir, base := path.Split(r.Output)
	return dir + "_" + kind + base + "-"
}

// salt makes a secret for the names of persons.
func salt() []byte {
	out := make([]byte, 16)
	rand.Read(out)
	return out
}

// nonce makes a name that nobody else has.
func nonce() string { return strings.ToLower(rand.Text()) }

// clean removes what runs that were killed have left of the output, and puts a former output back
// that was being replaced.
func (r Release) clean(ctx context.Context) error {
	var left []string
	for _, kind := range []string{stagePrefix, rowsPrefix, partsPrefix} {
		found, err := r.left(ctx, kind)
		if err != nil {
			return err
		}
		left = append(left, found...)
	}
	former, err := r.left(ctx, formerPrefix)
	if err != nil {
		return err
	}
	for _, f := range former {
		there, err := r.Engine.Exists(ctx, r.Output)
		if err != nil {
			return err
		}
		if !there {
			if err := r.Engine.Move(ctx, f, r.Output); err != nil {
				return err
			}
			continue
		}
		left = append(left, f)
	}
	for _, l := range left {
		if err := r.Engine.Remove(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

// left lists the folders of a kind that belong to the output. Their names end as nonce has it: that
// of an output "a-b" begins as one of "a".
func (r Release) left(ctx context.Context, kind string) ([]string, error) {
	begin := path.Base(r.stage(kind))
	found, err := r.Engine.Siblings(ctx, r.Output, begin)
	return slices.DeleteFunc(found, func(f string) bool {
		end := strings.TrimPrefix(path.Base(f), begin)
		return len(end) != len(nonce()) || strings.Contains(end, "-")
	}), err
}

// appear gives the folder its name, and has done put in place what belongs to it; if that fails,
// all is as it was. A former release goes last: until then it can be put back.
func (m *making) appear(ctx context.Context, stage string, done func() error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	there, err := Free(ctx, m.Engine, m.Output, m.Force)
	if err != nil {
		return fmt.Errorf("nothing was published: %w", err)
	}
	ctx = context.WithoutCancel(ctx) // nothing is interrupted between two names
	former := ""
	if there {
		former = m.stage(formerPrefix) + nonce()
		if err := m.Engine.Move(ctx, m.Output, former); err != nil {
			return err
		}
	}
	if err := m.Engine.Move(ctx, stage, m.Output); err != nil {
		return errors.Join(err, m.putBack(ctx, former))
	}
	if err := done(); err != nil {
		return m.takeBack(ctx, former, err)
	}
	if former == "" {
		return nil
	}
	if err := m.Engine.Remove(ctx, former); err != nil {
		return fmt.Errorf("%s is in its place, with what belongs to it, but the former folder "+
			"remains at %s: remove it: %w", m.Output, former, err)
	}
	return nil
}

// putBack gives the former folder its name again; "": there is none.
func (m *making) putBack(ctx context.Context, former string) error {
	if former == "" {
		return nil
	}
	if err := m.Engine.Move(ctx, former, m.Output); err != nil {
		return fmt.Errorf("the former folder remains at %s: %w", former, err)
	}
	return nil
}

// takeBack takes the release from its place, for what belongs to it could not be put in its own.
func (m *making) takeBack(ctx context.Context, former string, why error) error {
	if err := m.Engine.Move(ctx, m.Output, m.aside); err != nil {
		what := "remove it"
		if former != "" {
			what += ", and give the former folder, " + former + ", its name"
		}
		return fmt.Errorf("%s is in its place, but what belongs to it is not: %s: %w", m.Output, what,
			errors.Join(why, err))
	}
	return errors.Join(fmt.Errorf("nothing was published, for what belongs to the release cannot be "+
		"put in its place: %w", why), m.putBack(ctx, former))
}
