package measure

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/release"
)

// Worked by hand: terrovitis-2008, figure 2(a), cut {A, b1, b2}. {a1,b2} is in t1 and t4; t1, t3
// and t4 publish A and b2; under A each of two items has the probability 1/2.
func TestCountByHand(t *testing.T) {
	h := figure1(t)
	data := figure2(t, h)
	c := newIndex(h, data, release.Global(data, cut(t, h, "A b1 b2")).Published()).counter()
	for _, q := range []struct {
		items string
		want  answer
	}{
		{"a1 b2", answer{True: 2, Lower: 0, Upper: 3, Estimate: 1.5}},
		{"b1 b2", answer{True: 2, Lower: 2, Upper: 2, Estimate: 2}},
		{"a1 a2", answer{True: 1, Lower: 0, Upper: 4, Estimate: 1}},
	} {
		if got := c.answer(lines(t, h.LeafDict(), q.items).Items()); got != q.want {
			t.Errorf("{%s}: %+v, want %+v", q.items, got, q.want)
		}
	}
}

// Without suppression the true answer is between the bounds, as is the estimate; the bounds are
// those of enumeration.
func TestCountAgainstEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 500 {
		h, data := randomData(t, r)
		g := randomRelease(r, h, data)
		published := g.Published()
		c := newIndex(h, data, published).counter()
		suppressed := NCP(g).Suppressed > 0
		leaves := make([]int32, h.Leaves())
		for x := range leaves {
			leaves[x] = int32(x)
		}
		for _, items := range subsets(leaves) {
			got := c.answer(items)
			var want answer
			for i := range data.Len() {
				is, may, sure := true, true, true
				for _, x := range items {
					is = is && slices.Contains(data.Tx(i), x)
					sure = sure && slices.Contains(published.Tx(i), x)
					may = may && slices.ContainsFunc(published.Tx(i),
						func(u int32) bool { return h.Covers(u, x) })
				}
				want = answer{want.True + one(is), want.Lower + one(sure), want.Upper + one(may), 0}
			}
			if got.True != want.True || got.Lower != want.Lower || got.Upper != want.Upper {
				t.Fatalf("%v: %+v, want %+v", items, got, want)
			}
			e := got.Estimate
			if e < float64(got.Lower)-1e-9 || e > float64(got.Upper)+1e-9 || !suppressed &&
				(got.True < got.Lower || got.True > got.Upper) {
				t.Fatalf("%v: %+v", items, got)
			}
		}
	}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestQueryError(t *testing.T) {
	h := figure1(t)
	data := figure2(t, h)
	ask := func(cutNodes string, opts QueryOptions) QueryLoss {
		t.Helper()
		l, err := QueryError(t.Context(), rand.New(rand.NewPCG(1, 1)), h, data,
			release.Global(data, cut(t, h, cutNodes)).Published(), opts)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	if l := ask("a1 a2 b1 b2", QueryOptions{}); l.Error != 0 || l.ErrorLower != 0 ||
		l.ErrorUpper != 0 || l.Queries != 1000 || l.Size != 2 {
		t.Errorf("the original answers with errors: %+v", l)
	}
	fine, coarse := ask("A b1 b2", QueryOptions{Size: 1}), ask("ALL", QueryOptions{Size: 1})
	if fine.Error >= coarse.Error || coarse.ErrorLower != 1 || fine.OutsideBounds != 0 {
		t.Errorf("%+v and %+v", fine, coarse)
	}
	if a, b := ask("A B", QueryOptions{Workers: 1}), ask("A B", QueryOptions{Workers: 3}); a != b {
		t.Error("the same source of randomness gives different answers")
	}
	if l := ask("A B", QueryOptions{Size: 4}); l.Size != 3 ||
		l != ask("A B", QueryOptions{Size: 3}) {
		t.Errorf("no transaction has four items, and the queries have %d", l.Size)
	}
}
