package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mingle/dataset"
	"mingle/report"
	"mingle/verify"
)

// persons are those of the transactions of an original.
type persons struct {
	of      []int32 // by transaction, numbered from 0; -1: of nobody known
	several []int   // by person: the number of transactions
}

// Shuffled tells that lines are published in a random order: those of a person, which may stand
// beside each other in the original, must not be linked by their places.
func (f KM) Shuffled() bool { return f.PersonColumn != "" }

// shuffles is implemented by families whose releases are always in a random order.
type shuffles interface{ Shuffled() bool }

// countsPersons tells whether the unit of a task is a person.
func countsPersons(t task) bool {
	km, is := t.(*kmTask)
	return is && km.Promise.Persons
}

// placesMatter tells whether what was found rests on which published line is of which original.
func (t *kmTask) placesMatter(f *verify.Finding) bool {
	return t.MaySuppress || f.Recoding != "global" || f.SensitiveMissing > 0
}

// errNoPersons is why a published file alone cannot be judged.
var errNoPersons = errors.New("whose each line is stands in the original alone: give the original " +
	"before the published file, and the audit file, which tells the order of the lines, with --audit")

// refusePersons tells, before any work, what does not go with a promise of persons.
func (t *kmTask) refusePersons(j *Job) error {
	var faults []error
	if t.Drop {
		faults = append(faults, errors.New("with persons the empty lines of suppressed transactions "+
			"stay, so that the audit file tells whose each line is: leave out --drop"))
	}
	if slices.Contains(j.KeepColumns, t.PersonColumn) {
		faults = append(faults, fmt.Errorf("the column of the persons (%q) is never published: "+
			"leave it out of --keep-columns", t.PersonColumn))
	}
	if j.KeepIdentifiers {
		faults = append(faults, errors.New("with persons no identifier is published, which could "+
			"tell which lines are of one person: leave out --keep-identifiers"))
	}
	return errors.Join(faults...)
}

// read reads the original, and takes the column of the persons out of it.
func (t *kmTask) read(ctx context.Context) error {
	if t.PersonColumn == "" {
		return t.sets.read(ctx)
	}
	t.layout.Packed = false
	opts, err := t.files.layout(t.originalPath, t.layout)
	if err != nil {
		return err
	}
	before := t.layout.LabelColumns
	if opts.Format != dataset.JSONL { // whose fields are all read, and may be missing
		t.layout.LabelColumns = append(slices.Clone(before), t.PersonColumn)
	}
	err = t.sets.read(ctx)
	t.layout.LabelColumns = before
	if err != nil {
		return t.withoutPersons(err)
	}
	column, there := t.raw.Column(t.PersonColumn)
	if !there {
		return fmt.Errorf("%s: there is no column %q of persons in this file of the format %s%s: %s can have one",
			name(t.originalPath), t.PersonColumn, t.layout.Format,
			dataset.ColumnHint(t.PersonColumn, names(t.raw.Columns)), dataset.WithColumns())
	}
	if t.layout.Format == dataset.JSONL {
		if column.Values, err = t.plainPersons(column); err != nil {
			return err
		}
	}
	t.whose = personsOf(column.Values)
	t.alike = alikePersons(t.PersonColumn, column.Values)
	if err := t.columns.checkOfPersons(t.originalPath, t.raw.Columns, t.whose.of); err != nil {
		return err
	}
	t.raw = t.raw.WithColumns(t.columns.all())
	return nil
}

// withoutPersons adds to an error that what lacks the column of the persons may be the published
// file, which never has it.
func (t *kmTask) withoutPersons(err error) error {
	var faults *dataset.Faults
	if !t.compared || !errors.As(err, &faults) ||
		!slices.Contains(faults.NoColumns, t.PersonColumn) {
		return err
	}
	return fmt.Errorf("%w\na published file never has the column of the persons: the original "+
		"comes first, then the published file; are the two swapped?", err)
}

// plainPersons are the persons that JSON values name. Others than dataset.PersonText knows are
// refused.
func (t *kmTask) plainPersons(column dataset.Column) ([]string, error) {
	out := slices.Clone(column.Values)
	var faults dataset.Faults
	for i, v := range column.Values {
		text, ok := dataset.PersonText(v)
		if out[i] = text; !ok {
			faults.Addf(0, "column %q of persons has %s in transaction %d: a person is a text or "+
				"a whole number such as 12", column.Name, v, t.placeOf(i)+1)
		}
	}
	return out, faults.Err(name(t.originalPath))
}

// personsOf numbers persons in the order in which they come.
func personsOf(column []string) *persons {
	p := &persons{of: make([]int32, len(column))}
	known := map[string]int32{}
	for i, value := range column {
		if value = dataset.Person(value); value == "" {
			p.of[i] = -1
			continue
		}
		id, met := known[value]
		if !met {
			id = int32(len(p.several))
			known[value] = id
			p.several = append(p.several, 0)
		}
		p.of[i] = id
		p.several[id]++
	}
	return p
}

// alikePersons are notes on persons that a reader may take for others: each counts as one more.
func alikePersons(name string, column []string) []string {
	known, folded := map[string]bool{}, map[string]bool{}
	for _, value := range column {
		if person := dataset.Person(value); person != "" && !known[person] {
			known[person], folded[dataset.Folded(person)] = true, true
		}
	}
	more := len(known) - len(folded)
	if more == 0 {
		return nil
	}
	return []string{fmt.Sprintf("the persons of column %q would be %d fewer if small and capital "+
		"letters, characters that are not seen, and ways to write a number made no difference: "+
		"if some are one, write them alike", name, more)}
}

// count is what the custodian is told of the persons; nil where there are none.
func (p *persons) count() *report.Persons {
	if p == nil {
		return nil
	}
	out := &report.Persons{Persons: len(p.several), Transactions: len(p.of)}
	sorted := slices.Sorted(slices.Values(p.several))
	for _, n := range sorted {
		out.Transactions -= n
		if n > 1 {
			out.Several++
		}
	}
	out.Nobody, out.Transactions = out.Transactions, len(p.of)
	if n := len(sorted); n > 0 {
		out.Least, out.Median, out.Most = sorted[0], sorted[(n-1)/2], sorted[n-1]
	}
	return out
}
