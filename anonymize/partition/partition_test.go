package partition_test

import (
	"fmt"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/partition"
	"mingle/release"
)

func TestPartition(t *testing.T) {
	conformance.Suite{
		New:   func() anonymize.Algorithm { return partition.Algorithm{} },
		Check: wholeSets,
	}.Run(t)
}

// wholeSets checks full k-anonymity by grouping: every published set that is not empty is that of at least k transactions.
func wholeSets(t *testing.T, in anonymize.Input, g *release.Generalized) {
	t.Helper()
	published := g.Published()
	groups := map[string]int{}
	for i := range published.Len() {
		if len(published.Tx(i)) > 0 {
			groups[fmt.Sprint(published.Tx(i))]++
		}
	}
	for set, n := range groups {
		if n < in.Promise.K {
			t.Fatalf("%d transactions publish %s, fewer than k=%d\n%s", n, set, in.Promise.K, conformance.Describe(in))
		}
	}
}
