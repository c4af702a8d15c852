package dataset

import (
	"context"
	"io"

	"mingle/dataset/column"
	"mingle/internal/par"
)

// batch is some rows of a file of columns, as they are handed on.
type batch struct {
	column.Batch
	fraction float64 // of the file that was read so far
	err      error
}

// batches collects all rows.
func (in *input) batches(src column.Source, p *columnParser) error {
	var group par.Group
	defer group.Wait()
	next, done := in.reader(&group, src, p)
	defer done()
	var out part
	for {
		if in.ctx.Err() != nil {
			return in.explainColumns(context.Cause(in.ctx))
		}
		b := next()
		if b.err == io.EOF {
			return nil
		}
		if b.err != nil {
			return in.explainColumns(b.err)
		}
		out.reset()
		if in.out.loose == nil {
			out.items = in.out.room(p.items(b), b.fraction)
		}
		p.parse(b, in.out.base, &out)
		if err := in.out.add(&out, nil, b.fraction); err != nil {
			return in.explainColumns(err)
		}
		if in.opts.Progress != nil {
			in.opts.Progress(in.src.Raw.N(), in.src.size)
		}
	}
}

// reader hands out the batches of a source; each is valid until the next one. With several workers
// the next ones are read meanwhile, where the source allows it. Memory and work are counted in the
// same order either way. The caller calls done, and then waits for the group.
func (in *input) reader(
	group *par.Group, src column.Source, p *columnParser,
) (next func() *batch, done func()) {
	ahead, is := src.(column.Ahead)
	if is && p.runs() {
		ahead.Runs(p.tx)
	}
	read := func(b *batch) {
		if b.err = src.Next(&b.Batch); b.err == nil {
			b.err = p.bounded(b, in.account)
		}
		if b.fraction = in.src.fraction(); is {
			b.fraction = ahead.Fraction()
		}
	}
	if !is || in.opts.Workers == 1 {
		var b batch
		return func() *batch { read(&b); return &b }, func() {}
	}
	// there is room for all batches: handing one on never blocks
	free, filled := make(chan *batch, column.AtOnce), make(chan *batch, column.AtOnce)
	for range column.AtOnce - 1 {
		free <- &batch{}
	}
	group.Go(func() {
		var spare []*batch
		for {
			b := taken(&spare, free)
			if b == nil {
				return
			}
			if !group.Try(func() { read(b) }) {
				b.err = errBroken
			}
			large, failed := b.Large(), b.err != nil
			if filled <- b; failed {
				return
			}
			for large && len(spare) < column.AtOnce-1 { // until no other is in use
				b, more := <-free
				if !more {
					return
				}
				spare = append(spare, b)
			}
		}
	})
	last := &batch{}
	return func() *batch {
		free <- last
		last = <-filled
		return last
	}, func() { close(free) }
}

// taken is a batch that is not in use; nil: none is wanted.
func taken(spare *[]*batch, free chan *batch) *batch {
	if n := len(*spare); n > 0 {
		b := (*spare)[n-1]
		*spare = (*spare)[:n-1]
		return b
	}
	return <-free
}
