package local

import "context"

// meter counts the work of one goroutine, in units of some ten nanoseconds, and tells when it is to
// stop. Work is counted in operations, so that a search ends at the same place on every machine.
type meter struct {
	ctx   context.Context
	work  int64
	limit int64 // of the work, after which no step is begun
}

// What is done in a step, in units of work (a node of a row is counted): a transaction is
// considered, a row is counted or committed. As many nodes as met are one unit when they are met
// while sets of three are counted.
const (
	considered = 6
	counted    = 8
	committed  = 6
	met        = 4
)

// stopped tells whether the context has ended: a step under way is given up then. What looks at
// sets of three or more asks: in one step on long lines there can be more of them than in hours.
func (m *meter) stopped() bool { return m.ctx.Err() != nil }

// spent tells whether no further step is to be begun.
func (m *meter) spent() bool { return m.work > m.limit || m.stopped() }
