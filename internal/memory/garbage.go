package memory

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
)

// Much garbage may lie about where little lives, and it is cheap to collect little. Where much
// lives, the runtime would by default let as much again pile up before it collects. The work on
// large data allocates little beside what lives, so collecting eight times as often costs next to
// nothing there (docs/performance.md, "Garbage").
const (
	whole  = 100 // percent of what lives that may pile up: the runtime's own default
	eighth = 12  // the least
)

// So many bytes of garbage may pile up, or half as many, whatever lives.
const (
	Some   = 48 << 20
	Little = 24 << 20 // for what allocates little beside what lives, at any size
)

// keepGarbage keeps garbage to an eighth of what lives, or to some where that is more. GOGC is
// obeyed where it is set. To set a percentage waits for the collection under way, so this is not
// done where what is held is watched.
func keepGarbage(some int64, done <-chan struct{}) {
	if os.Getenv("GOGC") != "" {
		return
	}
	now := whole
	defer debug.SetGCPercent(debug.SetGCPercent(now))
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	every(4*look, done, func() bool {
		metrics.Read(sample)
		if to := percent(int64(sample[0].Value.Uint64()), some); to != now {
			now = to
			debug.SetGCPercent(now)
		}
		return true
	})
}

// percent is how many percent of what lives may pile up: 100, 50, 25 or 12.
func percent(live, some int64) int {
	for p := whole; p > eighth; p /= 2 {
		if live*int64(p) <= some*whole {
			return p
		}
	}
	return eighth
}
