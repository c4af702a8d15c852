package main

import (
	"encoding/json"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// The bill of this very test has Go and the module that is certainly in it, and is the same when it
// is made twice.
func TestMaterials(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text, err := materials(binary, strings.Repeat("0", 64), when)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := materials(binary, strings.Repeat("0", 64), when); string(again) != string(text) {
		t.Error("another time, another bill")
	}
	var out bom
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range out.Components {
		if seen[c.Ref] {
			t.Error(c.Ref, "is there twice")
		}
		seen[c.Ref] = true
		if !regexp.MustCompile(`^pkg:golang/[^@ ]+@[^ ]+$`).MatchString(c.Package) {
			t.Errorf("%q is no name of a package", c.Package)
		}
	}
	version := strings.TrimPrefix(strings.Fields(runtime.Version())[0], "go")
	if !seen["pkg:golang/std@"+version] {
		t.Error("Go itself is missing: ", seen)
	}
	if !strings.Contains(string(text), "pkg:golang/github.com/klauspost/compress@v") {
		t.Errorf("a module is missing:\n%s", text)
	}
	if _, err := materials([]byte("a binary"), "", when); err == nil {
		t.Error("a bill of what is no binary")
	}
}
