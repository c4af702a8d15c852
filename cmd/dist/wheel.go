package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mingle/pipeline"
)

// wheelTags are what pip calls the systems that a binary runs on. Those for Linux are static: they
// need no library, so that any of glibc or musl will do. Go 1.26 needs macOS 12.
var wheelTags = map[string][]string{
	"linux/amd64":   {"manylinux2014_x86_64", "manylinux_2_17_x86_64", "musllinux_1_1_x86_64"},
	"linux/arm64":   {"manylinux2014_aarch64", "manylinux_2_17_aarch64", "musllinux_1_1_aarch64"},
	"darwin/amd64":  {"macosx_12_0_x86_64"},
	"darwin/arm64":  {"macosx_12_0_arm64"},
	"windows/amd64": {"win_amd64"},
}

// wheelMetadata is what pip is told (core metadata 2.1), but for the version and the description.
const wheelMetadata = `Metadata-Version: 2.1
Name: mingle
Version: %s
Summary: Publish set-valued data so that nobody in it can be singled out, and prove it
License: Apache-2.0
Requires-Python: >=3.10
Requires-Dist: pyarrow>=15
Provides-Extra: pandas
Requires-Dist: pandas>=2.1; extra == 'pandas'
Provides-Extra: polars
Requires-Dist: polars>=1.0; extra == 'polars'
Provides-Extra: progress
Requires-Dist: tqdm>=4.60; extra == 'progress'
Description-Content-Type: text/markdown

`

// parts are what a binary is made of: the bill of materials, and the licences of others.
type parts struct{ bill, licences []byte }

// wheel makes what pip installs: the module of python/src with the binary as its command, and what
// the binary is made of. It returns the name that pip asks for, and the file.
func wheel(platform string, binary []byte, of parts, when time.Time) (string, []byte, error) {
	tags := wheelTags[platform]
	if len(tags) == 0 {
		return "", nil, fmt.Errorf("there is no name for %s in wheelTags", platform)
	}
	files, err := pythonModule(filepath.Join("python", "src"))
	if err != nil {
		return "", nil, err
	}
	program := "mingle-" + pipeline.Version + ".data/scripts/mingle" // pip puts it on the path
	if strings.HasPrefix(platform, "windows/") {
		program += ".exe"
	}
	files = append(files, file{program, binary, 0o755})
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	about, err := aboutWheel(tags)
	if err != nil {
		return "", nil, err
	}
	files = append(files, about...) // last, as the format asks for
	files = append(files, file{wheelInfo() + licencesFile, of.licences, 0o644},
		file{wheelInfo() + "sboms/mingle.cdx.json", of.bill, 0o644})
	files = append(files, wheelRecord(files))
	name := fmt.Sprintf("mingle-%s-py3-none-%s.whl", pipeline.Version, strings.Join(tags, "."))
	text, err := zipped(files, when)
	return name, text, err
}

// pythonModule are the files of the module below dir.
func pythonModule(dir string) ([]file, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "mingle", "*.py"))
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("%s has no module: is this the top of the sources? %w", dir, err)
	}
	var out []file
	for _, path := range append(paths, filepath.Join(dir, "mingle", "py.typed")) {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		out = append(out, file{"mingle/" + filepath.Base(path), text, 0o644})
	}
	return out, nil
}

// aboutWheel is the folder that says what the wheel is.
func aboutWheel(tags []string) ([]file, error) {
	described, err := os.ReadFile(filepath.Join("docs", "python.md"))
	if err != nil {
		return nil, err
	}
	license, err := os.ReadFile("LICENSE")
	if err != nil {
		return nil, err
	}
	var about bytes.Buffer
	fmt.Fprintf(&about, "Wheel-Version: 1.0\nGenerator: mingle-dist (%s)\nRoot-Is-Purelib: false\n",
		pipeline.Version)
	for _, tag := range tags {
		fmt.Fprintf(&about, "Tag: py3-none-%s\n", tag)
	}
	dir := wheelInfo()
	return []file{
		{dir + "LICENSE", license, 0o644},
		{dir + "METADATA", append(fmt.Appendf(nil, wheelMetadata, pipeline.Version), described...), 0o644},
		{dir + "WHEEL", about.Bytes(), 0o644},
	}, nil
}

func wheelInfo() string { return "mingle-" + pipeline.Version + ".dist-info/" }

// wheelRecord lists the files with their hashes; of itself it has none.
func wheelRecord(files []file) file {
	var out bytes.Buffer
	name := wheelInfo() + "RECORD"
	for _, f := range files {
		sum := sha256.Sum256(f.text)
		fmt.Fprintf(&out, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]),
			len(f.text))
	}
	fmt.Fprintf(&out, "%s,,\n", name)
	return file{name, out.Bytes(), 0o644}
}
