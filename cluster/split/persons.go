package split

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"mingle/dataset"
)

// OfPersons is Chunks with whose each transaction is; "": of nobody known.
func (l Layout) OfPersons(
	ctx context.Context, r io.Reader, do func(d *dataset.Dataset, persons []string) error,
) error {
	return l.chunks(ctx, r, func(d *dataset.Dataset) error {
		persons, err := l.persons(d)
		if err != nil {
			return err
		}
		return do(d.WithColumns(nil), persons)
	})
}

// Read reads some lines, with whose each transaction is; "": of nobody known, as where no persons
// are told.
func (l Layout) Read(
	ctx context.Context, lines []byte, do func(d *dataset.Dataset, persons []string) error,
) error {
	return l.one(ctx, lines, func(d *dataset.Dataset) error {
		persons, err := make([]string, d.Len()), error(nil)
		if l.Person != "" {
			persons, err = l.persons(d)
		}
		if err != nil {
			return err
		}
		return do(d.WithColumns(nil), persons)
	})
}

// persons are those of transactions that were read. Where a part of the lines has no such field,
// they are nobody's.
func (l Layout) persons(d *dataset.Dataset) ([]string, error) {
	out := make([]string, d.Len())
	column, _ := d.Column(l.Person)
	wrong := dataset.Faults{}
	for i, value := range column.Values {
		text, ok := dataset.PersonText(value)
		if out[i] = dataset.Person(text); !ok {
			wrong.Addf(0, "field %q of persons has %s: a person is a text or a whole number such as 12",
				l.Person, value)
		}
	}
	return out, wrong.Err("a part of the input")
}

// Named reads lines of a name, a tab and a text, as engines hand them on.
func Named(ctx context.Context, r io.Reader, do func(name, text string) error) error {
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := in.ReadString('\n')
		if err != nil && err != io.EOF {
			return fmt.Errorf("the engine's lines cannot be read: %w", err)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if line != "" {
			name, text, named := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			if !named {
				return errors.New("a line has no name")
			}
			if fault := do(name, text); fault != nil {
				return fault
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}
