package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"
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
		cmd := exec.Command("sh", "-eu")
		cmd.Dir, cmd.Stdin = dir, bytes.NewReader(block[1])
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s\n%s", err, block[1], out)
		}
	}
}
