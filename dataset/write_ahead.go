package dataset

import (
	"context"

	"mingle/internal/par"
)

// workers is how many goroutines there may be.
func (o Options) workers() int { return par.Workers(o.Workers) }

// linesBy is lines on several goroutines. Each spells some transactions that follow one another;
// these pieces are written in order, while the next ones are spelled.
func (e *encoder) linesBy(workers int, sep byte) {
	spellers := make([]func(piece []byte, from int) []byte, workers)
	for w := range spellers {
		spellers[w] = e.speller(sep)
	}
	round := workers * tellEvery
	spell := func(pieces [][]byte, from int) {
		par.Each(context.Background(), workers, workers, func(_ context.Context, w int) error {
			pieces[w] = spellers[w](pieces[w][:0], from+w*tellEvery)
			return nil
		})
	}
	now, next := make([][]byte, workers), make([][]byte, workers)
	spell(now, 0)
	for from := 0; from < e.n && e.out.err == nil; from += round {
		var group par.Group
		group.Go(func() { spell(next, from+round) })
		e.put(now, from)
		group.Wait()
		now, next = next, now
	}
}

// speller spells tellEvery transactions from one on, or those that there are.
func (e *encoder) speller(sep byte) func(piece []byte, from int) []byte {
	ranks := e.reader()
	return func(piece []byte, from int) []byte {
		for i := from; i < min(e.n, from+tellEvery); i++ {
			piece = append(e.append(piece, ranks(i), sep), '\n')
		}
		return piece
	}
}

// put writes pieces, and tells the listener.
func (e *encoder) put(pieces [][]byte, from int) {
	e.out.flush()
	for w, piece := range pieces {
		if at := from + w*tellEvery; at < e.n && e.opts.Progress != nil {
			e.opts.Progress(int64(at), int64(e.n))
		}
		e.out.write(piece)
	}
	if last := e.n - 1; last%tellEvery > 0 && from+len(pieces)*tellEvery > last &&
		e.opts.Progress != nil {
		e.opts.Progress(int64(e.n-1), int64(e.n))
	}
}
