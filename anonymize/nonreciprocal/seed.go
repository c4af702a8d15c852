package nonreciprocal

import (
	cryptorand "crypto/rand"
	"fmt"
	"math/rand/v2"
)

// source is the generator of everything random: ChaCha8 of a 256-bit seed, which is noted for the
// audit. The methods of rand.Rand draw without bias.
func (in Input) source(audit *Audit) (*rand.Rand, error) {
	if in.Seed != nil {
		audit.Seed, audit.Fixed = *in.Seed, true
	} else if _, err := cryptorand.Read(audit.Seed[:]); err != nil {
		return nil, fmt.Errorf("no randomness from the operating system: %w", err)
	}
	return rand.New(rand.NewChaCha8(audit.Seed)), nil
}
