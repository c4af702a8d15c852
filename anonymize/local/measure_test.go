package local

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"mingle/anonymize/conformance"
	"mingle/privacy"
)

func TestMeasurePrototype(t *testing.T) {
	names := os.Getenv("PROTO")
	if names == "" {
		t.Skip()
	}
	for _, name := range strings.Fields(names) {
		for m := 2; m <= 3; m++ {
			in := conformance.Real(t, name, privacy.KM{K: 5, M: m})
			if os.Getenv("SEED") != "" {
				in.Seed = &[32]byte{1}
			}
			s := newSearch(context.Background(), in, 1)
			st := s.run()
			before := st.lost
			began := time.Now()
			c := newCompatibility(st)
			c.look()
			took := time.Since(began)
			branches := 0
			for _, b := range c.branches {
				branches += len(b)
			}
			per := 1 / float64(in.Tree.Leaves()) / float64(in.Data.Occurrences())
			st.makeCompatible()
			t.Logf("%s m=%d: %.6f, %d lines of %d, %d of %d branches fail (%v, %d sets), then %.6f", name, m, float64(before)*per, len(c.lines), st.merged.Len(), len(c.failing), branches, took, len(c.known), float64(st.lost)*per)
		}
	}
}
