package anonymize_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"time"

	"mingle/anonymize"
	"mingle/anonymize/global"
	"mingle/anonymize/global/exact"
	"mingle/anonymize/local"
	"mingle/anonymize/partition"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/privacy"
)

// shop is random transactions, few items of which are in many, with a tree of some fan-out.
func shop(transactions, items, average, fanout int) anonymize.Input {
	rng := rand.New(rand.NewPCG(5, 27))
	names := make([]string, items)
	for i := range names {
		names[i] = fmt.Sprint(i)
	}
	tree, err := hierarchy.Fanout(names, fanout)
	if err != nil {
		panic(err)
	}
	popular := rand.NewZipf(rng, 1.3, 8, uint64(items-1))
	b := dataset.NewBuilder(tree.LeafDict())
	for range transactions {
		tx := make([]int32, 1+rng.IntN(2*average-1))
		for i := range tx {
			tx[i] = int32(popular.Uint64())
		}
		b.Add(tx)
	}
	return anonymize.Input{Data: b.Build(), Tree: tree, Promise: privacy.KM{K: 5, M: 3}}
}

// held is how many bytes of the heap are in use at most while f runs, more than before it.
func held(f func()) int64 {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(20)) // little garbage among it
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, most := int64(m.HeapAlloc), atomic.Int64{}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			runtime.ReadMemStats(&m)
			most.Store(max(most.Load(), int64(m.HeapAlloc)))
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	f()
	close(stop)
	<-stopped
	return most.Load() - before
}

// What is foretold bounds what is held, and not by so much that data would be refused for nothing:
// by sixteen times at most.
func TestNeedBoundsWhatIsHeld(t *testing.T) {
	for _, c := range []struct{ transactions, items, average int }{
		{20_000, 1000, 3}, {10_000, 1000, 10}, {20_000, 4000, 6},
	} {
		in := shop(c.transactions, c.items, c.average, 5)
		in.Workers = 1
		for _, a := range []anonymize.Algorithm{
			global.AA{}, global.VPA{}, exact.Algorithm{}, partition.Algorithm{},
		} {
			bounded(t, in, a)
		}
		for _, in.Workers = range []int{1, 2} {
			for _, in.Promise.M = range []int{2, 3} {
				bounded(t, in, local.Algorithm{})
			}
		}
	}
}

// Long lines with one level of labels: pairs of labels are many times the occurrences.
func TestNeedOnOneLevel(t *testing.T) {
	in := shop(1_000, 1000, 150, 1000)
	for _, in.Workers = range []int{1, 2} {
		for _, in.Promise.M = range []int{2, 3} {
			bounded(t, in, local.Algorithm{})
		}
	}
}

// bounded tells what an algorithm holds beside what is foretold of it.
func bounded(t *testing.T, in anonymize.Input, a anonymize.Algorithm) {
	t.Helper()
	run := func() {
		if _, err := a.Anonymize(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	took, foretold := held(run), in.Foretold(a)
	for range 2 {
		if foretold > 16*took { // on a busy machine the most may have been missed
			took = max(took, held(run))
		}
	}
	told := fmt.Sprintf("%s, %d workers, m=%d, %d occurrences: %d kB are held, %d foretold",
		a.Name(), in.Workers, in.Promise.M, in.Data.Occurrences(), took>>10, foretold>>10)
	if t.Log(told); took > foretold || foretold > 16*took {
		t.Error(told)
	}
}
