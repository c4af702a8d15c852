package cluster_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mingle/cluster"
	"mingle/cluster/fake"
	"mingle/cluster/split"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/testdata"
	"mingle/privacy"
)

// What is lost in one part, which is what one machine loses, and in more. MINGLE_PARTS names the
// data sets, the algorithms, the sizes m and the numbers of parts: groceries/local/2/1,2,4.
func TestLossInParts(t *testing.T) {
	asked := os.Getenv("MINGLE_PARTS")
	if asked == "" {
		t.Skip("measured when it is asked for, by MINGLE_PARTS")
	}
	f := strings.Split(asked, "/")
	for _, name := range strings.Split(f[0], ",") {
		r := realData(t, name)
		for _, r.Algorithm = range strings.Split(f[1], ",") {
			for _, m := range strings.Split(f[2], ",") {
				for _, n := range strings.Split(f[3], ",") {
					r.Promise.K, r.Seed = 5, &[32]byte{1}
					fmt.Sscan(m+" "+n, &r.Promise.M, &r.Parts)
					r.Output = filepath.Join(t.TempDir(), "out")
					made, err := r.Make(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					t.Logf("| %s | %s | %d | %d | %.6f |", name, r.Algorithm, r.Promise.M, made.Parts,
						made.Finding.NCP)
				}
			}
		}
	}
}

// realData is a release to be made of a public data set.
func realData(t *testing.T, name string) cluster.Release {
	t.Helper()
	f, err := os.Open(testdata.Path(t, name+"/"+name+".dat.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	packed, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(packed)
	if err != nil {
		t.Fatal(err)
	}
	layout := split.Layout{Format: dataset.Fimi}
	d, err := dataset.Read(t.Context(), bytes.NewReader(text), layout.Options())
	if err != nil {
		t.Fatal(err)
	}
	tree, err := hierarchy.Fanout(d.Dict().Labels(), 5)
	if err != nil {
		t.Fatal(err)
	}
	var spelt bytes.Buffer
	if err := hierarchy.Write(&spelt, tree, hierarchy.ARX); err != nil {
		t.Fatal(err)
	}
	layout.Hierarchy = spelt.Bytes()
	input := filepath.Join(t.TempDir(), "in.dat")
	if err := os.WriteFile(input, text, 0o666); err != nil {
		t.Fatal(err)
	}
	e := &fake.Engine{Work: work, Rng: rand.New(rand.NewPCG(1, 1)), Lines: 1 << 20, Calm: true}
	return cluster.Release{
		Engine: e, Version: version, Input: input, Layout: layout, Promise: privacy.KM{},
	}
}
