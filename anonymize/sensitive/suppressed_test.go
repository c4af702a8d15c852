package sensitive_test

import (
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/global"
	"mingle/anonymize/global/exact"
	"mingle/anonymize/local"
	"mingle/anonymize/partition"
	"mingle/anonymize/peel"
	"mingle/anonymize/suppress"
	"mingle/internal/brute"
	"mingle/internal/soak"
	"mingle/release"
)

// Where items are left out, what is published keeps what is promised of sensitive columns, of
// transactions and of persons, and the values stay.
func TestSoakItemsSuppressedBesideColumns(t *testing.T) {
	rng := soak.Rand(18, 28)
	released, suppressed := map[string]int{}, map[string]int{}
	for range soak.Rounds(t, soak.Share(100, 4_000)) {
		c := random(t, rng)
		if rng.IntN(2) == 0 {
			c = randomOfPersons(t, rng)
		}
		if len(c.columns) == 0 {
			continue
		}
		c.Promise.SensitiveKnown, c.Promise.NegativeKnowledge, c.missing = false, false, true
		in := c.Input
		for _, inner := range []anonymize.Algorithm{
			global.AA{},
			exact.Algorithm{},
			partition.LRA{Parts: 2},
			partition.Algorithm{},
			local.Algorithm{},
			peel.Algorithm{},
		} {
			a := suppress.Items{Inner: inner, Max: 0.4}
			g, err := a.Anonymize(t.Context(), in)
			if err != nil {
				continue // what is refused without suppression is refused
			}
			released[inner.Name()]++
			if left(g) {
				suppressed[inner.Name()]++
			}
			keeps := brute.KeepsInput(in, g.Published())
			if !in.Promise.Persons {
				keeps = brute.KeepsSensitive(g.Published(), in) && ways(g.Published(), in)
			}
			if !keeps || !c.verified(t, in, g) {
				t.Fatalf("%s: by enumeration %v\n%s\n%v\npublished %v", a.Name(), keeps,
					conformance.Describe(in), in.Values, conformance.Spell(g.Published()))
			}
		}
	}
	t.Logf("releases %v, with items left out %v", released, suppressed)
	for name, n := range released {
		if suppressed[name] < n/20 {
			t.Errorf("%s leaves items out in %d of %d releases", name, suppressed[name], n)
		}
	}
}

// left tells whether anything was left out.
func left(g *release.Generalized) (out bool) {
	g.Each(func(_, u int32) { out = out || u == release.Suppressed })
	return out
}
