package memory

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"
)

// A run that holds too much is told so, and again where it goes on.
func TestGuard(t *testing.T) {
	overrun := make(chan *Exceeded, 1)
	ctx, stop := Guard(context.Background(), 0, Some, func(e *Exceeded) { overrun <- e })
	defer stop()
	if ctx.Err() != nil {
		t.Fatal("it ended at once")
	}
	var kept [][]byte
	for ctx.Err() == nil && len(kept) < 1000 {
		block := make([]byte, 1<<20)
		for i := range block {
			block[i] = 1
		}
		kept = append(kept, block)
	}
	var why *Exceeded
	if !errors.As(context.Cause(ctx), &why) || why.Bound != Least {
		t.Fatalf("after %d MB: %v", len(kept), context.Cause(ctx))
	}
	if got := <-overrun; got != why {
		t.Errorf("%v", got)
	}
	runtime.KeepAlive(kept)
}

// What is garbage does not count: the collector has its turn first.
func TestGuardLetsGarbageGo(t *testing.T) {
	runtime.GC()
	ctx, stop := Guard(context.Background(), 256<<20, Some, func(e *Exceeded) { t.Error(e) })
	defer stop()
	var last []byte
	for range 2000 {
		last = make([]byte, 1<<20)
		last[0] = 1
	}
	time.Sleep(3 * look)
	if ctx.Err() != nil {
		t.Error(context.Cause(ctx))
	}
	runtime.KeepAlive(last)
}

func TestGuardEndsWithStop(t *testing.T) {
	ctx, stop := Guard(context.Background(), 1<<40, Some, nil)
	stop()
	var why *Exceeded
	if ctx.Err() == nil || errors.As(context.Cause(ctx), &why) {
		t.Error(context.Cause(ctx))
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{
		1: "1 MB", 500 << 20: "500 MB", 2 << 30: "2 GB",
		3 << 29: "1.5 GB", 47 << 30: "47 GB",
	} {
		if got := Size(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
