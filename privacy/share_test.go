package privacy

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

// Whole numbers of a share are those of the decimal that was written, by integers alone.
func TestSharesAreDecimals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for range 20_000 {
		digits, n := rng.IntN(1_000_001), rng.IntN(2_000_000)
		share, err := strconv.ParseFloat(strconv.Itoa(digits)+"e-6", 64)
		if err != nil {
			t.Fatal(err)
		}
		most, least := digits*n/1_000_000, (digits*n+999_999)/1_000_000
		if got := MostOf(share, n); got != most {
			t.Fatalf("at most %v of %d: %d, want %d", share, n, got, most)
		}
		if got := LeastOf(share, n); got != least {
			t.Fatalf("at least %v of %d: %d, want %d", share, n, got, least)
		}
		percent, err := strconv.ParseFloat(strconv.Itoa(digits)+"e-4", 64)
		if got := Hundredth(percent); err != nil || got != share {
			t.Fatalf("%v %% is %v, want %v (%v)", percent, got, share, err)
		}
	}
	// 0.29 · 100 and 1.1/100 are less and more as binary numbers
	if got := MostOf(0.29, 100); got != 29 {
		t.Errorf("at most 0.29 of 100: %d", got)
	}
	if got := LeastOf(Hundredth(1.1), 1000); got != 11 {
		t.Errorf("at least 1.1 %% of 1000: %d", got)
	}
}
