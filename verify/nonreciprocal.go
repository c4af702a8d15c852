package verify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"mingle/dataset"
	"mingle/internal/par"
	"mingle/privacy"
	"mingle/release"
)

// The kinds of breaches of nonreciprocal recoding.
const (
	KindMatches = "matches" // a record has too few matches, or too few labels among them
	KindLabels  = "labels"  // the published labels are not those of the original
	// KindAssignment: the records cannot all have a published record of their own.
	KindAssignment = "assignment"
)

// NonreciprocalInput is what is judged by [Nonreciprocal].
type NonreciprocalInput struct {
	Original *dataset.Dataset
	Labels   []string // the sensitive label of each original record; nil: not given

	// Published was read with the dictionary of Original (see release.ReadNonreciprocal).
	Published *release.Nonreciprocal
	Promise   privacy.Nonreciprocal

	// MostMatches is how many matches are held at most, of distinct records with distinct published
	// ones, 4 bytes each; 0: 128 million; negative: none. Of more, those of a record are counted
	// until there are as many as the promise asks for, and nothing is said of assignments.
	MostMatches int

	Workers  int // at most this many goroutines; 0: one a processor
	Progress func(stage string, done, total int64)
}

// MatchCounts say how many matches there are. Where Assigned is true, only those count that are
// part of an assignment of all records to all published ones. Where Exact is false counting ended
// at what the promise asks for: the numbers are then what there is at least.
type MatchCounts struct {
	Records  int  `json:"records"`
	Exact    bool `json:"exact"`
	Assigned bool `json:"assigned"`
	// published records that an original one matches
	LeastRecord int `json:"least_of_a_record"`
	// original records that match a published one
	LeastRow int `json:"least_of_a_published_record"`
	// different labels among the matches of an original record
	LeastLabels int `json:"least_labels,omitempty"`
	// published records that an original one matches; exact only
	MeanRecord float64 `json:"mean_of_a_record,omitempty"`
}

// String says in a sentence what was found.
func (m *MatchCounts) String() string {
	least := "exactly"
	if !m.Exact {
		least = "or more"
	}
	s := fmt.Sprintf("%d records matched one by one: each matches at least %d published "+
		"records and each of those at least %d original ones (%s)",
		m.Records, m.LeastRecord, m.LeastRow, least)
	if m.Assigned {
		s += ", in assignments of all records"
	}
	if m.LeastLabels > 0 {
		s += fmt.Sprintf("; at least %d different labels", m.LeastLabels)
	}
	return s
}

