package pipeline

import (
	"crypto/rand"
	"fmt"
)

// seedOr is the seed that is given, or a new one from the operating system.
func seedOr(given *[32]byte) (*[32]byte, error) {
	if given != nil {
		return given, nil
	}
	seed := new([32]byte)
	if _, err := rand.Read(seed[:]); err != nil {
		return nil, fmt.Errorf("no randomness from the operating system: %w", err)
	}
	return seed, nil
}
