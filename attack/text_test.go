package attack

import "testing"

// A half-width that is not 0 is not written as 0.
func TestSmallHalfWidth(t *testing.T) {
	for want, e := range map[string]Estimate{
		"12.00 %":         {0.12, 0.12, 0.12},
		"12.00 % ± 1.00":  {0.12, 0.11, 0.13},
		"12.00 % ± 0.01":  {0.12, 0.1199, 0.1201},
		"12.00 % ± 0.002": {0.12, 0.11998, 0.12002},
	} {
		if got := percent(e); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
