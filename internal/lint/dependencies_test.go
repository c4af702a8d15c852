package lint

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every module of go.mod has a row in docs/dependencies.md, in the part that tells whether it is in
// the program, on any of the systems it is made for; and no row is of another.
func TestDependenciesAreTold(t *testing.T) {
	mod, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "dependencies.md"))
	if err != nil {
		t.Fatal(err)
	}
	var modules []string
	for _, found := range regexp.MustCompile(`(?m)^\t(\S+) v\S+`).FindAllSubmatch(mod, -1) {
		modules = append(modules, string(found[1]))
	}
	within, beside, _ := strings.Cut(string(page), "## For tests")
	row := regexp.MustCompile(`(?m)^\| (\S+\.\S+/\S*) \| `)
	told := map[string]bool{} // whether it is in the program
	for inside, text := range map[bool]string{true: within, false: beside} {
		for _, found := range row.FindAllStringSubmatch(text, -1) {
			told[found[1]] = inside
			if !slices.Contains(modules, found[1]) {
				t.Errorf("docs/dependencies.md has %s, and go.mod does not", found[1])
			}
		}
	}
	linked := modulesOfProgram(t)
	for _, m := range modules {
		inside, is := told[m]
		if !is {
			t.Errorf("docs/dependencies.md lacks %s", m)
		} else if inside != slices.Contains(linked, m) {
			t.Errorf("docs/dependencies.md says of %s: in the program %v", m, inside)
		}
	}
}

// modulesOfProgram are the modules with code in the program on some system.
func modulesOfProgram(t *testing.T) (out []string) {
	t.Helper()
	for _, system := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", module+"/cmd/mingle")
		cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		text, err := cmd.Output()
		if err != nil {
			t.Skipf("go list: %v", err)
		}
		out = append(out, strings.Fields(string(text))...)
	}
	return out
}
