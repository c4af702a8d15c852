// Command dist makes what is handed out of a version: static binaries for five platforms in
// archives with manual pages and shell completions, Debian packages, Python wheels, and their
// checksums. The same source and the same Go make the same bytes: nothing has a time but that of
// the last commit, and no path of the machine is in it.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mingle/pipeline"
)

// platforms are those that binaries are made for.
var platforms = []string{
	"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64",
}

func main() {
	out := flag.String("o", "dist", "directory of what is made")
	only := flag.String("platforms", strings.Join(platforms, ","), "the platforms, with commas")
	key := flag.String("sign", "", "private key of OpenSSH that signs the checksums (default: none)")
	what := flag.String("make", all, "what is made: all, wheels (of Python), or book (the documentation)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := dist(ctx, *out, strings.Split(*only, ","), *what)
	if err == nil && *key != "" {
		err = sign(ctx, *out, *key)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

// file is one file of an archive.
type file struct {
	name string // with slashes
	text []byte
	mode int64
}

// What is made.
const (
	all    = "all"
	wheels = "wheels" // of Python
	books  = "book"   // the documentation
)

// containerfile builds a container of the binary beside it. It is in the archives of Linux.
const containerfile = "Containerfile"

// dist makes all, or what is asked for alone, in the directory out; the sources are in the working
// directory.
func dist(ctx context.Context, out string, platforms []string, what string) error {
	if what != all && what != wheels && what != books {
		return fmt.Errorf("-make %s: it makes %s, %s or %s", what, all, wheels, books)
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	made := map[string][]byte{}
	if what != wheels {
		text, err := book(".", pipeline.Version)
		if err != nil {
			return err
		}
		made[fmt.Sprintf("mingle-%s-book.html", pipeline.Version)] = text
	}
	if what != books {
		if err := binaries(ctx, made, platforms, what == all); err != nil {
			return err
		}
	}
	var sums bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(made)) {
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(made[name]), name)
	}
	made["SHA256SUMS"] = sums.Bytes()
	for name, text := range made {
		if err := os.WriteFile(filepath.Join(out, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// binaries makes what holds the program: wheels, and the packages if these are asked for, too.
func binaries(
	ctx context.Context, made map[string][]byte, platforms []string, packages bool,
) error {
	when := commitTime(ctx)
	var beside []file
	if packages {
		var err error
		if beside, err = besideBinary(ctx, when); err != nil {
			return err
		}
	}
	for _, platform := range platforms {
		fmt.Println(platform)
		if err := platformFiles(ctx, made, platform, beside, when); err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
	}
	return nil
}

// platformFiles makes the wheel of a platform, and its packages where something is beside the
// binary.
func platformFiles(
	ctx context.Context, made map[string][]byte, platform string, beside []file, when time.Time,
) error {
	binary, err := build(ctx, platform)
	if err != nil {
		return err
	}
	bill, err := materials(binary, fmt.Sprintf("%x", sha256.Sum256(binary)), when)
	if err != nil {
		return err
	}
	others, err := licences(ctx, binary)
	if err != nil {
		return err
	}
	if len(beside) > 0 {
		with := append(slices.Clone(beside), file{"sbom.cdx.json", bill, 0o644},
			file{licencesFile, others, 0o644})
		if err := pack(made, platform, binary, with, when); err != nil {
			return err
		}
	}
	name, text, err := wheel(platform, binary, parts{bill, others}, when)
	made[name] = text
	return err
}

// pack puts a binary and what belongs to it into an archive and, of Linux, a Debian package.
func pack(
	made map[string][]byte, platform string, binary []byte, beside []file, when time.Time,
) error {
	system, arch, _ := strings.Cut(platform, "/")
	base := fmt.Sprintf("mingle-%s-%s-%s", pipeline.Version, system, arch)
	name, archive, ext := "mingle", tarball, ".tar.gz"
	if system == "windows" {
		name, archive, ext = "mingle.exe", zipped, ".zip"
	}
	all := append([]file{{name, binary, 0o755}}, beside...)
	if system != "linux" {
		all = slices.DeleteFunc(all, func(f file) bool { return f.name == containerfile })
	}
	for i := range all {
		all[i].name = base + "/" + all[i].name
	}
	var err error
	if made[base+ext], err = archive(all, when); err != nil || system != "linux" {
		return err
	}
	deb := fmt.Sprintf("mingle_%s_%s.deb", pipeline.Version, arch)
	made[deb], err = debian(arch, binary, beside, when)
	return err
}

// build compiles the program for a platform.
func build(ctx context.Context, platform string) ([]byte, error) {
	system, arch, _ := strings.Cut(platform, "/")
	dir, err := os.MkdirTemp("", "dist-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "mingle")
	_, err = run(ctx, []string{"CGO_ENABLED=0", "GOOS=" + system, "GOARCH=" + arch},
		"go", "build", "-trimpath", "-buildvcs=auto", "-ldflags=-s -w", "-o", path, "./cmd/mingle")
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// besideBinary is what archives have beside the binary.
func besideBinary(ctx context.Context, when time.Time) ([]file, error) {
	var out []file
	for _, name := range []string{
		"LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff", "docs/release.schema.json",
		"docs/report.schema.json", containerfile,
	} {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		out = append(out, file{filepath.Base(name), text, 0o644})
	}
	dir, err := os.MkdirTemp("", "dist-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	_, err = run(ctx, []string{"SOURCE_DATE_EPOCH=" + strconv.FormatInt(when.Unix(), 10)},
		"go", "run", "-tags", "man", "./cmd/mingle", dir)
	if err != nil {
		return nil, err
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			return nil, err
		}
		out = append(out, file{"man/" + filepath.Base(page), text, 0o644})
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		text, err := run(ctx, nil, "go", "run", "./cmd/mingle", "completion", shell)
		if err != nil {
			return nil, err
		}
		out = append(out, file{"completions/mingle." + shell, text, 0o644})
	}
	return out, nil
}

// commitTime is the time of the last commit; SOURCE_DATE_EPOCH where that is set; else a fixed one.
func commitTime(ctx context.Context) time.Time {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		out, err := run(ctx, nil, "git", "log", "-1", "--format=%ct")
		if err == nil {
			text = strings.TrimSpace(string(out))
		}
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return time.Unix(seconds, 0).UTC()
}

// run runs a program and returns its standard output.
func run(ctx context.Context, env []string, name string, args ...string) ([]byte, error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), env...), &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, errs.String())
	}
	return out.Bytes(), nil
}
