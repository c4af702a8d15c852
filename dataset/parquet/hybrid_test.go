package parquet

import (
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mingle/dataset/column"
)

// TestHybrid: what is written is read again, whatever the pieces; in runs it is the same numbers.
func TestHybrid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := uint(rapid.IntRange(1, 32).Draw(t, "width"))
		var want []int32
		var given []uint32
		number := rapid.Uint32Range(0, uint32(1<<width-1))
		for range rapid.IntRange(1, 12).Draw(t, "runs") {
			v, n := number.Draw(t, "number"), rapid.IntRange(1, 40).Draw(t, "times")
			for range n {
				given, want = append(given, v), append(want, int32(v))
			}
		}
		b := appendHybrid(nil, given, width)
		spelled, inRuns := hybrid{b: b, width: width}, hybrid{b: b, width: width}
		var got []int32
		var cells column.Cells
		for left := len(want); left > 0; {
			n := rapid.IntRange(1, left).Draw(t, "piece")
			piece := make([]int32, n)
			if err := spelled.fill(piece); err != nil {
				t.Fatal(err)
			}
			if err := inRuns.runs(&cells, n); err != nil {
				t.Fatal(err)
			}
			got, left = append(got, piece...), left-n
		}
		if !slices.Equal(got, want) {
			t.Fatalf("width %d: %d, want %d", width, got, want)
		}
		from := uint32(0)
		for i, end := range cells.Runs {
			if i > 0 && cells.Codes[i] == cells.Codes[i-1] {
				t.Errorf("run %d is of the same number as the one before", i)
			}
			for ; from < end; from++ {
				if cells.Codes[i] != want[from] {
					t.Fatalf("row %d is %d, want %d", from, cells.Codes[i], want[from])
				}
			}
		}
		if most := slices.Max(given); spelled.most != most || inRuns.most != most ||
			int(from) != len(want) || bits.Len32(most) > int(width) {
			t.Errorf("most %d and %d, want %d; %d rows", spelled.most, inRuns.most, most, from)
		}
	})
}
