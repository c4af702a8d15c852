package main

import "testing"

// A percentage and the number that it stands for are the same share.
func TestSharesInPercent(t *testing.T) {
	for text, want := range map[string]float64{
		"1.1%": 0.011, "29 %": 0.29, "0.29": 0.29, "2.5%": 0.025, "1e-3": 0.001, "100%": 1, "0": 0,
	} {
		if got, err := parseShare(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"101%", "1.1", "-1%", "NaN", "NaN%", "", "%", "inf", "1e999%"} {
		if got, err := parseShare(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}
