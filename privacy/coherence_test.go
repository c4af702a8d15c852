package privacy

import (
	"math/big"
	"strings"
	"testing"
)

func TestCoherenceShareIsTheDecimalThatWasWritten(t *testing.T) {
	for h, want := range map[float64]*big.Rat{
		0.29: big.NewRat(29, 100), 0.1: big.NewRat(1, 10), 1: big.NewRat(1, 1),
		1e-3: big.NewRat(1, 1000),
	} {
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
