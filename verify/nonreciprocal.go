package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"mingle/dataset"
	"mingle/privacy"
	"mingle/release"
)

// The kinds of breaches of nonreciprocal recoding.
const (
	KindMatches = "matches" // a record has too few matches, or too few labels among them
	KindLabels  = "labels"  // the published labels are not those of the original
)

// NonreciprocalInput is what is judged by [Nonreciprocal].
type NonreciprocalInput struct {
	Original *dataset.Dataset
	Labels   []string // the sensitive label of each original record; nil: not given

	// Published was read with the dictionary of Original (see release.ReadNonreciprocal).
	Published *release.Nonreciprocal
	Promise   privacy.Nonreciprocal

	// CountAll is up to how many distinct records all matches are counted; 0: 10,000; negative:
	// never. Beyond it the matches of a record are counted until there are as many as the promise
	// asks for: chance matches grow with the square of the records.
	CountAll int

	Workers  int // at most this many goroutines; 0: one a processor
	Progress func(stage string, done, total int64)
}

// MatchCounts say how many matches there are, by direct matching. Where Exact is false counting
// ended at what the promise asks for: the numbers are then what there is at least.
type MatchCounts struct {
	Records int  `json:"records"`
	Exact   bool `json:"exact"`
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
	if m.LeastLabels > 0 {
		s += fmt.Sprintf("; at least %d different labels", m.LeastLabels)
	}
	return s
}

// Nonreciprocal judges nonreciprocal recoding by direct matching, from the definition (xue-2012,
// definition 1): an original record matches a published one if it differs from its base in at most
// threshold places, all of them uncertain items. Every original record must match at least k (or l)
// published ones, every published one be matched by as many original ones, and for l-diversity the
// published ones must carry l different labels. The labels as a whole must be those of the
// original.
//
// The graph the release was made from is not looked at, and not known. It gives every record k
// matches; chance matches come on top. What a file cannot show, and this does not judge: that the
// true matches were drawn uniformly, and that which records match each other was chosen without
// telling of their labels.
//
// Both ways are counted separately. Pairs are left out only if one has an item that the other
// cannot have (see matchIndex). Equal records are matched once.
func Nonreciprocal(ctx context.Context, in NonreciprocalInput) (*Finding, error) {
	if err := in.Promise.Validate(); err != nil {
		return nil, err
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	j := &matchJudge{in: in, f: newFinding(in.Promise, "nonreciprocal", in.Published.Len())}
	j.f.note("%s", unseen(in.Promise))
	j.counts()
	j.labels()
	if err := j.match(ctx); err != nil {
		return nil, err
	}
	j.judge()
	return j.f.verdict(), nil
}

// unseen is what a file cannot show.
func unseen(p privacy.Nonreciprocal) string {
	what := "That every match of a record is equally likely is"
	if p.Diverse() && !p.GroupsSeeLabels {
		what = "That every match of a record is equally likely, and that the choice of what is " +
			"published together tells nothing of the labels, are"
	}
	return what + " a property of how the release was drawn; a file cannot show it."
}

// check refuses input that cannot be judged.
func (in NonreciprocalInput) check() error {
	if in.Original == nil || in.Published == nil {
		return errors.New("matching needs both the original and the published file")
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

	stop      int     // counting ends at so many matches
	byRecord  []int   // of each distinct original record: published records it matches
	labelsOf  []int32 // and how many different labels they carry
	byPublish []int   // of each distinct published record: original records that match it
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

// match counts the matches of all records, both ways.
func (j *matchJudge) match(ctx context.Context) error {
	j.original = dataset.Merge(j.in.Original)
	j.index = newMatchIndex(j.original.Dataset, j.in.Published)
	n, groups := j.original.Len(), len(j.index.groups)
	j.stop = j.in.Promise.Matches()
	if n <= cmp.Or(j.in.CountAll, 10_000) {
		j.stop = math.MaxInt
	}
	j.byRecord, j.labelsOf, j.byPublish = make([]int, n), make([]int32, n), make([]int, groups)
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

// judge compares the counts with the promise.
func (j *matchJudge) judge() {
	need := j.in.Promise.Matches()
	m := &MatchCounts{Records: j.in.Original.Len(), Exact: j.stop == math.MaxInt}
	first := make([]int32, j.original.Len()) // 1 + the first record of each kind
	for u, r := range j.original.Of {
		if first[r] == 0 {
			first[r] = int32(u) + 1
		}
	}
	sum := 0.0
	for r, c := range j.byRecord {
		weight := int(j.original.Weights[r])
		sum += float64(c) * float64(weight)
		if r == 0 || c < m.LeastRecord {
			m.LeastRecord = c
		}
		if j.in.Promise.Diverse() && (r == 0 || int(j.labelsOf[r]) < m.LeastLabels) {
			m.LeastLabels = int(j.labelsOf[r])
		}
		j.judgeRecord(r, int(first[r])-1, c, need)
	}
	if m.Exact && m.Records > 0 {
		m.MeanRecord = sum / float64(m.Records)
	}
	for g, c := range j.byPublish {
		if g == 0 || c < m.LeastRow {
			m.LeastRow = c
		}
		if c < need {
			group := j.index.groups[g]
			j.f.breach(1, Breach{
				Kind: KindMatches, Itemset: j.in.Published.Base.Labels(int(group.rows[0])),
				Support: c, Needed: need, Lines: j.lines(group.rows),
				Message: fmt.Sprintf("the published record at line %d is matched by %d "+
					"original records, fewer than %d",
					j.in.Published.Base.Line(int(group.rows[0])), c, need),
			})
		}
	}
	j.f.Matches = m
}

func (j *matchJudge) judgeRecord(r, u, c, need int) {
	set := "{" + strings.Join(j.original.Labels(r), ", ") + "}"
	if c < need {
		j.f.breach(1, Breach{
			Kind: KindMatches, Itemset: j.original.Labels(r), Support: c, Needed: need,
			Lines: j.linesMatching(r),
			Message: fmt.Sprintf("the original record %s at line %d matches %d published "+
				"records, fewer than %d", set, j.in.Original.Line(u), c, need),
		})
		return
	}
	if l := int(j.labelsOf[r]); j.in.Promise.Diverse() && l < need {
		j.f.breach(1, Breach{
			Kind: KindDiversity, Itemset: j.original.Labels(r), Support: l, Needed: need,
			Lines: j.linesMatching(r),
			Message: fmt.Sprintf("the %d published records that the original record %s at line "+
				"%d matches carry %d different labels, fewer than %d", c, set,
				j.in.Original.Line(u), l, need),
		})
	}
}

func (j *matchJudge) linesMatching(r int) []int {
	var rows []int32
	j.index.groupsOf(j.original.Tx(r), func(g int32) bool {
		rows = append(rows, j.index.groups[g].rows...)
		return true
	})
	slices.Sort(rows)
	return j.lines(rows)
}

func (j *matchJudge) lines(rows []int32) []int {
	var out []int
	for _, row := range rows[:min(len(rows), maxLines)] {
		out = append(out, j.in.Published.Base.Line(int(row)))
	}
	return out
}
