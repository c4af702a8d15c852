package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// licencesFile has the licences of what others wrote and a binary holds. Most of them ask that
// their text and their copyright come with it.
const licencesFile = "THIRD-PARTY-LICENSES"

// licences are the texts about licences of all that Go compiled into a binary, and Go's own.
func licences(ctx context.Context, binary []byte) ([]byte, error) {
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		return nil, fmt.Errorf("the binary does not say what it is made of: %w", err)
	}
	root, err := run(ctx, nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	dirs, err := run(ctx, nil, "go", "list", "-m", "-f", "{{.Path}}@{{.Version}}\t{{.Dir}}", "all")
	if err != nil {
		return nil, err
	}
	folder := map[string]string{}
	for line := range strings.Lines(string(dirs)) {
		module, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		folder[module] = dir
	}
	var out bytes.Buffer
	out.WriteString("The program mingle holds parts of what follows, with their licences.\n")
	err = addLicences(&out, "Go "+info.GoVersion, strings.TrimSpace(string(root)), false)
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		if err == nil {
			module := m.Path + "@" + m.Version
			err = addLicences(&out, module, folder[module], true)
		}
	}
	return out.Bytes(), err
}

var aboutLicence = regexp.MustCompile(
	`(?i)^(licen[cs]e|notice|copying|copyright|patents)([-._].*)?$`)

// addLicences adds the texts in the folder of a module, by their names; deep: also those of its
// folders, where code of others is.
func addLicences(out *bytes.Buffer, module, dir string, deep bool) error {
	if dir == "" {
		return fmt.Errorf("%s: the folder of the module is not known", module)
	}
	found := false
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != dir && (!deep || d.Name() == "testdata"):
			return fs.SkipDir
		case !d.Type().IsRegular() || !aboutLicence.MatchString(d.Name()),
			filepath.Ext(path) == ".go":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		found = true
		fmt.Fprintf(out, "\n%s\n%s: %s\n\n%s\n", strings.Repeat("=", 80), module,
			filepath.ToSlash(name),
			strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")))
		return err
	})
	if err == nil && !found {
		err = fmt.Errorf("%s: %s has no licence", module, dir)
	}
	return err
}
