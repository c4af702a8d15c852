package core_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"mingle/anonymize/conformance"
	"mingle/anonymize/core"
	"mingle/measure"
	"mingle/privacy"
)

func TestExplore(t *testing.T) {
	names := strings.Fields(os.Getenv("DATA"))
	core.Log = func(f string, a ...any) { fmt.Printf("  "+f+"\n", a...) }
	for _, name := range names {
		for m := 2; m <= 3; m++ {
			if os.Getenv("M") != "" && os.Getenv("M") != fmt.Sprint(m) {
				continue
			}
			k := 5
			if strings.HasPrefix(name, "mimic3") {
				k = 2
			}
			in := conformance.Real(t, name, privacy.KM{K: k, M: m, Knows: privacy.OfAlgorithm})
			start := time.Now()
			g, err := core.Algorithm{}.Anonymize(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			d := time.Since(start)
			fmt.Printf("%s m=%d core %.5f in %.1fs\n", name, m, measure.NCP(g).NCP, d.Seconds())
			if os.Getenv("VERIFY") != "" {
				start := time.Now()
				conformance.Verified(t, in, g)
				fmt.Printf("   verified in %.1f\n", time.Since(start).Seconds())
			}
		}
	}
}
