package local

import (
	"context"
	"math"
)

// diverse is a release that keeps l^m-diversity, made of one that does not. Where breaches are so
// many that this fails, or loses much, releases are tried for a larger k: among more lines a
// sensitive item is rarer beside a set by chance.
func (s *search) diverse(st *state) *state {
	d := newDiversity(s.in.Promise.L, s.sensitive)
	k, base := st.k, st.loss
	var best, last *state
	for most := k; ; most *= 2 {
		if most > k {
			in := s.in
			in.Promise.K = most
			stricter := newSearchOf(s.ctx, in, s.effort, s.lines)
			stricter.budget = s.budget
			st = stricter.run()
			st.k = k
		}
		kept := s.newUpholder(st, d).uphold()
		if kept && best != nil && best.loss <= st.loss {
			break
		}
		if last = st; kept {
			best = st
		}
		little := kept && (st.loss-base)*muchLost <= base
		if little || 2*most > s.merged.Len() || s.ctx.Err() != nil {
			break
		}
	}
	if best == nil {
		s.newUpholder(last, d).giveWay()
		best = last
	}
	return best
}

// muchLost: where diversity adds more than this part to the loss, a larger k is tried.
const muchLost = 5

// complete makes a release keep condition (c) of docs/definitions.md, and still diversity, unless
// the context ends.
func (s *search) complete(ctx context.Context, st *state) {
	d := noDiversity(st.merged.Len())
	if s.sensitive != nil {
		d = newDiversity(s.in.Promise.L, s.sensitive)
	}
	st.limit = math.MaxInt64 / 4
	u := s.newUpholder(st, d)
	for ctx.Err() == nil {
		u.makeCompatible(ctx)
		if len(u.find.all()) == 0 {
			return
		}
		u.giveWay()
	}
}
