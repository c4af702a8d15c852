// Package memtest lets tests bound the memory of what they test.
package memtest

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// Within runs f and fails where the heap grows by more than limit bytes meanwhile, looked at every
// millisecond. It fails early enough to spare the machine only if f ends by itself.
func Within(t interface {
	Helper()
	Errorf(format string, args ...any)
}, limit uint64, f func(),
) {
	t.Helper()
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before := m.HeapAlloc
	var most atomic.Uint64
	look := func() {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most.Store(max(most.Load(), m.HeapInuse))
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
				look()
			}
		}
	}()
	f()
	look()
	close(done)
	<-ended
	if grown := most.Load() - min(before, most.Load()); grown > limit {
		t.Errorf("the heap grew by %d MiB, more than %d MiB", grown>>20, limit>>20)
	}
}
