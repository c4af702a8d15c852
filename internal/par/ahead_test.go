package par

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// What is emitted is used in order, all of it, whatever the workers.
func TestAheadIsInOrder(t *testing.T) {
	for _, workers := range []int{0, 1, 2, 5, 100} {
		for _, n := range []int{0, 1, 40} {
			var got, want [][2]int
			for i := range n {
				for j := range i {
					want = append(want, [2]int{i, j})
				}
			}
			err := Ahead(t.Context(), workers, n, func(int) int { return 0 },
				func(_ context.Context, _, i int, emit func(int)) {
					for j := range i {
						emit(j)
					}
				},
				func(i, j int) error {
					got = append(got, [2]int{i, j})
					return nil
				})
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%d workers: %v, %v, want %v", workers, err, got, want)
			}
		}
	}
}

// It ends with the first error of use, and with its context.
func TestAheadEnds(t *testing.T) {
	why := errors.New("enough")
	for _, workers := range []int{1, 3} {
		emitAll := func(_ context.Context, _ struct{}, _ int, emit func(int)) {
			for j := range 100 {
				emit(j)
			}
		}
		space := func(int) struct{} { return struct{}{} }
		used := 0
		err := Ahead(t.Context(), workers, 30, space, emitAll, func(i, _ int) error {
			if used++; i == 7 {
				return why
			}
			return nil
		})
		if !errors.Is(err, why) || used != 701 {
			t.Errorf("%d workers: %v after %d, want %v after 701", workers, err, used, why)
		}
		ctx, stop := context.WithCancelCause(t.Context())
		err = Ahead(ctx, workers, 30, space, emitAll, func(i, _ int) error {
			if i == 7 {
				stop(why)
			}
			return nil
		})
		if !errors.Is(err, why) {
			t.Errorf("%d workers: %v, want %v", workers, err, why)
		}
	}
}

func TestAheadPanicsWhereItWasCalled(t *testing.T) {
	for _, workers := range []int{1, 3} {
		func() {
			defer func() {
				if p := recover(); p != "boom" {
					t.Errorf("recovered %v, want boom", p)
				}
			}()
			_ = Ahead(t.Context(), workers, 30, func(int) struct{} { return struct{}{} },
				func(_ context.Context, _ struct{}, i int, emit func(int)) {
					if emit(i); i == 5 {
						panic("boom")
					}
				}, func(int, int) error { return nil })
			t.Error("no panic")
		}()
	}
}
