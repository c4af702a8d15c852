package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"mingle/internal/limits"
	"mingle/internal/par"
)

// Read reads transactions, plain or compressed by gzip or zstd. Memory is needed for the encoded
// data and a few blocks of text. The result is the same for any number of workers. A *[Faults]
// error tells everything that is wrong with the text, line by line. After ctx's end it returns as
// soon as r's current Read does.
func Read(ctx context.Context, r io.Reader, opts Options) (*Dataset, error) {
	opts.usual = usualItems
	c, err := collect(ctx, r, opts)
	if err != nil {
		return nil, err
	}
	return c.dataset()
}

// collect reads a file; what it holds is still in the order of the text.
func collect(ctx context.Context, r io.Reader, opts Options) (*collector, error) {
	if opts.Format != "" || opts.values == nil {
		if err := opts.check(); err != nil {
			return nil, err
		}
	}
	opts.Workers = par.Workers(opts.Workers)
	if text, ok := r.(interface{ Len() int }); ok && opts.Size == 0 {
		opts.Size = int64(text.Len())
	}
	src, err := newSource(r, opts.Size, opts.Workers, opts.Encoding)
	if err != nil {
		return nil, src.explain(err, opts.name(), 0)
	}
	defer src.Close()
	if opts.Format == "" {
		if opts, err = opts.find(src.Reader); err != nil {
			return nil, err
		}
	}
	in := &input{
		ctx: ctx, src: src, raw: r, opts: opts, cut: splitter{src: src, size: blockSize},
	}
	if opts.Format.IsColumns() {
		err := in.readColumns()
		return in.out, err
	}
	if opts.block > 0 {
		in.cut.size = opts.block
	}
	if opts.Format.IsCSV() {
		in.cut.quoted, in.cut.delim = true, opts.delimiter()
	}
	if err := in.read(); err != nil {
		return nil, err
	}
	return in.out, nil
}

// input is a file that is being read.
type input struct {
	ctx     context.Context
	src     *source
	raw     io.Reader // what src reads
	cut     splitter
	opts    Options
	shape   *shape
	out     *collector
	account *limits.Account // of files of columns
	spool   *spool
	note    string // of what was read
	unread  int    // lines read into a block that a read error cut short
}

func (in *input) read() error {
	first, err := in.next(nil)
	blank := 0 // lines before a header
	for err == nil && in.cut.quoted && in.opts.Format != Basket && allBlank(first) {
		blank += bytes.Count(first, []byte{'\n'})
		first, err = in.next(first)
	}
	if err != nil && err != io.EOF {
		return in.explain(err)
	}
	var bad Faults
	in.shape = in.opts.Format.kind().shape(first, in.opts, &bad)
	if err := bad.Err(in.opts.name()); err != nil {
		return err
	}
	in.out = newCollector(in.opts, in.shape)
	in.out.account = in.src.Account(in.opts.Size)
	if in.opts.Own {
		in.out.account.Off()
	}
	in.out.base += blank
	in.out.encoding = in.src.Encoding
	if err != io.EOF {
		if in.opts.Workers == 1 || in.cut.eof {
			err = in.sequential(first)
		} else {
			err = in.parallel(first)
		}
	}
	if err != io.EOF {
		return in.explain(err)
	}
	return nil
}

// allBlank tells whether a block of CSV holds blank lines only.
func allBlank(b []byte) bool {
	s := newCSVScanner(',')
	s.start(b, nil)
	for s.more() && s.blank() {
	}
	return !s.more()
}

// explain says what ended the reading too early, and where.
func (in *input) explain(err error) error {
	lines := in.unread
	if in.out != nil {
		lines += in.out.base
	}
	if in.src.bound(err) && in.out != nil {
		return in.src.explain(err, in.opts.name(), lines)
	}
	if broken, ok := errors.AsType[sourceError](err); ok {
		return in.src.explain(broken.error, in.opts.name(), lines)
	}
	return fmt.Errorf("%s: %w", in.opts.name(), err)
}

// sourceError is an error of the source, not of its text.
type sourceError struct{ error }

