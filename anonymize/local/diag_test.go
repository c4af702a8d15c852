package local

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/privacy"
)

// apart is an input whose n items nearest to a share of the lines are sensitive.
func apart(t testing.TB, in anonymize.Input, n int, share float64) anonymize.Input {
	t.Helper()
	supports := in.Data.Supports()
	items := make([]int32, len(supports))
	for i := range items {
		items[i] = int32(i)
	}
	far := func(x int32) float64 { return math.Abs(float64(supports[x])/float64(in.Data.Len()) - share) }
	slices.SortStableFunc(items, func(a, b int32) int {
		if far(a) < far(b) {
			return -1
		} else if far(a) > far(b) {
			return 1
		}
		return 0
	})
	var labels []string
	number := map[int32]int32{}
	for i, x := range items[:n] {
		labels = append(labels, in.Tree.Label(x))
		number[x] = int32(i)
	}
	tree, err := in.Tree.Without(labels)
	if err != nil {
		t.Fatal(err)
	}
	rest := dataset.NewBuilder(tree.LeafDict())
	sens := dataset.NewBuilder(dataset.MustDictionary(labels))
	leaf := leafNumbers(tree)
	for i := range in.Data.Len() {
		var a, b []int32
		for _, x := range in.Data.Tx(i) {
			if y, is := number[x]; is {
				b = append(b, y)
			} else {
				a = append(a, leaf[in.Tree.Label(x)])
			}
		}
		rest.Add(a)
		sens.Add(b)
	}
	out := in
	out.Tree, out.Data, out.Sensitive = tree, rest.Build(), sens.Build()
	return out
}

func leafNumbers(t *hierarchy.Tree) map[string]int32 {
	out := map[string]int32{}
	for x := range int32(t.Leaves()) {
		out[t.Label(x)] = x
	}
	return out
}

func ncpOf(in anonymize.Input, loss int64) float64 {
	return float64(loss) / float64(in.Tree.Leaves()) / float64(in.Data.Occurrences())
}

func TestDiag(t *testing.T) {
	name := os.Getenv("MINGLE_DIAG")
	if name == "" {
		t.Skip("")
	}
	for _, list := range []struct {
		n     int
		share float64
	}{{5, 0.02}, {3, 0.08}} {
		base := apart(t, conformance.Real(t, name, privacy.KM{K: 5, M: 2}), list.n, list.share)
		base.Workers = 1
		plain := base
		plain.Sensitive = nil
		for _, v := range []string{""} {
			s := newSearch(t.Context(), plain, effort())
			st := s.run()
			was := st.loss
			s.complete(t.Context(), st)
			fmt.Printf("%v without l, without %q: %.6f, compatible %.6f\n", list, v, ncpOf(plain, was), ncpOf(plain, st.loss))
		}
		for _, l := range []int{2, 3, 5} {
			if only := os.Getenv("MINGLE_L"); only != "" && only != strconv.Itoa(l) {
				continue
			}
			in := base
			in.Promise.L = l
			s := newSearch(t.Context(), in, 1)
			other := s
			begun := cpu()
			st := other.run()
			was, took := st.loss, cpu()-begun
			begun = cpu()
			ok := other.complete(t.Context(), st)
			fmt.Printf("%v l=%d nested %.6f (%.1f s) complete %.6f (%.1f s) %v\n", list, l, ncpOf(in, was), took, ncpOf(in, st.loss), cpu()-begun, ok)
		}
	}
}

func effort() int { n, _ := strconv.Atoi(os.Getenv("MINGLE_EFFORT")); return max(1, n) }
