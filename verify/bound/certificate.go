// Package bound checks proofs that no global recoding that keeps a promise loses less than some
// bound: a certificate of the project's own, whole, and the pseudo-Boolean program of which an
// outside checker proves the bound. It is written from the definitions, imports no anonymization
// code, and counts for itself.
//
// A check returns a finding and an error. An error means that the check could not be made. Holds
// == false means that the bound is not shown, and Fault says why.
package bound

import (
	"context"
	"errors"
	"fmt"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/release"
)

// Input is what a bound is about: the original data, and the promise.
type Input struct {
	// Data has leaf ids of Tree as items.
	Data *dataset.Dataset
	Tree *hierarchy.Tree
	// Persons has, of every transaction, the person that it is of, numbered from 0; -1: of nobody
	// known. The unit is a person then; nil: a transaction.
	Persons []int32
	// K and M are those of the promise.
	K, M int
}

// check refuses what no proof can be checked against: with data of another hierarchy other sets
// would be counted than the proof names.
func (in Input) check() error {
	if err := in.Tree.CheckBound(in.Data); err != nil {
		return fmt.Errorf("bound: %w", err)
	}
	if in.Persons != nil && len(in.Persons) != in.Data.Len() {
		return fmt.Errorf("bound: the persons of %d lines are given, and the original has %d",
			len(in.Persons), in.Data.Len())
	}
	return nil
}

// errNoProof is that of a certificate, or a program, that is nil.
var errNoProof = errors.New("bound: no proof is given")

// CertificateFinding is the verdict on a proof that no global recoding with the promise loses less
// than it says.
type CertificateFinding struct {
	Holds   bool    `json:"holds"`
	NCP     float64 `json:"ncp"` // the bound
	Clauses int     `json:"clauses"`
	Steps   int     `json:"steps"` // nodes of the proof that were checked
	Fault   string  `json:"fault,omitempty"`
}

