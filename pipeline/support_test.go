package pipeline

import "testing"

// A share of transactions is that of the percentage that was written.
func TestSupportOfAShare(t *testing.T) {
	for text, want := range map[string]int{
		"1.1%": 11, "0.7%": 7, "29%": 290, "0.01%": 1, "0.11%": 2, "100%": 1000, "5": 5,
	} {
		s, err := ParseSupport(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Of(1000); got != want {
			t.Errorf("%s of 1000 is %d, want %d", text, got, want)
		}
	}
}
