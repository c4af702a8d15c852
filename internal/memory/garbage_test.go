package memory

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

func TestPercent(t *testing.T) {
	for mb, want := range map[int64]int{
		0: 100, 48: 100, 49: 50, 96: 50, 97: 25, 192: 25, 193: 12, 100_000: 12,
	} {
		if got := percent(mb<<20, Some); got != want {
			t.Errorf("%d MB: %d, want %d", mb, got, want)
		}
	}
}

// percentSet is what the runtime goes by.
func percentSet() int {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	return int(sample[0].Value.Uint64())
}

// Where much lives less garbage piles up, until the run ends.
func TestGuardKeepsGarbage(t *testing.T) {
	t.Setenv("GOGC", "")
	defer debug.SetGCPercent(debug.SetGCPercent(80))
	kept := make([]byte, 200<<20)
	runtime.GC()
	_, stop := Guard(context.Background(), 1<<40, Some, nil)
	for percentSet() != eighth { // or the test is ended
		time.Sleep(look)
	}
	stop()
	if got := percentSet(); got != 80 {
		t.Errorf("%d percent are left", got)
	}
	runtime.KeepAlive(kept)
}

// GOGC is obeyed.
func TestGuardObeys(t *testing.T) {
	t.Setenv("GOGC", "80")
	defer debug.SetGCPercent(debug.SetGCPercent(80))
	kept := make([]byte, 200<<20)
	runtime.GC()
	done := make(chan struct{})
	defer close(done)
	keepGarbage(Some, done) // ends at once
	if got := percentSet(); got != 80 {
		t.Errorf("%d percent, 80 are asked for", got)
	}
	runtime.KeepAlive(kept)
}
