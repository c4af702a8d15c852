package dataset

import (
	"bytes"
	"testing"
)

// A file whose first item is spelled as the beginning of a compressed file, or as a byte-order
// mark, is read back as it was.
func TestFirstItemsThatLookLikeMarksAreReadBack(t *testing.T) {
	firsts := []string{"\ufeff", "\ufeffa", "P*M\x18", "_*M\x18zst", "O*M\x18", "P*M", "(\u00b5/"}
	for _, format := range []Format{Fimi, Basket} {
		for _, first := range firsts {
			opts := Options{Format: format}
			dict, err := NewDictionary([]string{first})
			if err != nil {
				t.Fatal(err)
			}
			b := NewBuilder(dict)
			b.Add([]int32{0})
			var file bytes.Buffer
			if err := Write(&file, b.Build(), opts); err != nil {
				t.Fatalf("%v %q: %v", format, first, err)
			}
			back, err := Read(t.Context(), &file, opts)
			if err != nil || back.Len() != 1 || back.Dict().Len() != 1 ||
				back.Dict().Label(0) != first {
				t.Errorf("%v %q: read as %v, %v", format, first, back, err)
			}
		}
	}
}
