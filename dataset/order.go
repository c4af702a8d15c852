package dataset

import (
	"crypto/sha256"
	"math/rand/v2"
)

// DrawOrder draws one of all orders of n transactions: place i has transaction i of the result. It
// has random numbers of its own: an algorithm that has the same seed has others.
func DrawOrder(seed *[32]byte, n int) []int32 {
	key := sha256.Sum256(append([]byte("mingle: order of the lines\n"), seed[:]...))
	from := make([]int32, n)
	for i := range from {
		from[i] = int32(i)
	}
	rand.New(rand.NewChaCha8(key)).Shuffle(n, func(i, j int) {
		from[i], from[j] = from[j], from[i]
	})
	return from
}
