package local

import "context"

// meter counts the work of one goroutine, in units of some ten nanoseconds, and tells when it is to
// stop: at its limit, or with its context. Work is counted in operations, so that a search ends at
// the same place on every machine.
type meter struct {
	ctx   context.Context
	work  int64
	limit int64 // no step is begun beyond it
}

// What is done in a step, in units of work: a node of a row that is counted is one, besides
// considered for each transaction that is considered, counted for each row that is counted, and
// committed for each that is committed. Nodes met while larger sets are counted are metAUnit to the
// unit.
const (
	considered = 6
	counted    = 8
	committed  = 6
	metAUnit   = 4
)

func (m *meter) add(work int) { m.work += int64(work) }

// stopped tells whether the context has ended: a step under way is given up then.
func (m *meter) stopped() bool { return m.ctx.Err() != nil }

// spent tells whether no further step is to be begun.
func (m *meter) spent() bool { return m.work > m.limit || m.stopped() }
