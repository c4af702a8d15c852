package privacy

import (
	"math/big"
	"strings"
	"testing"
)

func TestCoherenceShareIsTheDecimalThatWasWritten(t *testing.T) {
	for h, want := range map[float64]*big.Rat{0.29: big.NewRat(29, 100), 0.1: big.NewRat(1, 10), 1: big.NewRat(1, 1), 1e-3: big.NewRat(1, 1000)} {
		if got := (Coherence{H: h}).Share(); got.Cmp(want) != 0 {
			t.Errorf("h = %v: %v, want %v", h, got, want)
		}
	}
}

func TestCoherenceNamesAllFaults(t *testing.T) {
	err := Coherence{H: 1.5, K: 1, P: 0}.Validate()
	for _, want := range []string{"h (1.5)", "k (1)", "p (0)"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not name %s", err, want)
		}
	}
	if err := (Coherence{H: 1, K: 2, P: 1}).Validate(); err != nil {
		t.Error(err)
	}
}

// What is written is what is promised: nothing is rounded on the way.
func TestParseShare(t *testing.T) {
	for text, want := range map[string]float64{"0.4": 0.4, "1": 1, ".5": 0.5, "0.50": 0.5, "007.5": 7.5, "0.1234567890123456": 0.1234567890123456} {
		got, err := ParseShare(text)
		exact, _ := new(big.Rat).SetString(text)
		if err != nil || got != want || (Coherence{H: got}).Share().Cmp(exact) != 0 {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"0.99999999999999999999", "0.1000000000000000055511151231257827", "0x1p-1", "0_1.5", "1e-1", "1/2", "NaN", "inf",
		"-0.5", "+0.5", "", ".", "0.", " 0.5", "0." + strings.Repeat("0", 400) + "1",
	} {
		if got, err := ParseShare(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}
