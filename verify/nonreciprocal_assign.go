package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"mingle/dataset"
)

// mostMatches are half a gigabyte.
const mostMatches = 128 << 20

// collect finds the groups that each distinct record matches, unless there are too many to hold.
func (j *matchJudge) collect(ctx context.Context) error {
	n, held := j.original.Len(), newHeld(cmp.Or(j.in.MostMatches, mostMatches))
	// What is spelled is held twice while it is turned round.
	spelled, adj, err := j.spell(ctx, held.most/2)
	if err != nil {
		return err
	}
	j.index.file(spelled)
	if spelled != nil {
		defer j.index.file(nil) // for whoever asks later
	}
	workers := newPool(j.in.Workers, j.in.Progress)
	found := make([][]int32, workers.workers)
	const block = 64
	err = workers.run(ctx, "matches", (n+block-1)/block, func(worker, b int) {
		for r := b * block; r < min(n, (b+1)*block) && held.fits(); r++ {
			groups := append(found[worker][:0], adj[r]...)
			j.index.groupsOf(j.original.Tx(r), func(g int32) bool {
				groups = append(groups, g)
				return true
			})
			found[worker] = groups
			if known := len(adj[r]); len(groups) > known {
				if known > 0 { // else they are in order
					slices.Sort(groups)
				}
				adj[r] = slices.Clone(groups)
			}
			held.add(len(groups))
		}
	})
	if err == nil && held.fits() {
		j.adj = adj
	}
	return err
}

// held counts what is held, on several goroutines, up to what may be.
type held struct {
	most int
	n    atomic.Int64
}

func newHeld(most int) *held { return &held{most: most} }

func (h *held) add(n int) { h.n.Add(int64(n)) }

func (h *held) fits() bool { return h.n.Load() <= int64(h.most) }

// assign looks for an assignment of all records to all published ones, and for one in which each
// record gets its own label.
func (j *matchJudge) assign(ctx context.Context) error {
	if j.in.Original.Len() != j.in.Published.Len() {
		return nil // a breach already
	}
	room := make([]int32, len(j.index.groups))
	for g, group := range j.index.groups {
		room[g] = int32(len(group.rows))
	}
	a := newAssignment(j.adj, slices.Clone(j.original.Weights), room)
	a.told = func(left int) {
		j.tell("assigning records", j.in.Original.Len()-left, j.in.Original.Len())
	}
	left, err := a.complete(ctx)
	if err != nil {
		return err
	}
	if left > 0 {
		records, groups := a.crowded()
		j.unassigned(records, groups, left)
		return nil
	}
	j.recordPart, j.groupPart = a.components()
	if j.in.Labels == nil || j.in.Published.Labels == nil {
		return nil
	}
	return j.assignLabels(ctx)
}

// unassigned is the breach of records that match too few published ones between them.
func (j *matchJudge) unassigned(records, groups []int32, left int) {
	have, need := 0, 0
	var rows []int32
	for _, r := range records {
		need += int(j.original.Weights[r])
	}
	for _, g := range groups {
		have += len(j.index.groups[g].rows)
		rows = append(rows, j.index.groups[g].rows...)
	}
	slices.Sort(rows)
	first := int(records[0])
	j.f.breach(int64(left), Breach{
		Kind: KindAssignment, Itemset: j.original.Labels(first), Support: have, Needed: need,
		Lines: j.lines(rows),
		Message: fmt.Sprintf("the published file is no release of this original: %d original "+
			"records, one of them {%s}, match only %d published records between them", need,
			strings.Join(j.original.Labels(first), ", "), have),
	})
}

