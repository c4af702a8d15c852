package par

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
)

func TestEachDoesEveryPieceOnce(t *testing.T) {
	for _, workers := range []int{0, 1, 3, 100} {
		done := make([]atomic.Int32, 57)
		err := Each(t.Context(), workers, len(done), func(_ context.Context, i int) error {
			done[i].Add(1)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range done {
			if done[i].Load() != 1 {
				t.Errorf("%d workers: piece %d done %d times", workers, i, done[i].Load())
			}
		}
	}
}

func TestEachReturnsTheFirstError(t *testing.T) {
	err := Each(t.Context(), 1, 10, func(_ context.Context, i int) error {
		if i >= 3 {
			return fmt.Errorf("piece %d", i)
		}
		return nil
	})
	if err == nil || err.Error() != "piece 3" {
		t.Errorf("got %v, want piece 3", err)
	}
}

func TestEachStopsWithTheContext(t *testing.T) {
	why := errors.New("stop")
	ctx, stop := context.WithCancelCause(t.Context())
	n := 0
	err := Each(ctx, 1, 10, func(context.Context, int) error {
		n++
		stop(why)
		return nil
	})
	if !errors.Is(err, why) || n != 1 {
		t.Errorf("%v after %d pieces", err, n)
	}
}

func TestEachPanicsWhereItWasCalled(t *testing.T) {
	defer func() {
		if p := recover(); p != "boom" {
			t.Errorf("recovered %v, want boom", p)
		}
	}()
	_ = Each(t.Context(), 3, 10, func(_ context.Context, i int) error {
		if i == 2 {
			panic("boom")
		}
		return nil
	})
}

func TestGroupPanicsWhereItIsWaitedFor(t *testing.T) {
	var done atomic.Int32
	defer func() {
		if p := recover(); p != "boom" || done.Load() != 2 {
			t.Errorf("recovered %v after %d goroutines, want boom after 2", p, done.Load())
		}
	}()
	var g Group
	g.Go(func() { done.Add(1) })
	g.Go(func() {
		if g.Try(func() { panic("boom") }) {
			t.Error("a function that panicked has returned")
		}
		done.Add(1)
	})
	g.Wait()
}

func TestEachInHasSpaceOfItsOwn(t *testing.T) {
	const workers, n = 3, 200
	counts := make([][]int, workers) // pieces, by goroutine
	err := EachIn(context.Background(), workers, n,
		func(w int) *[]int { return &counts[w] },
		func(_ context.Context, own *[]int, i int) error {
			*own = append(*own, i)
			return nil
		})
	var all []int
	for _, own := range counts {
		all = append(all, own...)
	}
	if slices.Sort(all); err != nil || len(all) != n || all[0] != 0 || all[n-1] != n-1 {
		t.Errorf("%v: %v", err, all)
	}
}
