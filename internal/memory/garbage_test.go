package memory

import (
	"context"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

func TestPercent(t *testing.T) {
	for mb, want := range map[int64]int{0: 100, 64: 100, 65: 50, 128: 50, 129: 25, 100_000: 25} {
		if got := percent(mb << 20); got != want {
			t.Errorf("%d MB: %d, want %d", mb, got, want)
		}
	}
}

// Where much lives less garbage piles up, until the run ends; where GOGC says so, as much as ever.
func TestGuardKeepsGarbage(t *testing.T) {
	for gogc, want := range map[string]int{"": quarter, "100": whole} {
		t.Setenv("GOGC", gogc)
		defer debug.SetGCPercent(debug.SetGCPercent(whole))
		kept := make([]byte, 200<<20)
		runtime.GC()
		_, stop := Guard(context.Background(), 1<<40, nil)
		time.Sleep(20 * look)
		got := debug.SetGCPercent(whole)
		debug.SetGCPercent(got)
		if stop(); got != want {
			t.Errorf("GOGC=%q: %d percent, want %d", gogc, got, want)
		}
		if got := debug.SetGCPercent(whole); got != whole {
			t.Errorf("GOGC=%q: %d percent are left", gogc, got)
		}
		runtime.KeepAlive(kept)
	}
}
