package local

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/privacy"
)

// variants are plans with a part left out, or with one order alone.
func variants() (names []string, plans []plan) {
	add := func(name string, change func(p *plan)) {
		p := whole
		p.portfolio = slices.Clone(p.portfolio)
		change(&p)
		names, plans = append(names, name), append(plans, p)
	}
	add("all of it", func(*plan) {})
	for n, o := range whole.portfolio {
		kind := [...]string{"each", "both", "falling"}[o.kind]
		add(fmt.Sprintf("without %s %v", kind, o.power), func(p *plan) {
			p.portfolio = slices.Delete(p.portfolio, n, n+1)
		})
	}
	add("the first order alone", func(p *plan) { p.portfolio, p.varied = p.portfolio[:1], 0 })
	add("without variations", func(p *plan) { p.varied = 0 })
	add("without exchanges", func(p *plan) { p.exchanges = false })
	add("without what was left behind", func(p *plan) { p.again = false })
	return names, plans
}

// MINGLE_ABLATION=development or judging takes a half of the collection, anything else the names of
// data sets, separated by commas. The geometric mean of the losses with each plan, and the largest,
// as multiples of those with all of it; k=5, m=2 and 3.
func TestAblation(t *testing.T) {
	which := os.Getenv("MINGLE_ABLATION")
	if which == "" {
		t.Skip("MINGLE_ABLATION says on what")
	}
	inputs := ablated(t, which)
	names, plans := variants()
	first := make([]float64, len(inputs))
	fmt.Println("| plan | m=2 | m=3 | worst |\n| --- | --- | --- | --- |")
	for v, p := range plans {
		mean, of, worst := [4]float64{}, [4]float64{}, 0.0
		for n, in := range inputs {
			s := newSearch(t.Context(), in, 1)
			s.plan = p
			s.run()
			loss := float64(s.complete(t.Context(), t.Context()).loss)
			if v == 0 {
				first[n] = loss
			}
			if first[n] > 0 && loss > 0 {
				mean[in.Promise.M] += math.Log(loss / first[n])
				of[in.Promise.M]++
				worst = max(worst, loss/first[n])
			}
		}
		fmt.Printf("| %s | %.3f | %.3f | %.2f |\n", names[v],
			math.Exp(mean[2]/of[2]), math.Exp(mean[3]/of[3]), worst)
	}
}

// ablated is what the ablation is made on.
func ablated(t *testing.T, which string) (out []anonymize.Input) {
	for m := 2; m <= 3; m++ {
		promise := privacy.KM{K: 5, M: m}
		switch which {
		case "development":
			for n, c := range collection() {
				out = append(out, c.input(t, uint64(100+n), promise))
			}
		case "judging":
			for n, c := range judged() {
				out = append(out, c.input(t, uint64(200+n), promise))
			}
		default:
			for name := range strings.SplitSeq(which, ",") {
				out = append(out, conformance.Real(t, name, promise))
			}
		}
	}
	return out
}
