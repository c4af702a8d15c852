package verify

import (
	"testing"
)

// Whoever listens hears of the end, of however many tasks, and is never told the same twice.
func TestPoolTellsTheEnd(t *testing.T) {
	for _, n := range []int{1, 99, 100, 250, 299} {
		for _, workers := range []int{1, 3} {
			said := map[int64]int{}
			p := newPool(workers, func(_ string, done, total int64) {
				if said[done]++; total != int64(n) {
					t.Errorf("%d of %d, which are %d", done, total, n)
				}
			})
			if err := p.run(t.Context(), "", n, func(int, int) {}); err != nil {
				t.Fatal(err)
			}
			if said[int64(n)] != 1 || len(said) < min(n, 100) || len(said) > 151 {
				t.Errorf("%d tasks: %d messages, %d of the end", n, len(said), said[int64(n)])
			}
		}
	}
}

// A listener who panics ends the run with that: no other goroutine waits for him.
func TestPoolWithAListenerWhoPanics(t *testing.T) {
	p := newPool(4, func(string, int64, int64) { panic("no more") })
	defer func() {
		if r := recover(); r != "no more" {
			t.Errorf("%v", r)
		}
	}()
	_ = p.run(t.Context(), "", 1000, func(int, int) {})
	t.Error("the panic is lost")
}
