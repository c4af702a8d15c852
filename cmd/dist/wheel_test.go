package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A wheel is the same when it is made twice, its list has each file with its hash, its tags are
// those of its name, and the command in it can be run.
func TestWheel(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	of := parts{[]byte("a bill"), []byte("licences")}
	for _, platform := range platforms {
		name, text, err := wheel(platform, []byte("a binary"), of, when)
		if err != nil {
			t.Fatal(err)
		}
		if _, again, _ := wheel(platform, []byte("a binary"), of, when); !bytes.Equal(text, again) {
			t.Errorf("%s: another time, another wheel", platform)
		}
		r, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			t.Fatal(err)
		}
		files, command := map[string][]byte{}, ""
		for _, f := range r.File {
			files[f.Name] = content(t, f)
			if !f.Modified.Equal(when) {
				t.Errorf("%s: %s is of %v", platform, f.Name, f.Modified)
			}
			if f.Mode().Perm()&0o111 != 0 {
				command += f.Name
			}
		}
		if !strings.Contains(command, ".data/scripts/mingle") ||
			strings.HasSuffix(command, ".exe") != (platform == "windows/amd64") {
			t.Errorf("%s: the command is %q", platform, command)
		}
		checkRecord(t, files)
		if string(files[wheelInfo()+licencesFile]) != "licences" {
			t.Errorf("%s: the licences of others are missing", name)
		}
		tags := strings.Split(strings.TrimSuffix(name[strings.LastIndex(name, "-")+1:], ".whl"), ".")
		for _, tag := range tags {
			line := "Tag: py3-none-" + tag + "\n"
			if !bytes.Contains(files[wheelInfo()+"WHEEL"], []byte(line)) {
				t.Errorf("%s: no %q", name, line)
			}
		}
		if !slices.Equal(tags, wheelTags[platform]) {
			t.Errorf("%s has the tags %v", name, tags)
		}
	}
	if _, _, err := wheel("plan9/amd64", nil, of, when); err == nil {
		t.Error("a wheel for a system that pip does not know")
	}
}

func content(t *testing.T, f *zip.File) []byte {
	t.Helper()
	in, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	text, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// checkRecord holds the list of a wheel against its files.
func checkRecord(t *testing.T, files map[string][]byte) {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(files[wheelInfo()+"RECORD"])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(files) {
		t.Errorf("%d files, %d in the list", len(files), len(rows))
	}
	for _, row := range rows {
		text, there := files[row[0]]
		sum := sha256.Sum256(text)
		want := "sha256=" + base64.RawURLEncoding.EncodeToString(sum[:])
		if !there || row[1] != "" && (row[1] != want || row[2] != fmt.Sprint(len(text))) {
			t.Errorf("in the list: %v", row)
		}
	}
}

// pythonOf is a Python that has what the tests of the module need: the one that MINGLE_PYTHON
// names, or that tools/python.sh made. Without it the test is skipped.
func pythonOf(t *testing.T) string {
	t.Helper()
	name := os.Getenv("MINGLE_PYTHON")
	if cache, err := os.UserCacheDir(); name == "" && err == nil {
		name = filepath.Join(cache, "mingle-python", "bin", "python")
	}
	const needed = "import mypy, nbclient, ipykernel, matplotlib, pandas, polars, pyarrow, pytest, tqdm"
	if out, err := exec.Command(name, "-c", needed).CombinedOutput(); err != nil {
		t.Skipf("there is no Python with what the module's tests need (tools/python.sh makes one): "+
			"%v %s", err, out)
	}
	return name
}

// typesCache is where mypy keeps what it knows of the modules that the module's tests need.
func typesCache(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		return t.TempDir()
	}
	return filepath.Join(cache, "mingle", "mypy")
}

// The wheel of this system as pip installs it: its types are right, and its tests pass.
func TestPython(t *testing.T) {
	python := pythonOf(t)
	platform := runtime.GOOS + "/" + runtime.GOARCH
	if wheelTags[platform] == nil {
		t.Skip("there is no wheel of this system")
	}
	t.Chdir(filepath.Join("..", ".."))
	made, installed := t.TempDir(), t.TempDir()
	if err := dist(t.Context(), made, []string{platform}, wheels); err != nil {
		t.Fatal(err)
	}
	wheels, err := filepath.Glob(filepath.Join(made, "*.whl"))
	if err != nil || len(wheels) != 1 {
		t.Fatal("wheels: ", wheels, err)
	}
	for _, args := range [][]string{
		{"-m", "pip", "install", "-q", "--no-index", "--no-deps", "--target", installed, wheels[0]},
		{"-m", "mypy", "--cache-dir", typesCache(t)},
		{"-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "pythonpath="},
	} {
		cmd := exec.CommandContext(t.Context(), python, args...)
		cmd.Dir = "python"
		cmd.Env = append(os.Environ(), "PYTHONPATH="+installed, "PYTHONDONTWRITEBYTECODE=1",
			"MINGLE_PROGRAM=", "PIP_DISABLE_PIP_VERSION_CHECK=1", "MPLBACKEND=agg")
		if args[1] == "mypy" {
			cmd.Env = append(cmd.Env, "PYTHONPATH=") // it looks at the sources
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("python %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}
