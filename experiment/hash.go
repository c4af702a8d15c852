package experiment

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"path/filepath"
	"slices"

	"mingle/dataset/rows"
	"mingle/internal/disk"
)

// hashBytes is how much of a hash a row has: it tells data apart by accident, not by intent.
const hashBytes = 8

// errNotKept is that a file cannot be read twice, or not at all.
var errNotKept = errors.New("it is no file that stays")

// hashed is the hash of the data of a name, taken once in a run: "" where a file of it is not at
// hand. The error is ctx's cause.
func (r *Runner) hashed(ctx context.Context, name string) (string, error) {
	if h, there := r.hashes[name]; there {
		return h, nil
	}
	at := slices.IndexFunc(r.Plan.Data, func(d Data) bool { return d.Name == name })
	h, err := r.Plan.Data[at].hash(ctx, r.Dir)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		h = "" // whoever reads the data says why
	}
	r.hashes[name] = h
	return h, nil
}

// hash is a short hash of all that decides what is read or made, and asked of it, but for what the
// cell has: of made data their numbers, of files what is in them. Of a database on a server it is
// that of what is asked for; the rows are not looked at.
func (d Data) hash(ctx context.Context, dir string) (string, error) {
	sum := sha256.New()
	var files []string
	journal := "" // of SQLite: what is not in its file yet
	switch {
	case d.Shape != nil:
		fmt.Fprintf(sum, "shape %v\n", *d.Shape)
	case d.Shop != nil:
		fmt.Fprintf(sum, "shop %v\n", *d.Shop)
	case d.Income > 0:
		fmt.Fprintf(sum, "income %d\n", d.Income)
	default:
		name := d.File
		if file := onDisk(d.from(dir)); file != "" {
			files, name = append(files, file), filepath.Base(file)
			if rows.Is(d.File) {
				journal = file + "-wal"
			}
		}
		fmt.Fprintf(sum, "file %q %q\n", name,
			[]string{d.Table, d.Query, d.Transaction, d.Item, d.Set})
	}
	fmt.Fprintf(sum, "hierarchy %q %q, queries %d %d\n", d.Columns, d.Root,
		cmp.Or(d.Present, 3), cmp.Or(d.Absent, 4))
	for _, name := range []string{d.Hierarchy, d.Sensitive} {
		fmt.Fprintf(sum, "%q\n", filepath.Base(name))
		if name != "" {
			files = append(files, within(dir, name))
		}
	}
	for _, file := range files {
		if err := addFile(ctx, sum, file); err != nil {
			return "", err
		}
	}
	if info, err := disk.Stat(journal); err == nil && info.Size() > 0 {
		if err := addFile(ctx, sum, journal); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:hashBytes]), nil
}

// addFile adds the hash of what is in a file.
func addFile(ctx context.Context, sum hash.Hash, path string) error {
	info, err := disk.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() { // a pipe can be read once
		return errNotKept
	}
	f, err := disk.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	content := sha256.New()
	if _, err := io.Copy(content, until{ctx, f}); err != nil {
		return err
	}
	_, err = sum.Write(content.Sum(nil))
	return err
}

// until reads until ctx ends.
type until struct {
	ctx context.Context
	io.Reader
}

func (u until) Read(p []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, context.Cause(u.ctx)
	}
	return u.Reader.Read(p)
}
