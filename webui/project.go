package webui

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"mingle/dataset"
	"mingle/dataset/profile"
	"mingle/pipeline"
	"mingle/report"
)

// project is a data set on its way from a file to a release. What is guarded by mu is changed by
// work in the background, which tells the pages by news.
type project struct {
	server    *Server
	id, name  string
	dir, path string
	news      *news
	ctx       context.Context // ends when it is closed, with all that works for it
	end       context.CancelFunc

	starting sync.Mutex // held while a run is made, before mu

	mu     sync.Mutex
	layout layout
	work   context.CancelFunc // ends what runs for the layout
	round  int                // of reading
	data   data
	tree   tree
	choice choice
	table  table
	runs   []*run
	checks []*check
}

// data is what was read.
type data struct {
	Reading bool
	Err     error
	Head    [][]string // the first records, of files with columns
	opts    dataset.Options
	sets    *dataset.Dataset
	Profile *profile.Profile // as far as it is known
	Looked  bool             // all of it is

	Columns     []dataset.Column
	Persons     []profile.PersonColumn
	Identifiers []string // of the columns
}

func newProject(s *Server, dir, path string, l layout) *project {
	id := make([]byte, 8)
	rand.Read(id)
	p := &project{
		server: s, id: hex.EncodeToString(id), name: filepath.Base(path), dir: dir, path: path,
		news: newNews(), layout: l, choice: firstChoice(),
	}
	p.ctx, p.end = context.WithCancel(s.ctx)
	p.data = data{Reading: true, Head: headOf(path, p.layout, shownRows)}
	return p
}

// headOf is the names of the columns of a file that has some, with its first records, n at most.
// Those of a database, and of a file whose columns have types, are not had at once.
func headOf(path string, l layout, n int) [][]string {
	if !l.named() || l.isColumns() {
		return nil
	}
	// whoever reads the file says what is wrong
	_, head, _ := dataset.Head(path, l.Encoding, n+1)
	if l.Header != "no" || len(head) == 0 {
		return head
	}
	names := make([]string, len(head[0])) // columns without names are called by their places
	for i := range names {
		names[i] = strconv.Itoa(i + 1)
	}
	return slices.Insert(head[:min(n, len(head))], 0, names)
}

// locked runs f with the project locked. A fault in f releases it, too: every page of the project
// would wait for ever, and the page to begin with.
func (p *project) locked(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// change changes the project, and tells so.
func (p *project) change(f func()) {
	p.locked(f)
	p.news.tell()
}

// chosen is what a release is made by.
func (p *project) chosen() (layout, tree, choice) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.layout, p.tree, p.choice
}

// laid is how the file is read, with its first records as far as they are known.
func (p *project) laid() (l layout, head [][]string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.layout, p.data.Head
}

// sets are the transactions that were read; nil: they are not yet.
func (p *project) sets() *dataset.Dataset {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.data.sets
}

// close ends what works for the project, and forgets what was read: a page that is open, or a run
// that ends, may hold the project for long.
func (p *project) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end()
	for _, r := range p.runs {
		r.look = look{begun: true, err: errNotThere}
		switch {
		case r.State == waiting:
			r.State, r.Err = failed, errStopped
		case r.cancel != nil:
			r.cancel(errStopped)
		}
	}
	p.round++ // what is still being read is not taken
	p.data, p.tree = data{Err: errNotThere}, tree{}
}

// options are those of the reader, as the commands understand the flags.
func (p *project) options(ctx context.Context, l layout) (dataset.Options, error) {
	args := append([]string{"anonymize", "km", p.path, "-H", "tree", "-k", "2", "-m", "1", "-o", "-"},
		l.reading()...)
	job, err := p.server.Plan(ctx, args)
	if err != nil {
		return dataset.Options{}, err
	}
	return job.Family.(pipeline.KM).Layout, nil
}

const (
	mostUnique = 3  // up to so many known items are looked at
	shownRows  = 10 // of a file, to see whether it was understood
)

// round is one of reading: what an older one finds is not taken.
type round struct {
	p *project
	n int
	l layout
}

// read begins to read the file as the layout says, and ends the round before.
func (p *project) read() {
	ctx, end := context.WithCancel(p.ctx)
	r := p.begin(end)
	p.server.within(ctx, bounded{
		do: r.read,
		ended: func(err error) {
			if refused(err) {
				r.refuse(err)
				return
			}
			r.change(func() { p.data.Reading, p.data.Err, p.data.Looked = false, err, err == nil })
		},
		giveUp: func(err error) { r.refuse(advised(err)) },
	})
}

// refuse gives up what was read, which is too much to be held. Its first records stay.
func (r round) refuse(err error) {
	r.change(func() { r.p.data = data{Err: err, Head: r.p.data.Head} })
}

func (p *project) begin(end context.CancelFunc) round {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.work != nil {
		p.work()
	}
	p.work = end
	p.round++
	return round{p, p.round, p.layout}
}

// change changes the project, unless it is being read anew.
func (r round) change(f func()) {
	r.p.change(func() {
		if r.p.round == r.n {
			f()
		}
	})
}

// read reads the file, and looks at what one, two and three items single out.
func (r round) read(ctx context.Context) error {
	found, err := r.transactions(ctx)
	r.change(func() { r.p.data = found })
	if err != nil {
		return err
	}
	r.p.checkTree(ctx)
	seen := func(seen profile.Profile) {
		r.change(func() { r.p.data.Profile = &seen })
		if len(seen.Unique) > 0 {
			return
		}
		var columns []dataset.Column
		columns, err = r.p.server.sources().ColumnsBeside(ctx, r.p.path, found.opts, found.sets)
		r.change(func() { r.p.data.beside(columns) })
	}
	_, failed := profile.Of(ctx, found.sets, mostUnique, profile.Options{Seen: seen})
	return cmp.Or(failed, err)
}

// transactions reads what the file has, with its first records as soon as they are known.
func (r round) transactions(ctx context.Context) (found data, err error) {
	p, l := r.p, r.l
	if found.Head, err = p.beginning(ctx, &l); err != nil {
		return found, err
	}
	r.change(func() {
		p.data.Head = found.Head
		if l.isColumns() {
			p.layout.Transaction, p.layout.Item = l.Transaction, l.Item
			p.layout.Set, p.layout.Inner = l.Set, l.Inner
		}
	})
	if found.opts, err = p.options(ctx, l); err != nil {
		return found, err
	}
	files := p.server.sources()
	found.sets, found.opts, err = files.Transactions(ctx, "transactions", p.path, found.opts)
	return found, err
}

// beside notes what the columns beside the sets are.
func (d *data) beside(columns []dataset.Column) {
	d.Columns, d.Persons = columns, pipeline.PersonColumns(columns)
	for i, c := range columns {
		if b := report.BesideOf(columns[i:i+1], 0); b.Identifies() {
			d.Identifiers = append(d.Identifiers, c.Name)
		}
	}
}

// directory makes a private directory that goes with the project.
func (p *project) directory() (string, error) { return os.MkdirTemp(p.dir, "") }

// items are the items that occur, in their natural order.
func (p *project) items() []string {
	d := p.sets()
	if d == nil {
		return nil
	}
	var items []string
	for _, it := range d.Occurring() {
		items = append(items, d.Dict().Label(it))
	}
	slices.SortFunc(items, dataset.CompareLabels)
	return items
}
