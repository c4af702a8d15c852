package anonymize

import (
	"context"
	"sync"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/release"
)

// Problem is an input that was checked, with what several algorithms would otherwise each make of
// it: the transactions with equal ones merged, and what publishing at a node loses. What is made,
// is made when it is first asked for, and must not be changed. It is safe for concurrent use.
type Problem struct {
	Input

	// Merged is the transactions, equal ones merged by their items alone.
	Merged func() *dataset.Merged
	// Counted is what supports are counted in: Merged or, where Memory leaves no room for a copy,
	// the transactions as they are; where the unit is a person, transactions merged as far as that
	// leaves the numbers of persons as they are.
	Counted func() *dataset.Merged
	// Told is the transactions merged where they agree in sensitive items, too, and these of each;
	// without l-diversity it is Merged, and nil. It is not for promises of persons.
	Told func() Told
	// Losses has, for every node, what publishing all occurrences below it as the node loses: NCP
	// times |I| and all occurrences, so that losses compare exactly.
	Losses func() []int64
}

// Told is merged transactions and their sensitive items.
type Told struct {
	Merged    *dataset.Merged
	Sensitive *dataset.Dataset
}

// NewProblem checks an input.
func NewProblem(in Input) (*Problem, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	p := &Problem{Input: in}
	p.Merged = sync.OnceValue(func() *dataset.Merged {
		return dataset.MergeBy(in.Data, in.WorkerCount())
	})
	p.Counted = sync.OnceValue(func() *dataset.Merged {
		copied := 4*int64(in.Data.Occurrences()) + 12*int64(in.Data.Len())
		switch {
		case in.Promise.Persons:
			return dataset.MergeUnits(in.Data, in.Persons)
		case in.Memory > 0 && copied > in.Memory/4:
			return dataset.Unmerged(in.Data)
		}
		return p.Merged()
	})
	p.Told = sync.OnceValue(func() Told {
		if !in.Promise.Diverse() {
			return Told{Merged: p.Merged()}
		}
		merged, sensitive := MergeSensitive(in)
		return Told{merged, sensitive}
	})
	p.Losses = sync.OnceValue(func() []int64 { return LossesOf(in.Tree, in.Data.Supports()) })
	return p, nil
}

// LossesOf is what publishing everything below each node as the node loses (see Problem.Losses),
// given the supports of the leaves.
func LossesOf(t *hierarchy.Tree, supports []int) []int64 {
	before := make([]int64, t.Leaves()+1) // the occurrences of the leaves before each
	for leaf, n := range supports {
		before[leaf+1] = before[leaf] + int64(n)
	}
	out := make([]int64, t.Nodes())
	for u := int32(t.Leaves()); int(u) < t.Nodes(); u++ {
		lo, hi := t.Range(u)
		out[u] = (before[hi] - before[lo]) * int64(t.LeafCount(u))
	}
	return out
}

// Solver is implemented by algorithms that take a problem that others may take, too.
type Solver interface {
	Algorithm
	Solve(ctx context.Context, p *Problem) (*release.Generalized, error)
}

// Solve has an algorithm solve the problem, if it can keep the promise at all.
func (p *Problem) Solve(ctx context.Context, a Algorithm) (*release.Generalized, error) {
	if err := Keeps(a, p.Promise); err != nil {
		return nil, err
	}
	if s, is := a.(Solver); is {
		return s.Solve(ctx, p)
	}
	return a.Anonymize(ctx, p.Input)
}

// Solve makes a problem of an input and has it solved: Anonymize of a Solver.
func Solve(ctx context.Context, in Input, s Solver) (*release.Generalized, error) {
	if err := Keeps(s, in.Promise); err != nil {
		return nil, err
	}
	p, err := NewProblem(in)
	if err != nil {
		return nil, err
	}
	return s.Solve(ctx, p)
}
