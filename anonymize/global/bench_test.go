//go:build unix

package global_test

import (
	"cmp"
	"fmt"
	"runtime/metrics"
	"slices"
	"syscall"
	"testing"
	"time"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/global"
	"mingle/anonymize/partition"
	"mingle/dataset"
	"mingle/privacy"
)

// BenchmarkKM times the algorithms for k=5, m=3 beside a floor: counting all itemsets of three of
// the data as it is once, by a plain kernel. The metric cpu-s is processor time, which other
// programs on the machine disturb least, x-floor the same in floors, peak-MB the most the heap
// held.
func BenchmarkKM(b *testing.B) {
	for _, name := range []string{"bms-webview-1", "bms-webview-2", "retail", "t10i4d100k"} {
		for _, run := range []struct {
			a       anonymize.Algorithm
			workers int
			memory  int64
		}{
			{global.AA{}, 1, 0},
			{global.AA{}, 2, 0},
			{global.AA{}, 1, 64 << 20},
			{global.VPA{}, 1, 0},
			{global.VPA{}, 2, 0},
			{partition.LRA{Flexibility: 10}, 2, 0},
		} {
			b.Run(fmt.Sprintf("%s/%s/workers=%d/memory=%d", name, run.a.Name(), run.workers,
				run.memory>>20), func(b *testing.B) {
				in := conformance.Real(b, name, privacy.KM{K: 5, M: 3})
				in.Workers, in.Memory = run.workers, run.memory
				begin := processorTime(b)
				countTriples(in.Data)
				floor := processorTime(b) - begin
				peak := watchHeap()
				begin = processorTime(b)
				for b.Loop() {
					if _, err := run.a.Anonymize(b.Context(), in); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(peak())/(1<<20), "peak-MB")
				used := (processorTime(b) - begin) / time.Duration(b.N)
				b.ReportMetric(used.Seconds(), "cpu-s")
				b.ReportMetric(float64(used)/float64(floor), "x-floor")
			})
		}
	}
}

// countTriples is the floor: items relabelled by ascending support, the data projected on the
// first, pairs of the rest counted in a dense triangle. It returns the number of triples that
// occur.
func countTriples(d *dataset.Dataset) int {
	supports := d.Supports()
	order := make([]int32, len(supports))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(supports[a], supports[b]) })
	to := make([]int32, len(order))
	for i, it := range order {
		to[it] = int32(i)
	}
	r := d.Recode(d.Dict(), to)
	with := make([][]int32, len(order))
	for i := range r.Len() {
		for _, it := range r.Tx(i) {
			with[it] = append(with[it], int32(i))
		}
	}
	local, found := make([]int32, len(order)), 0
	for first, txs := range with {
		var items []int32
		for _, i := range txs {
			at, _ := slices.BinarySearch(r.Tx(int(i)), int32(first))
			for _, it := range r.Tx(int(i))[at+1:] {
				if local[it] == 0 {
					items = append(items, it)
					local[it] = int32(len(items))
				}
			}
		}
		n := len(items)
		triangle := make([]int32, n*n)
		for _, i := range txs {
			at, _ := slices.BinarySearch(r.Tx(int(i)), int32(first))
			rest := r.Tx(int(i))[at+1:]
			for x, a := range rest {
				row := triangle[int(local[a]-1)*n:]
				for _, c := range rest[x+1:] {
					row[local[c]-1]++
				}
			}
		}
		for _, c := range triangle {
			if c > 0 {
				found++
			}
		}
		for _, it := range items {
			local[it] = 0
		}
	}
	return found
}

// processorTime is what the process has used so far, of all cores.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// watchHeap looks at the size of the heap every millisecond; what it returns ends that and gives
// the peak in bytes.
func watchHeap() (peak func() uint64) {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	stop, done := make(chan bool), uint64(0)
	go func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		most := uint64(0)
		for {
			select {
			case <-tick.C:
				metrics.Read(sample)
				most = max(most, sample[0].Value.Uint64())
			case <-stop:
				done = most
				close(stop)
				return
			}
		}
	}()
	return func() uint64 {
		stop <- true
		<-stop
		return done
	}
}
