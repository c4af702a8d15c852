package dataset

import (
	"bytes"
	"errors"
	"io"
	"runtime"

	"mingle/internal/disk"
)

// spool holds a file that must be read from its end, as it came: small ones in memory, others in a
// temporary file that nobody else may read.
type spool struct {
	io.ReaderAt
	size     int64
	file     *disk.File
	nameless bool // it has no name any more, and goes when it is closed
}

// maxSpooled is the size of a file up to which it is held in memory.
const maxSpooled = 16 << 20

// Close takes the temporary file away.
func (s *spool) Close() error {
	if s == nil || s.file == nil {
		return nil
	}
	err := s.file.Close()
	if !s.nameless {
		err = errors.Join(err, disk.Remove(s.file.Name()))
	}
	return err
}

// open makes the file. It loses its name at once where an open file can: a process that is killed
// leaves no copy of the data behind.
func (s *spool) open() (err error) {
	if s.file, err = disk.Temporary("", "mingle-*"); err != nil {
		return err
	}
	s.ReaderAt = s.file
	if runtime.GOOS != "windows" {
		s.nameless = disk.Remove(s.file.Name()) == nil
	}
	return nil
}

// seekable is the file that is being read, decompressed where it was compressed, to be read from
// any place. What can be read so, and is not compressed, is not copied.
func (in *input) seekable() (*spool, error) {
	if at, is := in.raw.(io.ReaderAt); is && in.src.Packed == "" && in.opts.Size > 0 {
		in.spool = &spool{ReaderAt: at, size: in.opts.Size}
		return in.spool, nil
	}
	in.spool = &spool{}
	var head bytes.Buffer
	n, err := io.Copy(&head, io.LimitReader(in.src, maxSpooled))
	if in.spool.size = n; err != nil {
		return in.spool, err
	}
	if n < maxSpooled {
		in.spool.ReaderAt = bytes.NewReader(head.Bytes())
		return in.spool, nil
	}
	if err = in.spool.open(); err != nil {
		return in.spool, err
	}
	_, err = io.Copy(in.spool.file, io.MultiReader(&head, &unpacked{in: in, n: n}))
	if info, failed := in.spool.file.Stat(); failed == nil {
		in.spool.size = info.Size()
	} else if err == nil {
		err = failed
	}
	return in.spool, err
}

// unpacked reads the source, and ends where a compressed file unpacks to far more than it is.
type unpacked struct {
	in *input
	n  int64
}

func (u *unpacked) Read(p []byte) (int, error) {
	if u.in.ctx.Err() != nil {
		return 0, u.in.ctx.Err()
	}
	if u.in.src.Packed != "" {
		if err := u.in.account.Hold(u.n); err != nil {
			return 0, err
		}
	}
	n, err := u.in.src.Read(p)
	u.n += int64(n)
	return n, err
}
