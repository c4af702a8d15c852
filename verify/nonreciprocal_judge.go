package verify

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// judge compares the counts with the promise.
func (j *matchJudge) judge() {
	need := j.in.Promise.Matches()
	m := &MatchCounts{
		Records: j.in.Original.Len(), Exact: j.stop == math.MaxInt, Assigned: j.recordPart != nil,
	}
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
		if j.possible(int32(r), g) {
			rows = append(rows, j.index.groups[g].rows...)
		}
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
