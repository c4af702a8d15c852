package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"mingle/pipeline"
)

// tarball packs files in their order, with their directories, all of nobody in particular.
func tarball(files []file, when time.Time) ([]byte, error) {
	var out bytes.Buffer
	zw, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(zw)
	for _, dir := range directories(files) {
		err := w.WriteHeader(&tar.Header{
			Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o755, ModTime: when,
			Format: tar.FormatUSTAR, Uname: "root", Gname: "root",
		})
		if err != nil {
			return nil, err
		}
	}
	for _, f := range files {
		err := w.WriteHeader(&tar.Header{
			Typeflag: tar.TypeReg, Name: f.name, Size: int64(len(f.text)), Mode: f.mode,
			ModTime: when, Format: tar.FormatUSTAR, Uname: "root", Gname: "root",
		})
		if err == nil {
			_, err = w.Write(f.text)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	err = zw.Close()
	return out.Bytes(), err
}

// directories are those above files, each once, the outer first.
func directories(files []file) []string {
	var out []string
	for _, f := range files {
		for dir := path.Dir(f.name); dir != "." && dir != "/"; dir = path.Dir(dir) {
			if !slices.Contains(out, dir) {
				out = append(out, dir)
			}
		}
	}
	slices.Sort(out)
	return out
}

// zipped packs files as Windows has it.
func zipped(files []file, when time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		head := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: when}
		head.SetMode(fs.FileMode(f.mode))
		in, err := w.CreateHeader(head)
		if err == nil {
			_, err = in.Write(f.text)
		}
		if err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// debian makes a Debian package: an archive of the format "ar" with the version of the format, what
// the package manager is told, and the files.
func debian(arch string, binary []byte, beside []file, when time.Time) ([]byte, error) {
	files := []file{{"./usr/bin/mingle", binary, 0o755}}
	for _, f := range beside {
		place, text := debianPlace(f.name), f.text
		if place == "" {
			continue
		}
		if f.name == "LICENSE" {
			text = []byte(debianCopyright)
		}
		if strings.HasSuffix(place, ".gz") {
			var packed bytes.Buffer
			w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
			if err == nil {
				_, err = w.Write(text)
			}
			if err == nil {
				err = w.Close()
			}
			if err != nil {
				return nil, err
			}
			text = packed.Bytes()
		}
		files = append(files, file{"./" + place, text, 0o644})
	}
	size := 0
	for _, f := range files {
		size += len(f.text)
	}
	control, err := tarball([]file{{"./control", []byte(debianControl(arch, size)), 0o644}}, when)
	if err != nil {
		return nil, err
	}
	data, err := tarball(files, when)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString("!<arch>\n")
	for _, member := range []file{
		{"debian-binary", []byte("2.0\n"), 0o100644},
		{"control.tar.gz", control, 0o100644},
		{"data.tar.gz", data, 0o100644},
	} {
		fmt.Fprintf(&out, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", member.name, when.Unix(), 0, 0,
			member.mode, len(member.text))
		out.Write(member.text)
		if len(member.text)%2 == 1 {
			out.WriteByte('\n')
		}
	}
	return out.Bytes(), nil
}

// debianPlace is where Debian has a file; "": nowhere.
func debianPlace(name string) string {
	switch name {
	case "LICENSE":
		return "usr/share/doc/mingle/copyright"
	case "CHANGELOG.md":
		return "usr/share/doc/mingle/changelog.gz"
	case "README.md", "CITATION.cff", "release.schema.json", "report.schema.json",
		"sbom.cdx.json", licencesFile:
		return "usr/share/doc/mingle/" + name
	case "completions/mingle.bash":
		return "usr/share/bash-completion/completions/mingle"
	case "completions/mingle.zsh":
		return "usr/share/zsh/vendor-completions/_mingle"
	case "completions/mingle.fish":
		return "usr/share/fish/vendor_completions.d/mingle.fish"
	}
	if page, is := strings.CutPrefix(name, "man/"); is {
		return "usr/share/man/man1/" + page + ".gz"
	}
	return ""
}

// debianCopyright is what Debian has in place of a licence that comes with the system, in the form
// that programs read.
const debianCopyright = `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: mingle

Files: *
Copyright: The mingle authors
License: Apache-2.0
Comment: The program holds parts that others wrote. Their licences are in
 /usr/share/doc/mingle/` + licencesFile + `.

License: Apache-2.0
 On Debian systems the text of the Apache License, Version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
`

// debianControl is what the package manager is told.
func debianControl(arch string, size int) string {
	return fmt.Sprintf(`Package: mingle
Version: %s
Architecture: %s
Maintainer: The mingle authors <mingle@example.org>
Installed-Size: %d
Section: science
Priority: optional
Description: publish set-valued data so that nobody in it can be singled out
 mingle publishes baskets, diagnoses, clicks, queries and payments with a promise
 that an independent verifier checks before anything is written, and a report that
 is safe to publish.
`, pipeline.Version, arch, (size+1023)/1024)
}
