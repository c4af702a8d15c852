package local

import (
	"context"
	"fmt"
	"runtime/metrics"
	"testing"
	"time"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/soak"
	"mingle/privacy"
)

// equalLines are lines that all have every second of some items, ten items to a group.
func equalLines(t *testing.T, lines, items, m int) anonymize.Input {
	t.Helper()
	b := hierarchy.NewBuilder()
	for i := range items {
		if err := b.Path([]string{fmt.Sprint(i), fmt.Sprintf("g%d", i/10), "*"}, 0); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := b.Build(hierarchy.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	data := dataset.NewBuilder(tree.LeafDict())
	for range lines {
		var tx []int32
		for i := 0; i < items; i += 2 {
			tx = append(tx, int32(i))
		}
		data.Add(tx)
	}
	return anonymize.Input{Data: data.Build(), Tree: tree, Promise: privacy.KM{K: 2, M: m}}
}

// allocated is how many bytes the program has asked for so far.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// Five lines with every second item of 300, 600 or 1,000 have up to 20 million sets of three each.
// What is counted of them was bounded after each line only, and took 1.1 GB for 600 items and 9.3
// GB for 1,000.
func TestSupportsAreBoundedWithinALine(t *testing.T) {
	oneGoroutine(t)
	for _, items := range []int{300, 600, 1000, 10_000}[:soak.Share(3, 4)] {
		in := equalLines(t, 5, items, 3)
		before := allocated()
		a := Algorithm{Budget: anonymize.Budget{TimeLimit: 5 * time.Second}}
		g, err := a.Anonymize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if used := allocated() - before; used > 512<<20 {
			t.Errorf("%d items: %d MB were asked for", items, used>>20)
		}
		if g.Data.Len() != 5 {
			t.Error("lines are missing")
		}
	}
}

// A step ends with its context also when it is in the midst of the sets of three or more of long
// lines.
func TestStepEndsWithItsContext(t *testing.T) {
	oneGoroutine(t)
	for _, m := range []int{3, 4, 6} {
		in := equalLines(t, 40, 4000, m)
		// Each line lacks another item, so that they are not merged.
		b := dataset.NewBuilder(in.Data.Dict())
		for i := range in.Data.Len() {
			b.Add(append([]int32(nil), in.Data.Tx(i)[i+1:]...))
		}
		in.Data = b.Build()
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		ended := make(chan time.Time, 1)
		go func() {
			_, _ = (Algorithm{}).Anonymize(ctx, in)
			ended <- time.Now()
		}()
		<-ctx.Done()
		told := time.Now()
		// A minute is for a busy machine: without a look at the context it would be hours.
		select {
		case at := <-ended:
			t.Logf("m=%d: %v after the end", m, at.Sub(told))
		case <-time.After(time.Minute):
			t.Errorf("m=%d: it goes on", m)
		}
		cancel()
	}
}

// Counts of one more transaction than is taken would reach the mark of pairs that are in the list
// of rare ones.
func TestCountableAtTheBoundary(t *testing.T) {
	if countable(queued-1) != nil || countable(queued) == nil || int64(wide) < queued {
		t.Errorf("%v, %v", countable(queued-1), countable(queued))
	}
	p := pairs{n: 2, counts: make([]int32, 4)}
	r := pair{0, 1}
	*p.count(r) = maxTransactions
	if *p.count(r) >= queued {
		t.Error("the greatest count looks queued")
	}
	// the last but k leave one by one, and of the rest the pair is noted once
	for _, k := range []int32{2, maxTransactions} {
		p.rare, *p.count(r) = nil, k+1
		p.take(p.count(r), r, 1, k)
		p.take(p.count(r), r, 1, k)
		p.take(p.count(r), r, 1, k)
		if len(p.rare) != 1 {
			t.Errorf("k=%d: noted %d times", k, len(p.rare))
		}
	}
}
