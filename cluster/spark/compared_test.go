package spark_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"mingle/attack"
	"mingle/cluster"
	"mingle/cluster/spark"
	"mingle/dataset"
	"mingle/measure"
)

// compared measures and attacks a release: the figures are those of one machine.
func compared(
	ctx context.Context, t *testing.T, engine *spark.Engine, o *original, published []byte,
) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "published.dat")
	if err := os.WriteFile(path, published, 0o666); err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Read(ctx, bytes.NewReader(published), o.layout.Options())
	if err != nil {
		t.Fatal(err)
	}
	if d, _, err = o.layout.Apart(d); err == nil {
		d, err = o.tree.EncodePublished(d)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := cluster.Compared{
		Engine: engine, Version: version, Layout: o.layout, Original: o.folder, Published: path,
	}
	ncp, err := measure.NCPOf(t.Context(), o.tree, o.data, d, 1)
	if err != nil {
		t.Fatal(err)
	}
	losses, err := c.Measure(ctx)
	give(t, ctx, err)
	if !reflect.DeepEqual(*losses.NCP, ncp) {
		t.Errorf("the cluster measures %+v, one machine %+v", losses.NCP, ncp)
	}
	here, err := attack.Generalized(o.tree, o.data, d)
	if err == nil && o.sensitive != nil {
		err = here.Sensitive(o.sensitive, o.sensitive)
	}
	if err != nil {
		t.Fatal(err)
	}
	want, err := here.Run(ctx, attack.Options{K: 5, M: 2, Exact: 1 << 40, Draws: 1})
	give(t, ctx, err)
	want.Linking, want.Seed, want.Notes = nil, 0, append(want.Notes, cluster.NotLinked)
	got, err := c.Attack(ctx, 5, 2)
	give(t, ctx, err)
	if !near(reflect.ValueOf(got), reflect.ValueOf(want)) {
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		t.Errorf("the cluster says\n%s\none machine\n%s", a, b)
	}
}

// near tells whether two values are the same but for rounding.
func near(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Float64:
		return math.Abs(a.Float()-b.Float()) <= 1e-9*max(1, math.Abs(a.Float()))
	case reflect.Pointer:
		return a.IsNil() == b.IsNil() && (a.IsNil() || near(a.Elem(), b.Elem()))
	case reflect.Struct:
		for i := range a.NumField() {
			if !near(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		for i := range a.Len() {
			if i >= b.Len() || !near(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return a.Len() == b.Len()
	}
	return a.Equal(b)
}
