package attack

import (
	"context"
	"errors"

	"mingle/dataset"
)

// column is a sensitive column: a case of the lines that have a value in it, which carry the value
// as a sensitive item. Whoever looks for the value of a person knows that there is one.
type column struct {
	name string
	*Case
}

// Column adds a sensitive column: of each transaction, and of the record beside it, the value that
// is to be inferred, "" for one that need not be hidden, and whether there is any. It is for
// releases whose line i is of transaction i.
func (c *Case) Column(name string, values []string, has []bool) error {
	if c.lines == nil || len(values) != c.data.Len() || c.data.Len() != c.after.records {
		return errors.New("attack: the values of a column are not of the same lines as the data")
	}
	var lines []int32
	var cells [][]string
	for i, there := range has {
		if !there {
			continue
		}
		lines = append(lines, int32(i))
		if cells = append(cells, nil); values[i] != "" {
			cells[len(cells)-1] = values[i : i+1]
		}
	}
	if len(lines) == 0 {
		return nil
	}
	sub, err := c.lines(lines)
	if err != nil {
		return err
	}
	carried := dataset.FromLabels(cells)
	if err := sub.Sensitive(carried, carried); err != nil {
		return err
	}
	c.columns = append(c.columns, column{name, sub})
	return nil
}

// WithKnown makes a case in which sensitive items are known, of one in which they are inferred:
// this case has them among its items.
func (c *Case) WithKnown(inferred *Case) {
	c.columns = append(c.columns, column{"", inferred})
	c.notef("Sensitive items are among what is known, but where they are inferred themselves.")
}

// inferColumns attacks the values of the sensitive columns.
func (c *Case) inferColumns(ctx context.Context, o Options, r *Result) error {
	for _, col := range c.columns {
		for size := 1; size <= o.M; size++ {
			i, err := col.inferSensitive(ctx, o, size)
			if err != nil {
				return err
			}
			if i != nil {
				i.Column = col.name
				r.Inference = append(r.Inference, *i)
			}
		}
	}
	return nil
}

// plain is data without its columns, of which no copies are needed.
func plain(d *dataset.Dataset) *dataset.Dataset {
	out := *d
	out.Columns = nil
	return &out
}
