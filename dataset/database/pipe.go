package database

import (
	"bufio"
	"context"
	"io"
)

// pieceSize is how much goes from one goroutine to another at a time.
const pieceSize = 1 << 18

// source is a stream that a goroutine writes.
type source struct {
	*io.PipeReader
	stop  context.CancelFunc
	done  chan struct{}
	after func()
}

// stream lets produce write what is read from the source. Its error ends the stream. after is
// called once it has ended.
func stream(
	ctx context.Context, produce func(context.Context, io.Writer) error, after func(),
) *source {
	ctx, stop := context.WithCancel(ctx)
	r, w := io.Pipe()
	s := &source{r, stop, make(chan struct{}), after}
	go func() {
		defer close(s.done)
		pieces := bufio.NewWriterSize(w, pieceSize)
		err := produce(ctx, pieces)
		if err == nil {
			err = pieces.Flush()
		}
		w.CloseWithError(err) // nil is the end
	}()
	return s
}

// Close ends the stream, whether it was read to its end or not.
func (s *source) Close() error {
	s.PipeReader.Close()
	s.stop()
	<-s.done
	if s.after != nil {
		s.after()
		s.after = nil
	}
	return nil
}

// sink is a stream that a goroutine reads.
type sink struct {
	pipe   *io.PipeWriter
	pieces *bufio.Writer
	done   chan error
	ended  bool
}

// drain lets consume read what is written to the sink.
func drain(consume func(io.Reader) error) *sink {
	r, w := io.Pipe()
	s := &sink{pipe: w, pieces: bufio.NewWriterSize(w, pieceSize), done: make(chan error, 1)}
	go func() {
		err := consume(r)
		if err != nil {
			r.CloseWithError(err)
		} else {
			r.Close()
		}
		s.done <- err
	}()
	return s
}

func (s *sink) Write(p []byte) (int, error) { return s.pieces.Write(p) }

// finish ends the stream; the error is that of the reader.
func (s *sink) finish(why error) error {
	if s == nil || s.ended {
		return nil
	}
	s.ended = true
	if why == nil {
		why = s.pieces.Flush()
	}
	s.pipe.CloseWithError(why)
	if err := <-s.done; err != nil {
		return err
	}
	return why
}
