package dataset

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// readText reads a text in which tests write what they mean.
func readText(text string, opts Options) (*Dataset, error) {
	return Read(context.Background(), strings.NewReader(text), opts)
}

func mustRead(t testing.TB, text string, opts Options) *Dataset {
	t.Helper()
	d, err := readText(text, opts)
	if err != nil {
		t.Fatalf("reading %q as %s: %v", text, opts.Format, err)
	}
	checkInvariants(t, d)
	return d
}

func mustWrite(t testing.TB, d *Dataset, opts Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, d, opts); err != nil {
		t.Fatalf("writing as %s: %v", opts.Format, err)
	}
	return b.String()
}

// sets spells out all transactions.
func sets(d *Dataset) [][]string {
	out := [][]string{}
	for i := range d.Len() {
		out = append(out, d.Labels(i))
	}
	return out
}

func linesOf(d *Dataset) []int {
	out := []int{}
	for i := range d.Len() {
		out = append(out, d.Line(i))
	}
	return out
}

// content is everything of a dataset that a user can see.
func content(d *Dataset) string {
	return fmt.Sprintf(
		"%q %q %v %#v %q %+v", d.dict.Labels(), sets(d), linesOf(d), d.Columns, d.Notes, *d.layout,
	)
}

// checkInvariants checks what everything downstream relies on and does not check again.
func checkInvariants(t testing.TB, d *Dataset) {
	t.Helper()
	labels := d.dict.Labels()
	for i := 1; i < len(labels); i++ {
		if CompareLabels(labels[i-1], labels[i]) >= 0 {
			t.Fatalf("labels %q and %q are not in natural order", labels[i-1], labels[i])
		}
	}
	used := make([]bool, len(labels))
	for i := range d.Len() {
		tx := d.Tx(i)
		for n, it := range tx {
			if n > 0 && tx[n-1] >= it {
				t.Fatalf("transaction %d is not sorted and distinct: %v", i, tx)
			}
			used[it] = true
		}
		if i > 0 && d.Line(i) <= d.Line(i-1) {
			t.Fatalf("lines do not rise: %v", linesOf(d))
		}
	}
	if slices.Contains(used, false) {
		t.Fatal("the dictionary holds a label that does not occur")
	}
	for _, c := range d.Columns {
		if len(c.Values) != d.Len() {
			t.Fatalf("column %q has %d values for %d transactions", c.Name, len(c.Values), d.Len())
		}
	}
}

func diff(t testing.TB, what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}