// Nonreciprocal judges nonreciprocal recoding from the definition (xue-2012, definition 1): an
// original record matches a published one if it differs from its base in at most threshold places,
// all of them uncertain items. Every original record must match at least k (or l) published ones,
// every published one be matched by as many original ones, and for l-diversity the published ones
// must carry l different labels.
//
// Each published record stands for one original one. Somebody who knows all records knows that too,
// so a match counts only if some assignment of all records to all published ones has it. There must
// be such an assignment, one also in which each record gets its own label, and the labels as a
// whole must be those of the original. For l-diversity an empty label is none, and no two may
// differ in blanks only.
//
// Records that are exchanged by assignments among themselves only (a component, see
// [assignment.components]) have the labels of as many published records, whatever the release was
// drawn from. So for l-diversity no label may be on more than 1/l of these.
//
// The graph the release was made from is not looked at, and not known. It gives every record k
// matches; chance matches come on top. What this does not judge: that the true matches were drawn
// uniformly, and that which records match each other was chosen without telling of their labels.
//
// Pairs are left out only if one has an item that the other cannot have (see matchIndex). Equal
// records are matched once.
func Nonreciprocal(ctx context.Context, in NonreciprocalInput) (*Finding, error) {
	err := errors.Join(in.Promise.Validate(), par.CheckWorkers(in.Workers))
	if err != nil {
		return nil, err
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	j := &matchJudge{
		in: in, f: newFinding(in.Promise, "nonreciprocal", in.Published.Len()), lookUp: lookUp,
	}
	j.f.note("%s", unseen(in.Promise))
	j.f.surplus(in.Published.Surplus)
	j.counts()
	j.labels()
	j.worthless()
	if err := j.match(ctx); err != nil {
		return nil, err
	}
	j.shares()
	j.judge()
	return j.f.verdict(), nil
}

// unseen is what the verdict does not say.
func unseen(p privacy.Nonreciprocal) string {
	what := "That every match of a record is equally likely is"
	if p.Diverse() && !p.GroupsSeeLabels {
		what = "That every match of a record is equally likely, and that the choice of what is " +
			"published together tells nothing of the labels, are"
	}
	return what + " a property of how the release was drawn. The files show which matches are " +
		"possible at all, and that was checked."
}

// check refuses input that cannot be judged.
func (in NonreciprocalInput) check() error {
	if in.Original == nil || in.Published == nil {
		return errors.New("matching needs both the original and the published file")
	}
	if err := in.Published.Check(); err != nil {
		return err
	}
	own, theirs := in.Original.Dict(), in.Published.Dict()
	if theirs.Len() < own.Len() || own != theirs &&
		!slices.Equal(own.Labels(), theirs.Labels()[:own.Len()]) {
		return errors.New("the published file was not read with the dictionary of the original")
	}
	if in.Labels != nil && len(in.Labels) != in.Original.Len() {
		return fmt.Errorf("%d labels for %d original records", len(in.Labels), in.Original.Len())
	}
	if in.Promise.Diverse() && in.Published.Labels == nil {
		return errors.New("l-diversity needs labels in the published file, and there are none")
	}
	return nil
}

type matchJudge struct {
	in       NonreciprocalInput
	f        *Finding
	original *dataset.Merged
	index    *matchIndex

	lookUp    float64 // see the constant
	stop      int     // counting ends at so many matches
	byRecord  []int   // of each distinct original record: published records it matches
	labelsOf  []int32 // and how many different labels they carry
	byPublish []int   // of each distinct published record: original records that match it

	adj [][]int32 // of each distinct original record: the groups it matches; nil: too many
	// components of records and of groups: what is not in one component cannot be assigned to each
	// other; nil: not known
	recordPart, groupPart []int32
}

// counts compares the numbers of records.
func (j *matchJudge) counts() {
	o, p := j.in.Original.Len(), j.in.Published.Len()
	if o != p {
		j.f.breach(1, Breach{
			Kind: KindCount, Itemset: []string{}, Support: p, Needed: o,
			Message: fmt.Sprintf("the published file has %d records, the original %d", p, o),
		})
	}
}

// labels compares how often each label occurs.
func (j *matchJudge) labels() {
	if j.in.Published.Labels == nil || j.in.Labels == nil {
		if j.in.Published.Labels != nil {
			j.f.note("The labels were not compared with those of the original, which were " +
				"not given.")
		}
		return
	}
	excess := map[string]int{}
	for _, l := range j.in.Labels {
		excess[l]--
	}
	for _, l := range j.in.Published.Labels {
		excess[l]++
	}
	var changed []string
	for l, c := range excess {
		if c != 0 {
			changed = append(changed, l)
		}
	}
	slices.SortFunc(changed, dataset.CompareLabels)
	for _, l := range changed {
		j.f.breach(1, Breach{
			Kind: KindLabels, Itemset: []string{}, Sensitive: l, Support: excess[l],
			Message: fmt.Sprintf("label %q is on %+d records more in the published file than "+
				"in the original", l, excess[l]),
		})
	}
}

// worthless finds, for l-diversity, published labels that hide less than they are counted for:
// empty ones, which are none, and those that differ from others in blanks only.
func (j *matchJudge) worthless() {
	if !j.in.Promise.Diverse() {
		return
	}
	first := map[string]string{}
	for row, label := range j.in.Published.Labels {
		line, trimmed := j.in.Published.Base.Line(row), strings.TrimSpace(label)
		was, known := first[trimmed]
		why := ""
		switch {
		case trimmed == "":
			why = "is empty, which is none and hides nobody"
		case !known:
			first[trimmed] = label
		case was != label:
			why = fmt.Sprintf("is %q, which differs from %q in blanks only", label, was)
		}
		if why != "" {
			j.f.breach(1, Breach{
				Kind: KindDiversity, Itemset: []string{}, Sensitive: label, Lines: []int{line},
				Message: fmt.Sprintf("the label of the published record at line %d %s", line, why),
			})
		}
	}
}

// tell says how far a stage is.
func (j *matchJudge) tell(stage string, done, total int) {
	if j.in.Progress != nil {
		j.in.Progress(stage, int64(done), int64(total))
	}
}

// match finds the matches of all records, and which of them are part of an assignment.
func (j *matchJudge) match(ctx context.Context) error {
	j.tell("equal records", 0, 0)
	j.original = dataset.Merge(j.in.Original)
	j.index = newMatchIndex(j.original.Dataset, j.in.Published)
	n, groups := j.original.Len(), len(j.index.groups)
	j.byRecord, j.labelsOf, j.byPublish = make([]int, n), make([]int32, n), make([]int, groups)
	if err := j.collect(ctx); err != nil {
		return err
	}
	if j.adj == nil {
		j.f.note("There are more matches than can be held. They were counted one by one; it was not " +
			"checked that some assignment of all records to published ones has them.")
		j.stop = j.in.Promise.Matches()
		return j.count(ctx)
	}
	j.stop = math.MaxInt
	if err := j.assign(ctx); err != nil {
		return err
	}
	j.countHeld()
	return nil
}

// count counts matches without holding them, both ways separately.
func (j *matchJudge) count(ctx context.Context) error {
	n, groups := j.original.Len(), len(j.index.groups)
	workers := newPool(j.in.Workers, j.in.Progress)
	// by worker and label: 1 + the last record it was counted for
	seen := make([][]int32, workers.workers)
	for w := range seen {
		seen[w] = make([]int32, len(j.index.labels))
	}
	const block = 64
	err := workers.run(ctx, "matches of records", (n+block-1)/block, func(worker, b int) {
		for r := b * block; r < min(n, (b+1)*block); r++ {
			j.countRecord(r, seen[worker])
		}
	})
	if err != nil {
		return err
	}
	return workers.run(ctx, "matches of published records", (groups+block-1)/block, func(_, b int) {
		for g := b * block; g < min(groups, (b+1)*block); g++ {
			j.index.recordsOf(int32(g), func(r int32) bool {
				j.byPublish[g] += int(j.original.Weights[r])
				return j.byPublish[g] < j.stop
			})
		}
	})
}

func (j *matchJudge) countRecord(r int, seen []int32) {
	j.index.groupsOf(j.original.Tx(r), func(g int32) bool {
		group := &j.index.groups[g]
		j.byRecord[r] += len(group.rows)
		for _, l := range group.labels {
			if seen[l] != int32(r)+1 {
				seen[l] = int32(r) + 1
				j.labelsOf[r]++
			}
		}
		return j.byRecord[r] < j.stop || j.in.Promise.Diverse() && int(j.labelsOf[r]) < j.stop
	})
}
