package limits

import (
	"bufio"
	"errors"
	"io"
)

// Lines reads a text line by line.
type Lines struct {
	in    *bufio.Reader
	limit int
	long  []byte
	N     int // of the line read last, from 1
}

// NewLines reads lines of at most limit bytes; 0 stands for [MaxLine].
func NewLines(r io.Reader, limit int) *Lines {
	in, ok := r.(*bufio.Reader)
	if !ok {
		in = bufio.NewReaderSize(r, bufferSize)
	}
	if limit == 0 {
		limit = MaxLine
	}
	return &Lines{in: in, limit: limit}
}

// Next is the next line with its line feed, which the last one may lack. It is valid until the next
// call. The error is io.EOF behind the last line.
func (l *Lines) Next() ([]byte, error) {
	l.N++
	l.long = l.long[:0]
	for {
		piece, err := l.in.ReadSlice('\n')
		if len(l.long)+len(piece) > l.limit {
			return nil, tooLarge(
				"the line is longer than %s: are its ends missing?", Bytes(int64(l.limit)),
			)
		}
		switch {
		case err == nil && len(l.long) == 0:
			return piece, nil
		case err == nil:
			return append(l.long, piece...), nil
		case errors.Is(err, bufio.ErrBufferFull):
			l.long = append(l.long, piece...)
		case errors.Is(err, io.EOF) && len(l.long)+len(piece) > 0:
			return append(l.long, piece...), nil
		default:
			return nil, err
		}
	}
}
