//go:build !unix

package pipeline

import "math"

// CPUSeconds is not known here.
func CPUSeconds() float64 { return math.NaN() }
