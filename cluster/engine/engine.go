// Package engine is what mingle asks of an engine that works on many machines: it hands lines to
// programs, brings together what these write under one name, and adds up numbers. Packages
// cluster/spark and cluster/fake are such engines.
//
// The programs are the worker of this same binary. An engine may run any of them again, when one
// was lost or is slow, and must use what exactly one run of each wrote. Nobody relies on that: what
// jobs return says how much there must be.
package engine

import (
	"context"
	"errors"
	"io"
)

// Job is one pass over files of text.
type Job struct {
	Name   string   // for people
	Input  []string // files of lines, in order; see Engine.Files
	Origin bool     // each line is preceded by its file and the place of its part there, and tabs
	Plan   []byte   // what the worker is to do; it may read it as often as it likes

	// By, if set, is what the worker is asked to do with lines first: it writes lines of a name, a
	// tab and a text. Map gets these, the names ascending, and each in one place; it may write to
	// Output.
	By string
	// Map is what the worker is asked to do with lines. Where Reduce or Below is set it writes
	// lines of a name, a tab and a text; else any lines.
	Map string
	// Reduce is what the worker is asked to do with these, all of one name one after another, each
	// name in one place; "": nothing.
	Reduce string
	// Below, if set, has the engine add up the texts, which are numbers, of each name. It returns
	// lines of a group, the sum, how many names the group has, and the least of them, with tabs
	// between. A name that begins with "@" is a group of its own; of the others, those that are
	// not below Below are the group ">", and those that are, are some groups that begin with "<".
	Below int64
	// Share, if set, has names of a name, "/" and a part counted with the name before the slash:
	// what is added up there for a part is also in the sum of its group, and the names are counted
	// as one. Those that are not below Below, and have a part of which Share times are more than
	// the name's own number, are some groups that begin with "/".
	Share int64
	// Listed has each name that is below Below be a group of its own, "<" and the name; and with
	// Share each that has such a part, "/" and the name.
	Listed bool

	// Memory is what each worker may hold, in bytes; 0: what is usual.
	Memory int64

	Each func(line string) error // gets the lines that would be returned, one by one

	Output string // a folder that is not there yet: it gets the lines; "": they are returned
	// Sorted has Output get the lines in ascending order of their bytes.
	Sorted bool
	// Placed has Output get the lines in ascending order of what stands before their first tab,
	// without it.
	Placed bool
	// Table has Output get the lines as a table, in files of Table's kind.
	Table bool
}

// Ordered tells whether the order of the files and of their lines matters.
func (j Job) Ordered() bool { return j.Output != "" && j.By == "" && !j.Sorted && !j.Placed }

// MostOrdered is how many files a job can read whose order matters. Of others there may be more
// where they are all that is in their folders.
const MostOrdered = 500

// Table is how names of files end that hold a table: of its column "items", lists of texts, each
// list is a line of these with a blank between.
const Table = ".parquet"

// ErrNoLines is in the error of a job whose files have no lines: nobody works then.
var ErrNoLines = errors.New("the files have no lines")

// Engine runs jobs.
type Engine interface {
	Storage
	// Run runs a job and returns its lines, in any order; or writes them: by the order of the
	// files' names they are sorted, or those of one part of an input file are in one file, in the
	// order of the input.
	Run(ctx context.Context, job Job) ([]string, error)
	// Rows writes the rows of a query of the engine's own language, which have one column of text,
	// to a folder that is not there yet: a line for each. A row that is null or has a line end in
	// it is an error.
	Rows(ctx context.Context, query, output string) error

	// Close ends the engine's session.
	Close() error
}

// Storage is where the files of an engine lie.
type Storage interface {
	// Files lists the files of a path: itself, or those of a folder, but for names that begin with
	// "." or "_"; in the order of their names. Another folder in a folder is an error.
	Files(ctx context.Context, path string) ([]File, error)
	// Private is a folder for Output at a path, or in a folder that it makes there: where files
	// have owners it is one that nobody else may look into.
	Private(ctx context.Context, path string) (output string, err error)
	// Move gives a folder another name, which is not taken, at once. One that Private made for it
	// goes.
	Move(ctx context.Context, from, to string) error
	// Remove removes a folder, if it is there, and all that is in it.
	Remove(ctx context.Context, path string) error
	// Exists tells whether there is something at a path.
	Exists(ctx context.Context, path string) (bool, error)
	// Open reads a file.
	Open(ctx context.Context, path string) (io.ReadCloser, error)
	// Siblings lists what lies beside a path, and has a name that begins with a prefix.
	Siblings(ctx context.Context, path, prefix string) ([]string, error)
}

// File is a file of text.
type File struct {
	Path  string
	Bytes int64
}
