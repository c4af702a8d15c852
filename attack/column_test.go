package attack

import (
	"context"
	"math"
	"testing"

	"mingle/dataset"
)

// Of the lines that have a value somebody looks for one: lines without a value are no candidates,
// and a value that need not be hidden is nobody's target.
func TestValuesOfAColumnAreInferred(t *testing.T) {
	d := dataset.FromLabels([][]string{{"a"}, {"a"}, {"a"}, {"a"}, {"b"}, {"b"}})
	c, err := Suppressed(d, d)
	if err != nil {
		t.Fatal(err)
	}
	values := []string{"x", "y", "", "x", "x", ""}
	has := []bool{true, true, false, true, true, true} // the last one has a value to be learned
	cells := Cells{values, has}
	if err := c.Column("c", cells, cells); err != nil {
		t.Fatal(err)
	}
	r, err := c.Run(context.Background(), Options{M: 1, K: 2})
	if err != nil {
		t.Fatal(err)
	}
	last := r.Inference[len(r.Inference)-1]
	// who has a: x with 2/3, y with 1/3; who has b: x with 1/2
	want := (2./3 + 1./3 + 2./3 + 1./2) / 4
	if last.Column != "c" || last.Known != 1 || last.Persons != 4 ||
		math.Abs(last.After.Average.Value-want) > 1e-9 {
		t.Errorf("%+v, want an average of %v", last, want)
	}
	if err := c.Column("short", cells, Cells{values[:2], has[:2]}); err == nil {
		t.Error("a column of other lines is taken")
	}
}
