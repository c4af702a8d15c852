package main

import (
	"regexp"
	"strings"
	"testing"
)

// Who types the name alone is told three things, and the commands among them work.
func TestToBegin(t *testing.T) {
	if n := strings.Count(toBegin, "\n"); n != 3 {
		t.Errorf("%d lines", n)
	}
	commands := regexp.MustCompile(`mingle (generate|inspect)[a-z .-]*`).FindAllString(toBegin, -1)
	if len(commands) != 2 || !strings.Contains(toBegin, "mingle serve") {
		t.Fatalf("%q", commands)
	}
	sh(t, t.TempDir(), strings.Join(commands, "\n"))
}
