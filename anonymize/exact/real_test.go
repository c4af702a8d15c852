package exact

import (
	"bufio"
	"compress/gzip"
	"os"
	"slices"
	"strings"
	"testing"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/testdata"
	"mingle/privacy"
)

func load(t testing.TB, name string) *dataset.Dataset {
	f, err := os.Open(testdata.Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var txs [][]string
	sc := bufio.NewScanner(z)
	sc.Buffer(nil, 1<<24)
	for sc.Scan() {
		txs = append(txs, strings.Fields(sc.Text()))
	}
	return dataset.FromLabels(txs)
}

func TestReal(t *testing.T) {
	name := os.Getenv("EXDATA")
	if name == "" {
		t.Skip()
	}
	d := load(t, name)
	labels := slices.Clone(d.Dict().Labels())
	slices.SortFunc(labels, dataset.CompareLabels)
	tree, err := hierarchy.Fanout(labels, 5)
	if err != nil {
		t.Fatal(err)
	}
	e, err := tree.Encode(d)
	if err != nil {
		t.Fatal(err)
	}
	m := 2
	if os.Getenv("EXM") != "" {
		m = int(os.Getenv("EXM")[0] - '0')
	}
	Run(anonymize.Input{Data: e, Tree: tree, Promise: privacy.KM{K: 5, M: m}})
}
