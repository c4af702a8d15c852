package itemset

import (
	"math/rand/v2"
	"testing"
)

// Whether all sets are frequent is what the supports of all sets that occur say, where transactions
// weigh nothing, where they are of units, and where neither is.
func TestAllFrequentAgainstDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 19))
	held := 0
	for n := range 3000 {
		d := randomData(rng, n%3)
		m, k := 1+rng.IntN(3), 1+rng.IntN(4)
		want := true
		for set := range 1 << d.Items {
			support, size, occurs := 0, 0, false
			last := int32(noUnit)
			for it := range d.Items {
				size += set >> it & 1
			}
			for i := range d.Len {
				has := 0
				for _, it := range d.Tx(i) {
					has |= 1 << it
				}
				if set&^has != 0 {
					continue
				}
				occurs = true
				if u := d.unit(i); u == noUnit || u != last {
					support, last = support+int(d.weight(i)), u
				}
			}
			if 0 < size && size <= m && occurs && support < k {
				want = false
			}
		}
		got, err := AllFrequent(t.Context(), d, m, k)
		if err != nil || got != want {
			t.Fatalf("all frequent: %v %v, want %v", got, err, want)
		}
		if want {
			held++
		}
	}
	if held < 100 || held > 2900 {
		t.Errorf("%d of 3000 are: the test tests little", held)
	}
}

// randomData is up to 20 transactions of up to 5 items: of weight 1, of weights from 0 to 3, or of
// units.
func randomData(rng *rand.Rand, kind int) Data {
	var txs [][]int32
	d := Data{Len: rng.IntN(20), Items: 1 + rng.IntN(5)}
	share := rng.Float64()
	for i := range d.Len {
		var tx []int32
		for it := range int32(d.Items) {
			if rng.Float64() < share {
				tx = append(tx, it)
			}
		}
		txs = append(txs, tx)
		switch kind {
		case 1:
			d.Weights = append(d.Weights, rng.Int32N(4))
		case 2:
			d.Weights = append(d.Weights, 1)
			d.Units = append(d.Units, int32(i/3)-1)
		}
	}
	d.Tx = func(i int) []int32 { return txs[i] }
	return d
}
