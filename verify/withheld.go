package verify

// A suppressed transaction publishes nothing: its line is empty, it has no sensitive item, and its
// cell in every sensitive column is empty. So the value that it had is withheld, and it is not
// among the lines with a value. Where an empty cell is a value, an empty cell would be another
// value than the original's: there a transaction with a sensitive column is suppressed only by
// leaving its line out.
//
// What knowledge J leaves is as without that line. An adversary whose J matches published lines has
// these for candidates, and perhaps suppressed ones, of which no value is told. One whose J matches
// none learns that the person's transaction was suppressed, and nothing of its value.
//
// So it is of sensitive items: that none stands on a line with nothing does not say that the person
// has none. Such lines are counted among k candidates, but no share is taken of them. They publish
// no node, so that they are among the lines of the empty combination only, and of what a person
// lacks.

// withheld tells whether published line i is that of a suppressed transaction.
func (j *judgement) withheld(i int) bool {
	if !j.in.MaySuppress || j.in.Promise.NullIsValue {
		return false
	}
	if j.nothing == nil {
		j.nothing = j.withNothing()
	}
	return j.nothing[i]
}

// withNothing tells of each published line whether there is nothing on it.
func (j *judgement) withNothing() []bool {
	out := make([]bool, j.in.Published.Len())
	for i, tx := range j.in.Published.All() {
		out[i] = len(tx) == 0
		for _, c := range j.in.Columns {
			out[i] = out[i] && c.Published[i] == ""
		}
	}
	if j.in.PublishedSensitive != nil {
		for i, tx := range j.in.PublishedSensitive.All() {
			out[i] = out[i] && len(tx) == 0
		}
	}
	return out
}

// silent are the published lines of which no share is taken: nothing is on them, where transactions
// may be suppressed. nil: there are none. What is judged within others has something on all lines.
func (j *judgement) silent() []bool {
	if j.within != nil || j.sens == nil || !j.in.Promise.HasSensitiveItems() || !j.valuesMissing() {
		return nil
	}
	out, sens := make([]bool, j.in.Published.Len()), j.sens.Cursor()
	for i := range out {
		out[i] = j.withheld(i) && len(sens.Tx(i)) == 0
	}
	return out
}

func countTrue(some []bool) (n int) {
	for _, is := range some {
		if is {
			n++
		}
	}
	return n
}

// valuesMissing tells whether the value of somebody who has one may not be published: then somebody
// may look for it by items that nobody whose value is published has, and every set of items that
// matches something is looked at.
func (j *judgement) valuesMissing() bool {
	if j.of != nil {
		return true
	}
	for i := range j.in.Published.Len() {
		if j.withheld(i) {
			return true
		}
	}
	return false
}

// carries tells whether published line i has, beside its items, what original line at has: the
// sensitive items and the values. One that is withheld has nothing of anybody's.
func (j *judgement) carries(at, i int) bool {
	if j.withheld(i) {
		return true
	}
	if was, is := j.in.OriginalSensitive, j.in.PublishedSensitive; was != nil && is != nil {
		removed, added := difference(was, at, is, i)
		if len(removed)+len(added) > 0 {
			return false
		}
	}
	for _, c := range j.in.Columns {
		if c.Original != nil && c.Original[at] != c.Published[i] {
			return false
		}
	}
	return true
}
