package local

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/privacy"
)

func cpu() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Sec) + float64(u.Utime.Usec)/1e6 + float64(u.Stime.Sec) + float64(u.Stime.Usec)/1e6
}

type cell struct {
	name string
	in   anonymize.Input
}

func cellsOf(t *testing.T, half string) (out []cell) {
	for m := 2; m <= 3; m++ {
		promise := privacy.KM{K: 5, M: m}
		switch half {
		case "dev":
			for n, c := range collection() {
				out = append(out, cell{fmt.Sprintf("%s/%d", c.name, m), c.input(t, uint64(100+n), promise)})
			}
		case "judge":
			for n, c := range judged() {
				out = append(out, cell{fmt.Sprintf("%s/%d", c.name, m), c.input(t, uint64(200+n), promise)})
			}
		default:
			for _, name := range strings.Split(half, "+") {
				in := conformance.Real(t, name, promise)
				in.Workers = 1
				out = append(out, cell{fmt.Sprintf("%s/%d", name, m), in})
			}
		}
	}
	return out
}

// MINGLE_ABLATION=variant;variant  MINGLE_HALF=dev|judge|groceries+...
func TestAblation(t *testing.T) {
	list := os.Getenv("MINGLE_ABLATION")
	if list == "" {
		t.Skip("MINGLE_ABLATION names nothing")
	}
	cs := cellsOf(t, os.Getenv("MINGLE_HALF"))
	base := make([]float64, len(cs))
	saved := map[string]float64{}
	if f, err := os.ReadFile(os.Getenv("MINGLE_BASE")); err == nil {
		for _, line := range strings.Split(strings.TrimSpace(string(f)), "\n") {
			name, v, _ := strings.Cut(line, "=")
			saved[name], _ = strconv.ParseFloat(v, 64)
		}
	}
	for _, v := range append([]string{""}, strings.Split(list, ";")...) {
		v := v
		begun := cpu()
		sum, worst, best, where, n := 0.0, 0.0, 0.0, "", 0
		by := map[string]float64{}
		counts := map[string]float64{}
		for i, c := range cs {
			g, err := Algorithm{}.Anonymize(t.Context(), c.in)
			if err != nil {
				t.Fatal(err)
			}
			loss := 0.0
			for pos, leaf := range g.Data.Items() {
				if u := g.Node(pos); u != leaf {
					loss += float64(g.Tree.LeafCount(u))
				}
			}
			loss /= float64(c.in.Tree.Leaves()) * float64(c.in.Data.Occurrences())
			if v == "" {
				base[i] = loss
				if v := saved[c.name]; v > 0 {
					base[i] = v
				}
				if f := os.Getenv("MINGLE_SAVE"); f != "" {
					out, _ := os.OpenFile(f, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
					fmt.Fprintf(out, "%s=%.9g\n", c.name, loss)
					out.Close()
				}
				if os.Getenv("MINGLE_EACH") != "" {
					fmt.Printf("  %-20s %.5f occ %d cpu %.1f\n", c.name, loss, c.in.Data.Occurrences(), cpu()-begun)
				}
			}
			if base[i] < 1e-6 {
				continue
			}
			r := math.Log((loss + 1e-6) / (base[i] + 1e-6))
			if os.Getenv("MINGLE_EACH") == "2" {
				fmt.Printf("    %-20s %.3f\n", c.name, math.Exp(r))
			}
			sum += r
			n++
			by[c.name[len(c.name)-1:]] += r
			counts[c.name[len(c.name)-1:]]++
			if r > worst {
				worst, where = r, c.name
			}
			best = min(best, r)
		}
		fmt.Printf("%-34s mean %.4f  m2 %.4f m3 %.4f  worst %.3f (%s) best %.3f cpu %.1f\n", v, math.Exp(sum/float64(n)),
			math.Exp(by["2"]/counts["2"]), math.Exp(by["3"]/counts["3"]), math.Exp(worst), where, math.Exp(best), cpu()-begun)
	}
}
