package judge

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"mingle/cluster/split"
	"mingle/dataset"
)

// What a worker of the judge takes for the sets of 100,000 lines of ten of 200 labels.
func BenchmarkSets(b *testing.B) {
	var tree, text strings.Builder
	for i := range 200 {
		fmt.Fprintf(&tree, "%d;*\n", i)
	}
	rng := rand.New(rand.NewPCG(20, 11))
	for range 100_000 {
		for _, x := range rng.Perm(200)[:10] {
			fmt.Fprint(&text, x, " ")
		}
		text.WriteByte('\n')
	}
	layout := split.Layout{Format: dataset.Fimi, Hierarchy: []byte(tree.String())}
	t, err := layout.Tree()
	if err != nil {
		b.Fatal(err)
	}
	for m := 1; m <= 3; m++ {
		p := &plan{Layout: layout, M: m}
		b.Run(fmt.Sprint("m=", m), func(b *testing.B) {
			for b.Loop() {
				in := bytes.NewReader([]byte(text.String()))
				if err := p.sets(b.Context(), t, in, bufio.NewWriter(io.Discard)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
