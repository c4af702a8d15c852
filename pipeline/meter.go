package pipeline

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"mingle/internal/memory"
	"mingle/report"
)

// meter takes the time and the memory of the phases of a run. Memory is what the program holds from
// the system, looked at every 10 ms: a peak between two looks is missed.
type meter struct {
	start  time.Time
	phases []report.Phase
	peak   atomic.Uint64 // since the phase began
	cpu    float64       // seconds of the whole process in the last phase that was taken alone
	stop   chan struct{}
}

func startMeter() *meter {
	m := &meter{start: time.Now(), stop: make(chan struct{})}
	go func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				m.look()
			case <-m.stop:
				return
			}
		}
	}()
	return m
}

// look raises the peak to what is held now.
func (m *meter) look() {
	held := uint64(memory.Held())
	for {
		old := m.peak.Load()
		if held <= old || m.peak.CompareAndSwap(old, held) {
			return
		}
	}
}

// phase runs and measures one step.
func (m *meter) phase(name string, step func() error) error {
	m.peak.Store(0)
	begin := time.Now()
	err := step()
	m.look()
	m.phases = append(
		m.phases,
		report.Phase{Name: name, Seconds: time.Since(begin).Seconds(), PeakMemory: m.peak.Load()},
	)
	return err
}

// end stops the looking.
func (m *meter) end() { close(m.stop) }

// measured sums up the phases so far.
func (m *meter) measured() *report.Measured {
	out := &report.Measured{Phases: m.phases, Seconds: time.Since(m.start).Seconds()}
	for _, p := range m.phases {
		out.PeakMemory = max(out.PeakMemory, p.PeakMemory)
	}
	return out
}

// alone measures one step by itself: what nothing uses is given back to the system before.
func (m *meter) alone(name string, step func() error) error {
	runtime.GC()
	debug.FreeOSMemory()
	m.look()
	cpu := CPUSeconds()
	err := m.phase(name, step)
	m.cpu = CPUSeconds() - cpu
	return err
}
