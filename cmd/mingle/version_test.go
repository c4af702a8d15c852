package main

import "testing"

func TestVersionText(t *testing.T) {
	if got := versionText(source{Version: "1.2.3", Go: "go1"}); got != "mingle 1.2.3\n" {
		t.Errorf("%q", got)
	}
	s := source{"1.2.3", "abc", "2026-11-22T10:00:00Z", true, "go1"}
	want := "mingle 1.2.3\nbuilt from abc of 2026-11-22T10:00:00Z, with changes, by go1\n"
	if got := versionText(s); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
