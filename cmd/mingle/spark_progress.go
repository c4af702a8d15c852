package main

import (
	"fmt"
	"sync"

	"mingle/cluster/spark"
)

// sparkProgress shows what is being done, and how far Spark is with it.
type sparkProgress struct {
	console *console

	mu    sync.Mutex
	stage string
}

func (p *sparkProgress) begin(stage string) {
	p.mu.Lock()
	p.stage = stage
	p.mu.Unlock()
	p.console.progress(stage, 0, 0)
}

// tasks is called while begin may be.
func (p *sparkProgress) tasks(t spark.Tasks) {
	p.mu.Lock()
	stage := p.stage
	p.mu.Unlock()
	p.console.progress(fmt.Sprintf("%s (tasks of stage %d)", stage, t.Stage), t.Done, t.Total)
}
