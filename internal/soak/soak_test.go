package soak

import "testing"

// A soak ends rounds when their time is over, where there is a limit; make test never does.
func TestRounds(t *testing.T) {
	for _, c := range []struct {
		turn, each string
		want       int
	}{{"", "1ns", 3}, {"1", "1ns", 1}, {"1", "0s", 3}, {"1", "10m", 3}, {"1", "", 3}} {
		t.Setenv("MINGLE_SOAK", c.turn)
		t.Setenv("MINGLE_SOAK_EACH", c.each)
		made := 0
		for i := range Rounds(t, 3) {
			if i != made {
				t.Errorf("%+v: round %d has number %d", c, made, i)
			}
			made++
		}
		if made != c.want {
			t.Errorf("%+v: %d rounds", c, made)
		}
	}
}
