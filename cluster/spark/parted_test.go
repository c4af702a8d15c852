package spark_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"mingle/cluster"
	"mingle/cluster/spark"
	"mingle/dataset"
	"mingle/internal/soak"
	"mingle/privacy"
	"mingle/verify"
)

// inParts makes releases of local and partition in two parts, with some items sensitive: they keep
// their promise by the verifier of one machine, too, and each line is that of its original.
func inParts(ctx context.Context, t *testing.T, engine *spark.Engine) {
	t.Helper()
	o := read(t, "groceries", 3)
	o.hide(t)
	for _, r := range []cluster.Release{
		{Algorithm: "local", Seed: &[32]byte{20}},
		{Algorithm: "partition", Table: true}, // which the judge has read
	}[:soak.Share(1, 2)] {
		r.Engine, r.Version, r.Input, r.Layout = engine, version, o.folder, o.layout
		r.Promise, r.Parts = privacy.KM{K: 5, M: 2, L: 8}, 2
		r.Output = filepath.Join(t.TempDir(), "out")
		made, err := r.Make(ctx)
		give(t, ctx, err)
		if made.Parts < 2 || !made.Finding.Local || made.Finding.NCP > 0.3 ||
			made.Finding.Occurrences != int64(o.data.Occurrences()) {
			t.Errorf("%s in %d parts: %+v", r.Algorithm, made.Parts, made.Finding)
		}
		if r.Table {
			continue
		}
		lines := strings.NewReader(text(t, r.Output))
		published, err := dataset.Read(ctx, lines, r.Layout.Options())
		var sensitive *dataset.Dataset
		if err == nil {
			published, sensitive, err = o.layout.Apart(published)
		}
		if err == nil {
			published, err = o.tree.EncodePublished(published)
		}
		give(t, ctx, err)
		f, err := verify.KM(ctx, verify.KMInput{
			Tree: o.tree, Published: published, Original: o.data, Promise: r.Promise,
			PublishedSensitive: sensitive, OriginalSensitive: o.sensitive,
		})
		give(t, ctx, err)
		if !f.Holds {
			t.Errorf("%s: %+v", r.Algorithm, f)
		}
	}
}
