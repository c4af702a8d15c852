package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// Each module that was compiled into this very test has its licences there, as Go has, and they are
// the same when they are taken twice.
func TestLicences(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	text, err := licences(t.Context(), binary)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := licences(t.Context(), binary); !bytes.Equal(text, again) {
		t.Error("another time, other licences")
	}
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil || len(info.Deps) == 0 {
		t.Fatal(info, err)
	}
	for _, m := range info.Deps {
		if !strings.Contains(string(text), "\n"+m.Path+"@"+m.Version+": LICENSE") {
			t.Errorf("%s has none", m.Path)
		}
	}
	for _, want := range []string{"\nGo go1", ": snappy/LICENSE", "The Go Authors"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is missing", want)
		}
	}
	if dir := filepath.Dir(program); strings.Contains(string(text), dir) {
		t.Error("a path of the machine is in it")
	}
	if err := addLicences(new(bytes.Buffer), "m", t.TempDir(), true); err == nil {
		t.Error("a module without a licence is taken")
	}
}

// Archives have the licences of others beside the binary, of each system.
func TestArchivesHaveLicences(t *testing.T) {
	made := map[string][]byte{}
	if err := pack(made, "darwin/arm64", []byte("a binary"), some, when); err != nil {
		t.Fatal(err)
	}
	for name, text := range made {
		unpacked, err := gzip.NewReader(bytes.NewReader(text))
		if err != nil {
			t.Fatal(name, err)
		}
		has := false
		for r := tar.NewReader(unpacked); ; {
			head, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(name, err)
			}
			has = has || path.Base(head.Name) == licencesFile
		}
		if !has {
			t.Errorf("%s has no %s", name, licencesFile)
		}
	}
}
