package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Every command that the README and the page of installation show in a block of shell code is run,
// all of a page in one empty directory, and must succeed.
func TestReadmeCommands(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the README's commands are for a POSIX shell")
	}
	for _, page := range []string{"README.md", "docs/install.md"} {
		t.Run(page, func(t *testing.T) { commandsOf(t, page) })
	}
}

func commandsOf(t *testing.T, page string) {
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(page)))
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllSubmatch(text, -1)
	if len(blocks) == 0 {
		t.Fatal("the page shows no commands")
	}
	dir := t.TempDir()
	for _, block := range blocks {
		runs(t, dir, string(block[1]))
		for _, made := range anonymizes.FindAllSubmatch(block[1], -1) {
			showsDetail(t, filepath.Join(dir, string(made[1])))
		}
	}
}

// anonymizes is a command that makes a release, with the file that it writes.
var anonymizes = regexp.MustCompile(`mingle anonymize (?:[^\n]|\\\n)*? -o (\S+)`)

// showsDetail: an example of a release is not one in which all is lost, published as the root of
// the hierarchies of these pages.
func showsDetail(t *testing.T, release string) {
	t.Helper()
	text, err := os.ReadFile(release)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	if lost := bytes.Count(text, []byte("*")); 2*lost > len(lines) {
		t.Errorf("%s: %d of %d lines publish the root", filepath.Base(release), lost, len(lines))
	}
}

func runs(t *testing.T, dir, commands string) {
	t.Helper()
	cmd := exec.Command("sh", "-eu")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(commands)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s\n%s", err, commands, out)
	}
}

// readersOwn are the files that examples of help name and say that the reader has.
var readersOwn = map[string]string{
	"visits.csv": "person,date\n1,2026-01-15\n2,2026-01-15\n3,2026-01-16\n4,2026-01-20\n" +
		"5,2026-01-31\n6,2026-02-01\n7,2026-02-01\n8,2026-02-03\n9,2026-02-09\n10,2026-02-28\n",
	"stays.jsonl": strings.Repeat(`{"items":["4019"],"diagnosis":"flu"}
{"items":["4019","25000"],"diagnosis":"gout"}
{"items":["25000"],"diagnosis":"none"}
{"items":["4280"],"diagnosis":"cough"}
`, 5),
}

// Every example of every command's help is run, all of a command in one empty directory, and must
// succeed. What needs a cluster or a server, asks, or serves until it is ended is only parsed.
func TestExamplesOfHelp(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("some of the examples are for a POSIX shell")
	}
	shown := 0
	examplesOf((&app{}).command(), func(cmd *cobra.Command) {
		shown++
		t.Run(cmd.CommandPath(), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, text := range readersOwn {
				if strings.Contains(cmd.Example, "# "+name+" is ") {
					err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)
					if err != nil {
						t.Fatal(err)
					}
				}
			}
			var commands []string
			for line := range strings.Lines(cmd.Example) {
				words := strings.Fields(line)
				switch {
				case !strings.HasPrefix(line, "  mingle "):
				case strings.HasPrefix(line, "  mingle init ") && !slices.Contains(words, "--yes"),
					words[1] == "serve", words[1] == "spark":
					parses(t, words[1:])
					continue
				}
				commands = append(commands, line)
			}
			runs(t, dir, strings.Join(commands, ""))
		})
	})
	if shown < 25 {
		t.Errorf("%d commands have examples", shown)
	}
}

func examplesOf(cmd *cobra.Command, see func(*cobra.Command)) {
	if cmd.Example != "" {
		see(cmd)
	}
	for _, below := range cmd.Commands() {
		examplesOf(below, see)
	}
}

// parses: the words name a command and flags that it has.
func parses(t *testing.T, words []string) {
	t.Helper()
	cmd, args, err := (&app{}).command().Find(words)
	if err == nil {
		err = cmd.ParseFlags(args)
	}
	if err != nil {
		t.Errorf("%v: %v", words, err)
	}
}
