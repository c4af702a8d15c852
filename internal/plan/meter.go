package plan

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"mingle/internal/memory"
)

// metered runs one step and fills in what it took. Memory is what the program holds from the system at most while the
// step runs, the data and their hierarchy included, looked at every 10 ms; what nothing uses is given back before.
// CPU seconds are of the whole process, over all its threads; where the system does not tell them, they are none.
func metered(o *Outcome, step func() error) error {
	runtime.GC()
	debug.FreeOSMemory()
	var peak atomic.Uint64
	stop, stopped := make(chan struct{}), make(chan struct{})
	look := func() { peak.Store(max(peak.Load(), uint64(memory.Held()))) }
	look()
	go func() {
		defer close(stopped)
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				look()
			case <-stop:
				return
			}
		}
	}()
	begin, cpu := time.Now(), cpuSeconds()
	err := step()
	o.Seconds, o.CPU = time.Since(begin).Seconds(), cpuSeconds()-cpu
	close(stop)
	<-stopped
	look()
	o.PeakMB = float64(peak.Load()) / (1 << 20)
	return err
}
