package local

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/internal/soak"
	"mingle/release"
	"mingle/verify"
)

// leveledValued is leveledDiverse with one or two sensitive columns, in which values are empty now
// and then, beside the sensitive items or in their place.
func leveledValued(t *testing.T, rng *rand.Rand) anonymize.Input {
	in := leveledDiverse(t, rng)
	items, n := in.Sensitive, in.Data.Len()
	if in.Promise.ColumnsOnly = rng.IntN(2) == 0; in.Promise.ColumnsOnly {
		items = nil
	}
	var columns []anonymize.Column
	for at := range 1 + rng.IntN(2) {
		col := anonymize.Column{Name: string(rune('A' + at)), Free: []string{"free"}}
		values, empty := in.Promise.L+rng.IntN(6), rng.Float64()*rng.Float64()
		for range n {
			v := string(rune('a' + rng.IntN(values)))
			if rng.IntN(4) == 0 {
				v = "free"
			}
			if rng.Float64() < empty {
				v = ""
			}
			col.Values = append(col.Values, v)
		}
		columns = append(columns, col)
		in.Promise.Columns = append(in.Promise.Columns, col.Name)
	}
	var err error
	if in.Sensitive, in.Values, err = anonymize.WithColumns(items, n, columns); err != nil {
		t.Fatal(err)
	}
	return in
}

// leveledValuedOfPersons is leveledValued where the transactions are of persons.
func leveledValuedOfPersons(t *testing.T, rng *rand.Rand) anonymize.Input {
	return ofPersonsWithShares(rng, leveledValued(t, rng))
}

// toVerify is what the verifier is given of a release: where there are columns, their cells.
func toVerify(t *testing.T, in anonymize.Input, g *release.Generalized) verify.KMInput {
	t.Helper()
	given := verify.KMInput{
		Tree: in.Tree, Published: g.Published(), Original: in.Data,
		Promise: in.Promise, Persons: in.Persons, Workers: 1, NotSensitive: []string{"free"},
	}
	items := in.Sensitive
	if in.Values != nil {
		for _, name := range in.Promise.Columns {
			cells := cellsOf(in, name)
			given.Columns = append(given.Columns,
				verify.SensitiveColumn{Name: name, Published: cells, Original: cells})
		}
		keep := make([]int32, items.Dict().Len())
		for s := range keep {
			if keep[s] = int32(s); int32(s) >= in.Values.Items {
				keep[s] = -1
			}
		}
		items = items.Recode(items.Dict(), keep)
	}
	if !in.Promise.ColumnsOnly {
		given.PublishedSensitive, given.OriginalSensitive = items, items
	}
	return given
}

// cellsOf are the cells of a column, told by the sensitive items that stand for them.
func cellsOf(in anonymize.Input, name string) []string {
	cells := slices.Repeat([]string{"free"}, in.Data.Len())
	mark, marked := in.Sensitive.Dict().ID(fmt.Sprintf("a value in column %q", name))
	for i := range cells {
		tx := in.Sensitive.Tx(i)
		if marked && !slices.Contains(tx, mark) {
			cells[i] = ""
		}
		for _, s := range tx {
			var value, of string
			label := in.Sensitive.Dict().Label(s)
			n, _ := fmt.Sscanf(label, "value %q of column %q", &value, &of)
			if n == 2 && of == name {
				cells[i] = value
			}
		}
	}
	return cells
}

// What is looked for in unions is what is said of them word by word where values are empty, too.
func TestSoakUnionsOfValues(t *testing.T) {
	rng := soak.Rand(18, 81)
	soakUnions(t, rng, soak.Share(800, 10_000), leveledValued)
}

// The same where persons are counted.
func TestSoakUnionsOfValuesOfPersons(t *testing.T) {
	rng := soak.Rand(18, 82)
	soakUnions(t, rng, soak.Share(2_500, 10_000), leveledValuedOfPersons)
}

// Every release beside columns with empty values keeps the promise word by word, and the verifier
// accepts it.
func TestSoakDiverseOfValues(t *testing.T) {
	rng := soak.Rand(18, 83)
	soakDiverse(t, rng, soak.Share(700, 10_000), leveledValued)
}

// The same where persons are counted.
func TestSoakDiverseOfValuesOfPersons(t *testing.T) {
	rng := soak.Rand(18, 84)
	soakDiverse(t, rng, soak.Share(700, 10_000), leveledValuedOfPersons)
}
