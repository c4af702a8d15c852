package auto

import (
	"cmp"
	"slices"

	"mingle/anonymize"
)

// ends is a list of trials that ends soon without a clock: local, whose work is counted, comes
// first, and with it what leaves out something around it. The others count the sets of at most m
// items and nodes above them in each line, and nothing bounds how often: where there are more such
// sets than a short run of local counts anyway, they are not tried beside a release of local, and
// suppression around exact, which runs it again and again, not beside any. Where local does not
// keep the promise, all but that are tried. What exact spends on a proof is bounded then.
//
// That is no loss as a rule: on all data of docs/algorithms/choosing.md it is local that loses
// least, and the others were tried for nothing. On small data they end at once, and now and then
// one of them is better.
func ends(in anonymize.Input, list []trial) []trial {
	small := sets(in) <= smallWork
	var out []trial
	for _, t := range list {
		t.half = false
		t.long, t.slow = !small && rank(t) > 0, !small && rank(t) > 2
		out = append(out, t)
	}
	slices.SortStableFunc(out, func(a, b trial) int { return cmp.Compare(rank(a), rank(b)) })
	return out
}

// proofWork bounds the search of exact for a proof, see exact.Algorithm: a second or so.
const proofWork = 100_000_000

// smallWork is a tenth of what local counts at least, whatever the data (18,000 occurrences, some
// hundred times each).
const smallWork = 200_000

// rank orders trials: local, what suppresses around it, then those that end after each walk or two
// over the sets, exact, and last what suppresses around it.
func rank(t trial) int {
	switch t.Name() {
	case "local":
		return 0
	case "local, items suppressed", "local, transactions suppressed":
		return 0
	case "exact":
		return 2
	case "exact, items suppressed", "exact, transactions suppressed":
		return 3
	default:
		return 1
	}
}

// sets is how many sets of at most m items and nodes above them the lines have, about; what is more
// than smallWork is not counted on.
func sets(in anonymize.Input) int {
	levels := 1
	for leaf := range in.Tree.Leaves() {
		levels = max(levels, in.Tree.Depth(int32(leaf)))
	}
	total := 0
	lines := in.Data.Cursor()
	for i := range in.Data.Len() {
		n, of := len(lines.Tx(i))*levels, 1
		for j := 1; j <= min(in.Promise.M, n) && of <= smallWork; j++ {
			of = of * (n - j + 1) / j
			total += of
		}
		if total > smallWork {
			return total
		}
	}
	return total
}
