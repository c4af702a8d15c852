package place

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Paths that lead to one place are known as such, however they are spelt.
func TestInside(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	if err := os.Mkdir(in, 0o777); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(in, link); err != nil {
		t.Skip(err)
	}
	t.Chdir(dir)
	for _, one := range []struct {
		path, folder string
		want         bool
	}{
		{in, in, true},
		{"in", "file://" + in, true},
		{"./in/../in/", in, true},
		{link, in, true},
		{filepath.Join(link, "new", "x"), in, true},
		{in, dir, true},
		{dir, in, false},
		{in, "/", true},
		{in + "side", in, false},
		{"hdfs://host/a/b", "hdfs://host/a", true},
		{"hdfs://HOST:8020/a//b/..", "hdfs://host/a", true},
		{"hdfs:///a", "hdfs://host/a", true},
		{"hdfs://host/a", "hdfs://host", true},
		{"hdfs://host/ab", "hdfs://host/a", false},
		{"hdfs://other/a", "hdfs://host/a", false},
		{"s3://lake/a", "s3a://lake/a", true},
		{"s3a://lake/a", "s3a://pond/a", false},
		{"s3a://lake/a", "hdfs://lake/a", false},
		{"hdfs://host" + in, in, false},
	} {
		if got := Inside(one.path, one.folder); got != one.want {
			t.Errorf("%s in %s: %v", one.path, one.folder, got)
		}
	}
}

// What is refused is named, and how it lies; what is not given is not looked at.
func TestApart(t *testing.T) {
	out := Named{"--output", "/x/y"}
	for at, want := range map[string]string{
		"/x/y": "is the same as", "/x": "lies in", "/x/y/z": "is a folder that has in it",
	} {
		err := Apart(out, Named{"--report", ""}, Named{"INPUT", "/z"}, Named{"INPUT", at})
		want = "--output (/x/y) " + want + " INPUT (" + at + "): "
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q and not %q", err, want)
		}
	}
	if err := Apart(out, Named{"INPUT", "/x/z"}, Named{"--report", ""}); err != nil {
		t.Error(err)
	}
}

func TestQuoted(t *testing.T) {
	query := "SELECT `a`, b FROM parquet.`/lake/x` JOIN csv.`hdfs://host/y/*` ON true"
	if got := Quoted(query); !slices.Equal(got, []string{"/lake/x", "hdfs://host/y/*"}) {
		t.Errorf("%q", got)
	}
}
