package pipeline

import (
	"context"
	"fmt"
	"io"
	"strings"

	"mingle/anonymize"
	"mingle/attack"
	"mingle/dataset"
	"mingle/report"
	"mingle/verify"
)

// Family is a guarantee with its parameters, and how it is kept: [KM], [Continuous],
// [Nonreciprocal] or [Coherence]. It declares what is its own; the order of the steps, the files,
// the clock, the verdict and the report are the pipeline's, written once.
type Family interface {
	// Name is that of the family's commands.
	Name() string
	// Validate tells all that is wrong with the parameters, before any work.
	Validate() error

	begin(*env) task
}

// families lists every family, the default of "attack" first.
var families = []Family{KM{}, Continuous{}, Nonreciprocal{}, Coherence{}}

// Families are the names of all families.
func Families() []string {
	var out []string
	for _, f := range families {
		out = append(out, f.Name())
	}
	return out
}

// UnknownFamily is the error for a name that is none.
func UnknownFamily(name string) error {
	return fmt.Errorf(
		"a release of kind %q is not known: there are %s", name, strings.Join(Families(), ", "),
	)
}

// env is what the tasks of all families work with.
type env struct {
	files                       *Files
	originalPath, publishedPath string
	workers                     int
	memory, room                int64 // see Job
	seed                        *[32]byte
	order                       lineOrder
	columns                     columns  // that are published beside the sets
	compared                    bool     // the published file is there, not to be written
	adapted                     string   // a note how the published file was read; "": as asked
	beside                      []string // notes on what the published file shows beside its sets
	delimiter                   rune     // of the published file; 0: not given
	listener                    func(anonymize.Progress)
}

func (e *env) progress(stage string, done, total int64) {
	if e.listener != nil {
		e.listener(anonymize.Progress{Stage: stage, Done: done, Total: total})
	}
}

// task is the work on an original, on a published file, or on both. The methods are called in the
// order in which they stand here. What needs the original is called only where read was.
type task interface {
	// inputs are the paths of what is read beside the original.
	inputs() []string
	// refuse tells, before any work, why a release asked for like this cannot end well.
	refuse(*Job) error
	// knownMost is how many known items a release is tested with at most.
	knownMost() int
	// read reads the original.
	read(context.Context) error
	// bind reads what belongs to the two files, a hierarchy or a list, and binds the original to
	// it.
	bind(context.Context) error
	// foresee tells what the work takes; the error is why it cannot end well.
	foresee(*Forecast) error

	anonymize(context.Context) error

	// layOut decides the layout of the published file, whose format may be asked for.
	layOut(asked dataset.Format) error
	// writable tells what the published file, so laid out, cannot hold of what it may have to.
	writable() error
	// format is that of the published file, "" where its content tells.
	format() dataset.Format
	write(io.Writer) error
	// parse reads a published file. Own says that the program has just written it. The error is a
	// *notRelease where the file can be a release of nothing.
	parse(ctx context.Context, in io.Reader, own bool) error

	verify(context.Context) (*verify.Finding, error)
	// layoutNotes are what a verdict is to say of how the published file was read.
	layoutNotes() []string
	// besideSets are what other figures of it are to say of what it shows beside its sets.
	besideSets() []string
	losses(context.Context) ([]report.Loss, error)
	// placeOf is the transaction of the original that line i is of, both counted from 0.
	placeOf(i int) int
	// attack is the adversarial test of original and published file; no Case: there is none.
	attack() (*attack.Case, test, error)

	// public makes the report: from the published file as it was read back, and what is public.
	public(context.Context, *public) (*report.Report, error)
	// remedies measures what else could have been asked for.
	remedies(context.Context) ([]string, error)
	// custodian adds what only the custodian may see.
	custodian(*report.Custodian)
	// audit adds what is kept in the audit file alone.
	audit(*report.Audit) error
}

// notRelease says that a published file can be a release of nothing.
type notRelease struct {
	error
	finding *verify.Finding
}

func (e *notRelease) Unwrap() error { return e.error }
