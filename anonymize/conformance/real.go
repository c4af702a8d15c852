package conformance

import (
	"slices"
	"strings"
	"testing"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/testdata"
	"mingle/measure"
	"mingle/privacy"
	"mingle/release"
	"mingle/verify"
)

// Real is a public data set ("retail", or "online-retail-ii/online-retail-ii-invoices") under a
// tree of fan-out 5 over its items in natural order; groceries and the MIMIC demo come with trees
// of their own. The test is skipped where the data is absent.
func Real(t testing.TB, name string, promise privacy.KM) anonymize.Input {
	t.Helper()
	file := name
	if !strings.Contains(name, "/") {
		file = name + "/" + name
	}
	d, err := dataset.Open(t.Context(), testdata.Path(t, file+".dat.gz"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tree := treeOf(t, name, d)
	bound, err := tree.Encode(d)
	if err != nil {
		t.Fatal(err)
	}
	return anonymize.Input{Data: bound, Tree: tree, Promise: promise}
}

func treeOf(t testing.TB, name string, d *dataset.Dataset) *hierarchy.Tree {
	t.Helper()
	var tree *hierarchy.Tree
	var err error
	switch {
	case name == "groceries":
		tree, err = fromTable(t, "groceries/groceries_items_hierarchy.csv",
			func(row []string) []string {
				return []string{row[0], "2:" + row[2], "1:" + row[3], "*"}
			})
	case strings.HasPrefix(name, "mimic3-demo/"):
		tree, err = fromTable(t, "mimic3-demo/items.csv", func(row []string) []string {
			return []string{row[0], "3:" + row[3], "2:" + row[3][:2], "1:" + row[3][:1], "*"}
		})
	default:
		labels := slices.Clone(d.Dict().Labels())
		slices.SortFunc(labels, dataset.CompareLabels)
		tree, err = hierarchy.Fanout(labels, 5)
	}
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// fromTable makes a tree of a table with a header: path tells the way up from the item of a row.
func fromTable(
	t testing.TB, name string, path func(row []string) []string,
) (*hierarchy.Tree, error) {
	t.Helper()
	b := hierarchy.NewBuilder()
	for i, row := range testdata.Rows(t, name) {
		if err := b.Path(path(row), i+2); err != nil {
			return nil, err
		}
	}
	return b.Build(hierarchy.BuildOptions{})
}

// Verified fails the test unless the verifier finds that a release keeps its promise: in the
// published view and, for a local recoding, against an adversary with original items. It returns
// the release's NCP.
func Verified(t testing.TB, in anonymize.Input, g *release.Generalized) float64 {
	t.Helper()
	if f := Judge(t, in, g.Published()); !f.Holds {
		t.Fatalf("refused: %d breaches, the first %+v", f.BreachCount, f.Breaches[0])
	}
	return measure.NCP(g).NCP
}

// Loss is the NCP of what an algorithm publishes, verified.
func Loss(t testing.TB, in anonymize.Input, a anonymize.Algorithm) float64 {
	t.Helper()
	g, err := a.Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	ncp := Verified(t, in, g)
	t.Logf("%s: NCP %.6f", a.Name(), ncp)
	return ncp
}

// Judge is what the verifier finds about published data.
func Judge(t testing.TB, in anonymize.Input, published *dataset.Dataset) *verify.Finding {
	t.Helper()
	f, err := verify.KM(t.Context(), verify.KMInput{
		Tree: in.Tree, Published: published, Original: in.Data, Promise: in.Promise,
		PublishedSensitive: in.Sensitive, OriginalSensitive: in.Sensitive,
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}
