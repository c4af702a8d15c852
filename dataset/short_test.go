package dataset

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// Labels are numbered as a map numbers them: of any bytes and lengths, those too that differ in
// zero bytes at their ends or in what stands behind them in the text, and many of them.
func TestInternerAgreesWithMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 30 {
		ids, twin := newInterner(), map[string]int32{}
		text := make([]byte, 1<<12)
		for i := range text {
			text[i] = []byte{0, 0, 1, 'a', '7', 0xff}[rng.IntN(6)]
		}
		for range 20_000 {
			from := rng.IntN(len(text) + 1)
			label := text[from:min(len(text), from+rng.IntN(20))]
			if rng.IntN(2) == 0 {
				label = bytes.Clone(label)
			}
			_, known := twin[string(label)]
			if found, ok := ids.find(label); ok != known || ok && found != twin[string(label)] {
				t.Fatalf("%q is found as %d, %v; known %v", label, found, ok, known)
			}
			if !known {
				twin[string(label)] = int32(len(twin))
			}
			if id := ids.id(label); id != twin[string(label)] || ids.labels[id] != string(label) {
				t.Fatalf("%q has the id %d, not %d", label, id, twin[string(label)])
			}
		}
	}
}
