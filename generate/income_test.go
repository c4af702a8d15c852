package generate_test

import (
	"math"
	"slices"
	"testing"

	"mingle/generate"
)

// The marginals that gkountouna-2014 tells: 2.27 values a record, whole numbers up to 197,297, no
// empty record.
func TestIncomeMarginals(t *testing.T) {
	b := generate.Income{Records: 100_000, Seed: 1}.Bags()
	// 0.01 is 3 standard errors
	if mean := float64(b.Occurrences()) / float64(b.Len()); math.Abs(mean-2.27) > 0.01 {
		t.Errorf("%.4f values a record, want 2.27", mean)
	}
	lowest, highest, _ := b.ActiveDomain()
	if lowest.String() != "1" || highest.String() != "197297" {
		t.Errorf("domain %s to %s, want 1 to 197297", lowest, highest)
	}
	if b.AtLeast(1) != b.Len() || b.Longest() > 8 {
		t.Errorf("%d of %d records are filled, the longest has %d", b.AtLeast(1), b.Len(),
			b.Longest())
	}
}

func TestIncomeIsSeeded(t *testing.T) {
	few, more := generate.Income{Records: 100, Seed: 5}.Bags(),
		generate.Income{Records: 200, Seed: 5}.Bags()
	other := generate.Income{Records: 100, Seed: 6}.Bags()
	same := true
	for i := range few.Len() {
		if !slices.Equal(few.Texts(i), more.Texts(i)) {
			t.Fatalf("record %d: %v, of more records %v", i, few.Texts(i), more.Texts(i))
		}
		same = same && slices.Equal(few.Texts(i), other.Texts(i))
	}
	if same {
		t.Error("another seed made the same records")
	}
}
