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

// Cells are those of a column: of each line the value that is to be inferred, "" for one that need
// not be hidden, and whether there is any.
type Cells struct {
	Values []string
	Has    []bool
}

// filled are the lines with a value, and what they carry.
func (c Cells) filled() (lines []int32, carried [][]string) {
	for i, there := range c.Has {
		if !there {
			continue
		}
		lines = append(lines, int32(i))
		if carried = append(carried, nil); c.Values[i] != "" {
			carried[len(carried)-1] = c.Values[i : i+1]
		}
	}
	return lines, carried
}

// Column adds a sensitive column, as it is in the data and in the release, where values may be
// missing: whoever looks for one does not know which.
func (c *Case) Column(name string, data, published Cells) error {
	if c.lines == nil || len(data.Values) != c.data.Len() ||
		len(published.Values) != c.after.records {
		return errors.New("attack: the values of a column are not of the same lines as the data")
	}
	before, had := data.filled()
	after, carried := published.filled()
	if len(before) == 0 || len(after) == 0 {
		return nil
	}
	sub, err := c.lines(before, after)
	if err != nil {
		return err
	}
	all := dataset.FromLabels(append(had, carried...))
	first, rest := make([]int32, len(had)), make([]int32, len(carried))
	for i := range first {
		first[i] = int32(i)
	}
	for i := range rest {
		rest[i] = int32(len(had) + i)
	}
	if err := sub.Sensitive(all.Select(first), all.Select(rest)); err != nil {
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
		for size := range facts(o.M, col.data.MaxLen()) {
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