// assignLabels looks for an assignment that keeps labels: for each label alone, of its records to
// its published records.
func (j *matchJudge) assignLabels(ctx context.Context) error {
	records, groups := j.byLabel()
	labels := make([]string, 0, len(records))
	for l := range records {
		labels = append(labels, l)
	}
	slices.SortFunc(labels, dataset.CompareLabels)
	local := make([]int32, len(j.index.groups)) // 1 + the number of a group among those of a label
	for _, label := range labels {
		of, weights := counted(records[label])
		targets := groups[label]
		room := make([]int32, len(targets))
		for i, t := range targets {
			local[t.source], room[i] = int32(i)+1, t.n
		}
		adj := make([][]int32, len(of))
		for i, r := range of {
			for _, g := range j.adj[r] {
				if at := local[g]; at > 0 {
					adj[i] = append(adj[i], at-1)
				}
			}
		}
		for _, t := range targets {
			local[t.source] = 0
		}
		left, err := newAssignment(adj, weights, room).complete(ctx)
		if err != nil {
			return err
		}
		if left > 0 {
			n := len(records[label])
			j.f.breach(int64(left), Breach{
				Kind: KindLabels, Itemset: []string{}, Sensitive: label, Support: n - left,
				Needed: n,
				Message: fmt.Sprintf("of the %d original records with label %q only %d can have a "+
					"published record with that label", n, label, n-left),
			})
		}
	}
	return nil
}

// byLabel are the distinct records of each label, as often as there are original ones, and the
// groups of each label with how many of their rows carry it.
func (j *matchJudge) byLabel() (records map[string][]int32, groups map[string][]units) {
	records, groups = map[string][]int32{}, map[string][]units{}
	for u, r := range j.original.Of {
		label := j.in.Labels[u]
		records[label] = append(records[label], r)
	}
	for g, group := range j.index.groups {
		for i, l := range group.labels {
			label := j.index.labels[l]
			groups[label] = append(groups[label], units{int32(g), group.carry[i]})
		}
	}
	return records, groups
}

// possible tells whether a record may stand behind a group that it matches.
func (j *matchJudge) possible(r, g int32) bool {
	return j.recordPart == nil || j.recordPart[r] == j.groupPart[g]
}

// countHeld counts the matches that are held and possible.
func (j *matchJudge) countHeld() {
	seen := make([]int32, len(j.index.labels)) // 1 + the last record a label was counted for
	for r, groups := range j.adj {
		for _, g := range groups {
			if !j.possible(int32(r), g) {
				continue
			}
			group := &j.index.groups[g]
			j.byRecord[r] += len(group.rows)
			j.byPublish[g] += int(j.original.Weights[r])
			for _, l := range group.labels {
				if seen[l] != int32(r)+1 {
					seen[l] = int32(r) + 1
					j.labelsOf[r]++
				}
			}
		}
	}
}

// shares judges, for l-diversity, the labels of each component: its records have them, so that the
// mean probability of a label over these records is its share, and somebody's is no less. Where
// components are not known, all is one.
func (j *matchJudge) shares() {
	if !j.in.Promise.Diverse() {
		return
	}
	part := j.groupPart
	if part == nil {
		part = make([]int32, len(j.index.groups))
	}
	order := make([]int32, len(part))
	for g := range order {
		order[g] = int32(g)
	}
	slices.SortStableFunc(order, func(x, y int32) int { return cmp.Compare(part[x], part[y]) })
	often := make([]int, len(j.index.labels))
	for begin := 0; begin < len(order); {
		end := begin
		for end < len(order) && part[order[end]] == part[order[begin]] {
			end++
		}
		j.share(order[begin:end], often)
		begin = end
	}
}

// share judges the labels of some groups. often is zero for each label, before and after.
func (j *matchJudge) share(groups []int32, often []int) {
	var rows, labels []int32
	for _, g := range groups {
		group := &j.index.groups[g]
		rows = append(rows, group.rows...)
		for i, l := range group.labels {
			if often[l] == 0 {
				labels = append(labels, l)
			}
			often[l] += int(group.carry[i])
		}
	}
	slices.Sort(rows)
	for _, l := range labels {
		if need := often[l] * j.in.Promise.L; need > len(rows) {
			j.f.breach(1, Breach{
				Kind: KindDiversity, Itemset: []string{}, Sensitive: j.index.labels[l],
				Support: len(rows), Needed: need, Lines: j.lines(rows),
				Message: fmt.Sprintf("as many original records stand behind %d published records, "+
					"of which %d carry label %q: more than 1 in %d", len(rows), often[l],
					j.index.labels[l], j.in.Promise.L),
			})
		}
		often[l] = 0
	}
}
