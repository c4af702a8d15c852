package plan

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

// metered runs one step and fills in what it took. Memory is what the program holds from the system at most while the
// step runs, the data and their hierarchy included, looked at every 10 ms; what nothing uses is given back before.
// CPU seconds are of the whole process, over all its threads; where the system does not tell them, they are none.
func metered(o *Outcome, step func() error) error {
	runtime.GC()
	debug.FreeOSMemory()
	var peak atomic.Uint64
	stop, stopped := make(chan struct{}), make(chan struct{})
	look := func() { peak.Store(max(peak.Load(), memoryHeld())) }
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

func memoryHeld() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64() - sample[1].Value.Uint64()
}
