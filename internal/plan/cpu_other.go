//go:build !unix

package plan

import "math"

// cpuSeconds is not known here.
func cpuSeconds() float64 { return math.NaN() }
