package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"mingle/internal/soak"
	"mingle/pipeline"
)

var (
	when = time.Unix(1_700_000_000, 0).UTC()
	some = []file{
		{"LICENSE", []byte("a license"), 0o644},
		{licencesFile, []byte("licences"), 0o644},
		{"README.md", []byte("read"), 0o644},
		{"man/mingle.1", []byte(".TH mingle"), 0o644},
		{"completions/mingle.bash", []byte("complete"), 0o644},
		{containerfile, []byte("FROM scratch"), 0o644},
	}
)

// What is packed twice is the same, and a time is only that which was given.
func TestPackedTwiceIsTheSame(t *testing.T) {
	for _, platform := range platforms {
		first, second := map[string][]byte{}, map[string][]byte{}
		for _, made := range []map[string][]byte{first, second} {
			if err := pack(made, platform, []byte("a binary"), some, when); err != nil {
				t.Fatal(err)
			}
		}
		if len(first) == 0 {
			t.Errorf("%s: nothing is made", platform)
		}
		for name, text := range first {
			if !bytes.Equal(text, second[name]) {
				t.Errorf("%s differs", name)
			}
		}
	}
}

// Debian's own program reads the package.
func TestDebianPackage(t *testing.T) {
	program, err := exec.LookPath("dpkg-deb")
	if err != nil {
		t.Skip("there is no dpkg-deb: ", err)
	}
	text, err := debian("amd64", []byte("a binary"), some, when)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "mingle.deb")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		want []string
	}{
		{"--info", []string{"Package: mingle", "Version: " + pipeline.Version, "Architecture: amd64"}},
		{"--contents", []string{
			"-rwxr-xr-x root/root         8 2023-11-14", "./usr/bin/mingle",
			"./usr/share/man/man1/mingle.1.gz", "./usr/share/doc/mingle/copyright",
			"./usr/share/doc/mingle/" + licencesFile,
			"./usr/share/bash-completion/completions/mingle",
		}},
	} {
		out, err := exec.Command(program, c.what, path).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, want := range c.want {
			if !strings.Contains(string(out), want) {
				t.Errorf("dpkg-deb %s: %q is not in\n%s", c.what, want, out)
			}
		}
	}
}

// The citation is of this version.
func TestCitation(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "CITATION.cff"))
	if err != nil {
		t.Fatal(err)
	}
	var citation map[string]any
	if err := yaml.Unmarshal(text, &citation); err != nil {
		t.Fatal(err)
	}
	if citation["version"] != pipeline.Version {
		t.Errorf("CITATION.cff is of version %v, the program of %s", citation["version"],
			pipeline.Version)
	}
}

// The Python module is of this version.
func TestVersionOfTheModule(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "python", "src", "mingle", "__init__.py"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), fmt.Sprintf("\n__version__ = %q\n", pipeline.Version)) {
		t.Errorf("python/src/mingle/__init__.py is not of version %s", pipeline.Version)
	}
}

// make dist, twice, makes the same bytes: the second time nothing is there that was compiled
// before. That takes minutes; a soak takes one platform, five with the numbers 1 to 5 all.
func TestDistTwiceIsTheSameSoak(t *testing.T) {
	if !soak.All() {
		t.Skip("it compiles everything anew: make soak does")
	}
	t.Chdir(filepath.Join("..", ".."))
	platform := platforms[soak.Turn()%len(platforms)]
	t.Log(platform)
	var sums [2][]byte
	for i := range sums {
		if i > 0 {
			t.Setenv("GOCACHE", t.TempDir())
		}
		out := t.TempDir()
		if err := dist(t.Context(), out, []string{platform}, all); err != nil {
			t.Fatal(err)
		}
		var err error
		if sums[i], err = os.ReadFile(filepath.Join(out, "SHA256SUMS")); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(sums[0], sums[1]) {
		t.Errorf("first:\n%s\nsecond:\n%s", sums[0], sums[1])
	}
}
