package auto

import (
	"crypto/sha256"
	"math/rand/v2"
	"slices"

	"mingle/anonymize"
	"mingle/anonymize/local"
)

// aloneOneIn is how often local is not compared with others: once in so many times.
const aloneOneIn = 16

// alone tells, by the secret seed, whether local is not compared with others this time.
//
// A release of local says, when the others are tried, that each of them loses more on the original;
// and a release of another says that it is what that algorithm makes of it. Either rules out
// originals. But whatever is published, local publishes the same of every original that is
// compatible with it, for some refusals (docs/algorithms/local.md), and then that is what auto
// publishes if local is alone. So every compatible original stays possible. Without a seed nothing
// is left to chance; with suppression, and where local refuses the promise, there is no such
// theorem.
func (a Algorithm) alone(in anonymize.Input) bool {
	if in.Seed == nil || anonymize.Keeps(local.Algorithm{}, in.Promise) != nil ||
		a.Items > 0 || a.Transactions > 0 {
		return false
	}
	// its own draws, not those of local
	apart := sha256.Sum256(append([]byte("auto: alone "), in.Seed[:]...))
	return rand.New(rand.NewChaCha8(apart)).IntN(aloneOneIn) == 0
}

// inOrder puts local first if it is alone: the others follow where it cannot be tried.
func (s *search) inOrder(list []trial) []trial {
	if s.alone {
		slices.SortStableFunc(list, func(a, b trial) int { return isLocal(b) - isLocal(a) })
	}
	return list
}

func isLocal(t trial) int {
	if t.Name() == (local.Algorithm{}).Name() {
		return 1
	}
	return 0
}