// next reads a block and tells the listener.
func (in *input) next(buf []byte) ([]byte, error) {
	if in.ctx.Err() != nil {
		return nil, context.Cause(in.ctx)
	}
	b, err := in.cut.next(buf)
	if err != nil && err != io.EOF {
		in.unread = bytes.Count(b, []byte{'\n'})
		err = sourceError{err}
	}
	if in.opts.Progress != nil {
		in.opts.Progress(in.src.Raw.N(), in.src.size)
	}
	return b, err
}

// sequential parses on this goroutine; the parser's ids are the collector's.
func (in *input) sequential(block []byte) error {
	p := in.shape.newParser()
	in.out.ids = p.interner()
	var out part
	text := block[in.shape.skip:]
	for {
		out.reset()
		p.parse(text, &out)
		if err := in.out.add(&out, nil, in.src.fraction()); err != nil {
			return err
		}
		var err error
		if block, err = in.next(block); err != nil {
			return err
		}
		text = block
	}
}

// job is a block that a worker parses for the collector.
type job struct {
	buf      []byte
	text     []byte
	out      part
	worker   int
	fraction float64
	parsed   chan struct{}
	broken   bool // the parser panicked
}

// errBroken ends the collecting after a panic, which goes on where the workers are waited for.
var errBroken = errors.New("a parser panicked")

// parallel parses on several goroutines. Blocks are collected in the order of the text.
func (in *input) parallel(first []byte) error {
	n := in.opts.Workers
	ctx, stop := context.WithCancel(in.ctx)
	defer stop()
	free := make(chan *job, 2*n)
	// as many as there are jobs: sending never blocks
	todo, queue := make(chan *job, 2*n), make(chan *job, 2*n)
	for range 2 * n {
		free <- &job{parsed: make(chan struct{}, 1)}
	}
	var group par.Group
	for w := range n {
		group.Go(func() {
			p := in.shape.newParser()
			known := 0
			for j := range todo {
				j.broken = !group.Try(func() {
					j.out.reset()
					p.parse(j.text, &j.out)
					labels := p.interner().labels
					j.out.labels, known = labels[known:len(labels):len(labels)], len(labels)
				})
				j.worker = w
				j.parsed <- struct{}{}
			}
		})
	}
	var end error
	group.Go(func() { end = in.feed(ctx, first, free, todo, queue) })
	err := in.collect(free, queue, stop)
	group.Wait()
	if err != nil {
		return err
	}
	return end
}

// feed reads blocks into free jobs until the source or the context ends; it returns why.
func (in *input) feed(ctx context.Context, first []byte, free, todo, queue chan *job) error {
	defer close(queue)
	defer close(todo)
	var err error
	for skip := in.shape.skip; ; skip = 0 {
		var j *job
		select {
		case j = <-free:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if first != nil {
			j.buf, first = first, nil
		} else if j.buf, err = in.next(j.buf); err != nil {
			return err
		}
		j.text, j.fraction = j.buf[skip:], in.src.fraction()
		var held []*job
		if len(j.buf) > largeBlock {
			var ok bool
			if held, ok = others(ctx, free); !ok {
				return context.Cause(ctx)
			}
		}
		todo <- j
		queue <- j
		for _, h := range held {
			free <- h
		}
	}
}

// collect takes the parts in order. After an error it only drains.
func (in *input) collect(free, queue chan *job, stop func()) (err error) {
	maps := make([][]int32, in.opts.Workers)
	for j := range queue {
		<-j.parsed
		if j.broken && err == nil {
			err = errBroken
			stop()
		}
		if err == nil {
			for _, label := range j.out.labels {
				maps[j.worker] = append(maps[j.worker], in.out.ids.id([]byte(label)))
			}
			if err = in.out.add(&j.out, maps[j.worker], j.fraction); err != nil {
				stop()
			}
		}
		free <- j
	}
	return err
}

// others takes all jobs but the one in hand, which waits until nothing else is under way. What it
// took is returned to free by the caller; ok is false where ctx has ended.
func others(ctx context.Context, free chan *job) (held []*job, ok bool) {
	for len(held) < cap(free)-1 {
		select {
		case j := <-free:
			held = append(held, j)
		case <-ctx.Done():
			return held, false
		}
	}
	return held, true
}
