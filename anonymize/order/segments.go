package order

// Bounds are the least and the greatest size of a segment.
type Bounds struct{ Min, Max int }

// Segments cuts an order of n transactions into segments of at least Min and at most Max
// transactions such that the sum of gap(j) over the breakpoints j is least; gap(j) is the distance
// between the transactions at positions j-1 and j, 0 < j < n. It returns the ends of the segments,
// ascending, the last being n. Of equally good cuts it takes the one whose last breakpoints come
// earliest.
//
// xue-2012 equation 1: C(i) = min over j in [i-M, i-m] of C(j) + H(r_j, r_j+1), C(0) = 0. The paper
// says nothing of an n that no such segments add up to (any n below m, and the gaps between
// multiples of [m, M]); there Min is lowered as far as is needed. The minimum over the window is
// kept in a monotone queue: O(n) time for any bounds, 16n bytes.
func Segments(n int, bounds Bounds, gap func(j int) int32) []int {
	if n == 0 {
		return nil
	}
	bounds = bounds.feasible(n)
	cost := make([]int64, n+1) // C(i), infinite where i cannot be reached
	from := make([]int32, n+1)
	var window []int32 // candidates j, ascending, their values not descending
	for i := 1; i <= n; i++ {
		if j := i - bounds.Min; j >= 0 && cost[j] != unreachable {
			// from here on cost[j] is the value of breaking at j; nothing reads C(j) itself again
			if j > 0 {
				cost[j] += int64(gap(j))
			}
			for len(window) > 0 && cost[window[len(window)-1]] > cost[j] {
				window = window[:len(window)-1]
			}
			window = append(window, int32(j))
		}
		for len(window) > 0 && int(window[0]) < i-bounds.Max {
			window = window[1:]
		}
		if len(window) == 0 {
			cost[i] = unreachable
			continue
		}
		cost[i], from[i] = cost[window[0]], window[0]
	}
	return backtrace(from, n)
}

const unreachable = int64(1) << 62

// feasible lowers Min until some number of segments adds up to n.
func (b Bounds) feasible(n int) Bounds {
	b.Max = max(1, b.Max)
	b.Min = min(max(1, b.Min), b.Max)
	segments := (n + b.Max - 1) / b.Max
	b.Min = min(b.Min, n/segments)
	return b
}

func backtrace(from []int32, n int) []int {
	count := 0
	for i := n; i > 0; i = int(from[i]) {
		count++
	}
	ends := make([]int, count)
	for i := n; i > 0; i = int(from[i]) {
		count--
		ends[count] = i
	}
	return ends
}