// Certificate checks a certificate against the original data and the promise. It counts every
// clause anew and checks the proof step by step; nothing of the run that made it is used or
// believed.
//
// Why a clause holds. Let J be at most m unrelated nodes, in s transactions, 0 < s < k, and take a
// cut that keeps the promise. Were no node of J below the cut's nodes, that is, were every node of
// J at the cut or above it, then a transaction that has J would be published with a node at or
// below each of J's: a set of at most m published nodes, which only transactions that have J can
// have, so it would occur, and in fewer than k. Hence the cut is above some node of J, so at its
// parent or above.
//
// Where the unit is a person, s is the number of distinct persons with one of the transactions that
// have J, of which there must be any. The argument is the same.
func Certificate(
	ctx context.Context, in Input, c *release.Certificate,
) (*CertificateFinding, error) {
	if c == nil {
		return nil, errNoProof
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	f := &CertificateFinding{Clauses: len(c.Clauses)}
	p, err := newProofCheck(ctx, in, c)
	if err == nil {
		err = p.parameters()
	}
	if err == nil {
		err = p.clauses()
	}
	if err == nil {
		err = p.whole()
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		f.Fault = err.Error()
		return f, nil
	}
	f.Holds, f.Steps = true, p.steps
	if all := float64(in.Data.Occurrences()) * float64(in.Tree.Leaves()); all > 0 {
		f.NCP = float64(c.Loss()) / all
	}
	return f, nil
}

// maxPenalty bounds penalties, and multipliers, so that no sum of them overflows.
const maxPenalty = 1 << 60

// proofCheck is one check under way. Inner nodes are numbered from 0 in the order of their ids:
// children before parents.
type proofCheck struct {
	ctx    context.Context
	in     Input
	cert   *release.Certificate
	parent []int32
	weight []int64   // what lifting a node adds once everything below it is lifted
	sets   [][]int32 // for each clause the inner nodes of which one is lifted
	steps  int
}

func newProofCheck(ctx context.Context, in Input, c *release.Certificate) (*proofCheck, error) {
	p, t := &proofCheck{ctx: ctx, in: in, cert: c}, in.Tree
	if c.Scale < 1 || c.Scale > 1 && c.Scale <= int64(t.Leaves()) {
		return nil, fmt.Errorf("the scale (%d) must be 1 or more than the number of leaves (%d)",
			c.Scale, t.Leaves())
	}
	if float64(in.Data.Occurrences()+1)*float64(t.Leaves())*float64(c.Scale) > maxPenalty {
		return nil, errors.New("the scale is too large for this data")
	}
	penalty := make([]int64, t.Nodes()) // of publishing everything below a node as that node
	for leaf, n := range in.Data.Supports() {
		for u := int32(leaf); u >= 0; u = t.Parent(u) {
			if !t.IsLeaf(u) {
				penalty[u] += c.Scale * int64(t.LeafCount(u)) * int64(n)
			}
		}
	}
	for u := int32(t.Leaves()); int(u) < t.Nodes(); u++ {
		if c.Scale > 1 {
			penalty[u] += int64(t.LeafCount(u))
		}
		added := penalty[u]
		for _, child := range t.Children(u) {
			added -= penalty[child]
		}
		p.weight = append(p.weight, added)
		p.parent = append(p.parent, max(-1, t.Parent(u)-int32(t.Leaves())))
	}
	return p, nil
}

func (p *proofCheck) parameters() error {
	if p.cert.K != p.in.K {
		return fmt.Errorf("the certificate is for k=%d, not %d", p.cert.K, p.in.K)
	}
	if p.cert.M > p.in.M {
		return fmt.Errorf("the certificate is for m=%d: it says nothing about the smaller %d",
			p.cert.M, p.in.M)
	}
	return nil
}

// clauses counts every clause anew.
func (p *proofCheck) clauses() error {
	lists, err := p.transactionsOf()
	if err != nil {
		return err
	}
	for i, c := range p.cert.Clauses {
		if i%1024 == 0 && p.ctx.Err() != nil {
			return p.ctx.Err()
		}
		lines := common(lists, c.Nodes)
		support, in := len(lines), "transactions"
		if p.in.Persons != nil {
			support, in = p.distinct(lines), "transactions of different persons"
		}
		if support != c.Support {
			return fmt.Errorf("clause %d %s is said to be in %d "+in+" and is in %d", i+1,
				p.names(c.Nodes), c.Support, support)
		}
		if len(lines) == 0 || support >= p.cert.K {
			return fmt.Errorf("clause %d %s is in %d transactions, which proves nothing for k=%d",
				i+1, p.names(c.Nodes), support, p.cert.K)
		}
		set := make([]int32, len(c.Nodes))
		for j, u := range c.Nodes {
			set[j] = p.in.Tree.Parent(u) - int32(p.in.Tree.Leaves())
		}
		p.sets = append(p.sets, p.lowest(set))
	}
	return nil
}

// transactionsOf lists the transactions of every node that stands in a clause, and checks the
// clauses' form.
func (p *proofCheck) transactionsOf() (map[int32][]int32, error) {
	lists := map[int32][]int32{}
	for i, c := range p.cert.Clauses {
		if len(c.Nodes) == 0 || len(c.Nodes) > p.cert.M {
			return nil, fmt.Errorf("clause %d has %d nodes; it must have 1 to %d", i+1,
				len(c.Nodes), p.cert.M)
		}
		for j, u := range c.Nodes {
			if u < 0 || u >= p.in.Tree.Root() {
				return nil, fmt.Errorf("clause %d names a node that cannot be lifted", i+1)
			}
			for _, v := range c.Nodes[:j] {
				if p.in.Tree.Related(u, v) {
					return nil, fmt.Errorf("clause %d %s has a node above another", i+1,
						p.names(c.Nodes))
				}
			}
			lists[u] = nil
		}
	}
	last := make([]int32, p.in.Tree.Nodes())
	for i, tx := range p.in.Data.All() {
		for _, leaf := range tx {
			for u := leaf; u >= 0 && last[u] != int32(i)+1; u = p.in.Tree.Parent(u) {
				last[u] = int32(i) + 1
				if list, ok := lists[u]; ok {
					lists[u] = append(list, int32(i))
				}
			}
		}
	}
	return lists, nil
}

// common are the transactions in all lists of the nodes.
func common(lists map[int32][]int32, nodes []int32) []int32 {
	if len(nodes) == 1 {
		return lists[nodes[0]]
	}
	heads := make([][]int32, len(nodes))
	for i, u := range nodes {
		heads[i] = lists[u]
	}
	var out []int32
next:
	for _, i := range heads[0] {
		for h, list := range heads[1:] {
			for len(list) > 0 && list[0] < i {
				list = list[1:]
			}
			heads[h+1] = list
			if len(list) == 0 {
				return out
			}
			if list[0] != i {
				continue next
			}
		}
		out = append(out, i)
	}
	return out
}

// nobody is the person of a transaction of nobody known.
const nobody = -1

// distinct is the number of persons of some transactions.
func (p *proofCheck) distinct(transactions []int32) int {
	met := map[int32]bool{}
	for _, i := range transactions {
		if who := p.in.Persons[i]; who != nobody {
			met[who] = true
		}
	}
	return len(met)
}

// lowest drops nodes that have another of the set below them: if they are lifted, so is that one.
func (p *proofCheck) lowest(set []int32) []int32 {
	var out []int32
	for i, a := range set {
		keep := true
		for j, b := range set {
			if a == b && j < i || a != b && p.atOrAbove(a, b) {
				keep = false
			}
		}
		if keep {
			out = append(out, a)
		}
	}
	return sorted(out)
}

func (p *proofCheck) atOrAbove(a, v int32) bool {
	for ; v >= 0; v = p.parent[v] {
		if v == a {
			return true
		}
	}
	return false
}

func (p *proofCheck) names(nodes []int32) string {
	s := "{"
	for i, u := range nodes {
		if i > 0 {
			s += ", "
		}
		s += p.in.Tree.Label(u)
	}
	return s + "}"
}
