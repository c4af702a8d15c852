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

// Every command that the README shows in a block of shell code is run, all in one empty directory,
// and must succeed.
func TestReadmeCommands(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the README's commands are for a POSIX shell")
	}
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllSubmatch(readme, -1)
	if len(blocks) == 0 {
		t.Fatal("the README shows no commands")
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
