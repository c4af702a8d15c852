package hierarchy

import (
	"math/rand/v2"
	"testing"
)

// What plainFields says of a line that is cut at its separators is what cutting it shows.
func TestPlainFieldsAreThoseOfSplitFields(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 6))
	plainOnes := 0
	for range 20_000 {
		line := randomLine(rng)
		sep := ";,"[rng.IntN(2)]
		plain, separators := plainFields(line, sep)
		if !plain {
			continue
		}
		plainOnes++
		if fields, fault := splitFields(line, sep); fault != "" || len(fields) != separators+1 {
			t.Fatalf("%q at %c: %q %s, not %d separators", line, sep, fields, fault, separators)
		}
	}
	if plainOnes < 5000 {
		t.Errorf("only %d lines are plain: the test tests little", plainOnes)
	}
}

// randomLine has separators, blanks and, some of them, quotes.
func randomLine(rng *rand.Rand) string {
	letters := []string{"a", " ", "\t", ";", ",", "ü", `"`}
	if rng.IntN(2) == 0 {
		letters = letters[:len(letters)-1]
	}
	line := ""
	for range rng.IntN(12) {
		line += letters[rng.IntN(len(letters))]
	}
	return line
}
