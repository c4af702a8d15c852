package cluster

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mingle/anonymize"
	"mingle/cluster/engine"
	"mingle/cluster/split"
	"mingle/internal/memory"
)

// WorkerMemory is how many bytes a worker may hold where nothing else is said.
const WorkerMemory = 2 << 30

// CheckParts refuses what parts cannot keep, or are not for.
func (r Release) CheckParts() error {
	_, is := parted[r.Algorithm]
	switch {
	case !is && (r.Parts != 0 || r.WorkerMemory != 0 || r.Seed != nil):
		return fmt.Errorf("%s does not deal lines into parts, and leaves nothing to chance",
			r.Algorithm)
	case r.Parts < 0 || r.WorkerMemory < 0:
		return errors.New("parts, and the memory of a worker, cannot be negative")
	case r.Algorithm == "local" && r.Layout.Person != "" && len(r.Layout.Sensitive) > 0:
		return errors.New("on a cluster local hides no sensitive items of persons: choose aa, exact, " +
			"vpa or partition")
	}
	return nil
}

// inParts writes the release of an algorithm that works on parts to a folder: the lines are
// numbered, dealt, made the release of, and put back into their order.
func (m *making) inParts(ctx context.Context, stage string) (_ *total, parts int, _ error) {
	if m.WorkerMemory == 0 {
		m.WorkerMemory = WorkerMemory
	}
	seed := m.Seed
	if seed == nil {
		seed = new([32]byte)
	}
	if parted[m.Algorithm].chance && m.Seed == nil {
		rand.Read(seed[:])
	}
	for tries := 0; ; tries++ { // a machine that comes or goes may cut the files otherwise
		folder := m.stage(partsPrefix) + nonce()
		deal := &Deal{
			Algorithm: m.Algorithm, M: m.Promise.M, L: m.Promise.L, Seed: seed[:],
			PersonShare: m.Promise.PersonShare,
		}
		lines, err := m.Engine.Private(ctx, folder)
		var seen *total
		if err == nil {
			seen, err = m.parts(ctx, lines, deal)
		}
		if err == nil {
			m.placedFiles, err = m.ordered(ctx, lines, stage)
		}
		if err == nil && m.Layout.Person != "" {
			m.placed = folder // the judge asks whose each line is
		} else {
			err = errors.Join(err, m.Engine.Remove(context.WithoutCancel(ctx), folder))
		}
		if err == nil || tries == 2 || !strings.Contains(err.Error(), split.Moved) {
			return seen, len(deal.Parts), err
		}
	}
}

// plan is that of a step.
func (m *making) plan(d *Deal) []byte {
	return Plan{
		Protocol: Protocol, Version: m.Version, Layout: m.Layout, K: int64(m.Promise.K), Deal: d,
		Salt: m.salt,
	}.encode()
}

// run has lines told of the input.
func (m *making) run(ctx context.Context, verb string, d *Deal) ([]string, error) {
	job := engine.Job{Name: verb, Input: m.files, Origin: true, Plan: m.plan(d), Map: verb}
	if verb == "sizes" && m.Layout.Person != "" {
		job.By = "deal"
	}
	return m.Engine.Run(ctx, job)
}

// parts writes the lines of the releases of all parts, in any order.
func (m *making) parts(ctx context.Context, folder string, d *Deal) (*total, error) {
	m.Progress("numbering the lines")
	told, err := m.run(ctx, "count", d)
	if err == nil {
		d.Numbers, err = split.Number(told, m.Version, m.files)
	}
	if err != nil {
		return nil, err
	}
	hands, err := m.deal(ctx, d)
	if err != nil {
		return nil, err
	}
	seen := &total{}
	for _, h := range hands {
		seen.Lines += h.lines
		seen.Occurrences += h.occurrences
	}
	m.Progress(fmt.Sprintf("anonymizing %d parts", len(d.Parts)))
	_, err = m.Engine.Run(ctx, engine.Job{
		Name: "anonymize", Input: m.files, Origin: true, Plan: m.plan(d), By: "deal",
		Map: "anonymize", Output: folder, Memory: m.WorkerMemory,
	})
	return seen, err
}

// ordered writes the release from the lines of parts, and says in which files these are.
func (m *making) ordered(
	ctx context.Context, folder, stage string,
) (names []string, err error) {
	m.Progress("publishing")
	files, err := m.Engine.Files(ctx, folder)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		names = append(names, f.Path)
	}
	_, err = m.Engine.Run(ctx, engine.Job{
		Name: "publish", Input: names, Plan: m.plan(&Deal{}), Map: "place", Output: stage,
		Placed: m.Layout.Person == "", Sorted: m.Layout.Person != "", Table: m.Table,
	})
	return names, err
}

