package lint

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Another module can use the packages by the program and the command that the page of installation
// shows.
func TestAnotherModuleImports(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "install.md"))
	if err != nil {
		t.Fatal(err)
	}
	program := regexp.MustCompile("(?s)```go\n(.*?)```").FindSubmatch(page)
	edit := regexp.MustCompile(`(?m)^    go (mod edit .*)$`).FindSubmatch(page)
	if program == nil || edit == nil {
		t.Fatal("the page shows no program, or not how its module is told")
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.org/job\n\ngo 1.26.0\n", "go.sum": string(sums),
		"main.go": string(program[1]),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	told := strings.ReplaceAll(string(edit[1]), "/path/to/mingle", root)
	for _, args := range [][]string{
		strings.Fields(told), {"list", "-mod=mod", "-deps", "."},
	} {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		if args[0] == "list" && !strings.Contains(string(out), "\nmingle/verify\n") {
			t.Errorf("the program does not have the packages:\n%s", out)
		}
	}
}

// The README and the documentation of the root number the stages alike.
func TestStagesHaveOneNumber(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	doc := strings.ReplaceAll(read("doc.go"), "\n//     ", " ")
	rows := regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (\\d):").FindAllStringSubmatch(read("README.md"), -1)
	if len(rows) < 7 {
		t.Fatalf("the README numbers %d packages", len(rows))
	}
	for _, row := range rows {
		stage := regexp.MustCompile(`(?m)^//  ` + row[2] + `\. .*\b` + row[1] + `\b`)
		if !stage.MatchString(doc) {
			t.Errorf("%s is stage %s in the README, and not in doc.go", row[1], row[2])
		}
	}
}
