package dataset

import (
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// Room is reserved for what the file has, also where its size is not known: no more than half as
// much again. For small files there is a least room.
func TestNoMoreRoomThanNeeded(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var text strings.Builder
	for range 290_000 {
		for item := range 10 {
			text.WriteString(strconv.Itoa(100*item+rng.IntN(100)) + " ")
		}
		text.WriteByte('\n')
	}
	for _, workers := range []int{1, 3} {
		for _, known := range []bool{true, false} {
			var from io.Reader = strings.NewReader(text.String())
			if !known {
				from = struct{ io.Reader }{from}
			}
			c, err := collect(t.Context(), from, Options{Format: Fimi, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			if room, items := cap(c.items), len(c.items); 5*room > 8*items {
				t.Errorf("%d workers, size known: %v: room for %d items, of %d",
					workers, known, room, items)
			}
		}
	}
}