// deal decides on the parts: as few as fit in a worker's memory, or as many as were asked for.
func (m *making) deal(ctx context.Context, d *Deal) ([]hand, error) {
	for {
		m.Progress("dealing the lines into parts")
		told, err := m.run(ctx, "sizes", d)
		if err != nil {
			return nil, err
		}
		hands, err := handsOf(told, m.Version, len(m.Layout.Sensitive))
		if err != nil {
			return nil, err
		}
		var all hand
		for _, h := range hands {
			all.add(h)
		}
		if lines := d.Numbers.Lines(len(m.files)); lines != all.lines {
			return nil, defect("%d lines were counted, and then %d", lines, all.lines)
		}
		if err := m.admits(all); err != nil {
			return nil, err
		}
		large := func(h hand) bool { return m.held(h) > m.WorkerMemory }
		if m.Parts > 0 {
			share := (all.occurrences + int64(m.Parts) - 1) / int64(m.Parts)
			large = func(h hand) bool { return m.held(h) > m.WorkerMemory || h.occurrences > share }
		}
		var parts []hand
		if parted[m.Algorithm].chance || m.Layout.Person != "" {
			parts, d.Of, err = m.byChance(hands, all)
		} else {
			more := false
			for _, h := range hands {
				if at, is := slices.BinarySearch(d.Splits, h.id); large(h) && !is {
					d.Splits, more = slices.Insert(d.Splits, at, h.id), true
				}
			}
			if more && len(d.Splits) < mostSplits {
				continue
			}
			parts, d.Of, err = m.byLikeness(hands, large)
		}
		if err != nil {
			return nil, err
		}
		d.Hands, d.Parts = nil, nil
		for _, h := range hands {
			d.Hands = append(d.Hands, h.id)
		}
		for _, p := range parts {
			d.Parts = append(d.Parts, Part{Lines: p.lines, Sum: p.sum})
		}
		return hands, nil
	}
}

// mostSplits bounds how often hands are split.
const mostSplits = 1 << 12

// ofWorker is what a worker holds beside its part: the program, the hierarchy, and what it reads
// and writes by.
const ofWorker = 64 << 20

// held is how many bytes a worker holds for a part.
func (m *making) held(h hand) int64 {
	in := anonymize.Input{Promise: m.Promise, Tree: m.tree}
	_, alone := parted[m.Algorithm].Traits().Need(in)
	return ofWorker + alone.Bytes(h.occurrences, h.pairs) + 16*(h.occurrences+h.secrets) +
		32*h.lines
}

// admits refuses sensitive items that nothing has, and lines that cannot keep the promise.
func (m *making) admits(all hand) error {
	if !m.AllowUnknown {
		err := m.Layout.Known(func(x int) bool { return all.sensitive[int32(x)].all > 0 })
		if err != nil {
			return err
		}
	}
	return all.keeps(m.tree, m.Promise, m.Layout.Sensitive)
}

// feasible tells whether a part can keep the promise by itself.
func (m *making) feasible(h hand) bool {
	return h.keeps(m.tree, m.Promise, m.Layout.Sensitive) == nil
}

// short is the error where a part does not fit.
func (m *making) short(h hand) error {
	return fmt.Errorf("a part of %d lines would need about %s of a worker, which may hold %s: give "+
		"it more with --worker-memory, or make more parts with --parts; nothing was done", h.lines,
		memory.Size(m.held(h)), memory.Size(m.WorkerMemory))
}

// byChance makes parts of hands that were dealt by chance, of the same number of hands each, about.
// Where a part could not keep the promise by itself there are fewer.
func (m *making) byChance(hands []hand, all hand) (parts []hand, of []int32, err error) {
	n := m.Parts
	if n == 0 {
		n = int(max(1, min(all.lines, m.held(all)/m.WorkerMemory)))
	}
	for n = min(n, chances); ; n++ {
		parts, of = make([]hand, n), make([]int32, len(hands))
		for i, h := range hands {
			of[i] = int32(h.id * uint64(n) / chances)
			parts[of[i]].add(h)
		}
		largest := slices.MaxFunc(parts, func(a, b hand) int {
			return cmp.Compare(m.held(a), m.held(b))
		})
		switch {
		case n > 1 && slices.ContainsFunc(parts, func(p hand) bool { return !m.feasible(p) }):
			if m.Parts == 0 {
				return nil, nil, m.short(all)
			}
			n = max(1, n/2) - 1
		case m.held(largest) <= m.WorkerMemory:
			return parts, of, nil
		case m.Parts > 0 || n == chances:
			return nil, nil, m.short(largest)
		}
	}
}

// byLikeness packs hands of like lines into parts, large ones first, each into the first part that
// has room. Parts that could not keep the promise by themselves are put together.
func (m *making) byLikeness(
	hands []hand, large func(hand) bool,
) (parts []hand, of []int32, err error) {
	order := make([]int, len(hands))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(hands[b].occurrences, hands[a].occurrences)
	})
	of = make([]int32, len(hands))
	for _, i := range order {
		at := slices.IndexFunc(parts, func(p hand) bool {
			p.sensitive = nil // which is that of the part
			p.add(hands[i])
			return !large(p)
		})
		if at < 0 {
			at, parts = len(parts), append(parts, hand{})
		}
		parts[at].add(hands[i])
		of[i] = int32(at)
	}
	for len(parts) > 1 {
		bad := slices.IndexFunc(parts, func(p hand) bool { return !m.feasible(p) })
		if bad < 0 {
			break
		}
		bad = max(1, bad)
		parts[bad-1].add(parts[bad])
		parts = slices.Delete(parts, bad, bad+1)
		for i, p := range of {
			if int(p) >= bad {
				of[i]--
			}
		}
	}
	for _, p := range parts {
		if m.held(p) > m.WorkerMemory {
			return nil, nil, m.short(p)
		}
	}
	return parts, of, nil
}
