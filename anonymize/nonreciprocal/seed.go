package nonreciprocal

import (
	cryptorand "crypto/rand"
	"fmt"
	"math/rand/v2"
)

// source is the generator of everything random: ChaCha8 of a 256-bit seed, which is noted for the audit. The methods of
// rand.Rand draw without bias.
func (in Input) source(audit *Audit) (*rand.Rand, error) {
	if in.Seed != nil {
		audit.Seed, audit.Fixed = *in.Seed, true
	} else if _, err := cryptorand.Read(audit.Seed[:]); err != nil {
		return nil, fmt.Errorf("no randomness from the operating system: %w", err)
	}
	return rand.New(rand.NewChaCha8(audit.Seed)), nil
}

// permuteGroups assigns a graph of complete groups: within each a random permutation.
func permuteGroups(g *Graph, rng *rand.Rand) []int32 {
	match := make([]int32, g.Len())
	for u := range int32(g.Len()) {
		group := g.Slots(u)
		if u != minOf(group) { // once a group
			continue
		}
		for i, p := range rng.Perm(len(group)) {
			match[group[i]] = group[p]
		}
	}
	return match
}

func minOf(list []int32) int32 {
	least := list[0]
	for _, x := range list {
		least = min(least, x)
	}
	return least
}
