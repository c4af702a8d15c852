package bag

import (
	"errors"
	"testing"

	"mingle/dataset"
)

// The last value and the last record that fit are taken; a builder that is full says so and hands
// nothing out.
func TestBuilderIsFull(t *testing.T) {
	for _, records := range [][][]int64{{{1, 2, 3}, {4}}, {{}, {}, {}, {}}} {
		b := NewBuilder()
		if b.most != dataset.MaxOccurrences {
			t.Fatalf("room for %d", b.most)
		}
		b.most = len(records)
		for _, values := range records {
			b.most = max(b.most, len(values)+1)
		}
		for i, values := range records {
			for _, v := range values {
				b.AddInt(v)
			}
			b.End(i + 1)
		}
		if b.Err() != nil || b.Len() != len(records) {
			t.Fatalf("%v: %v", records, b.Err())
		}
		b.AddInt(7)
		b.End(9)
		if !errors.Is(b.Err(), dataset.ErrTooLarge) || b.Len() != len(records) {
			t.Errorf("%v: %v, %d records", records, b.Err(), b.Len())
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Error("part of the records was handed out")
				}
			}()
			b.Build()
		}()
	}
}
