package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// What goes to people is escaped wherever it is written.
func TestNoControlCharacterIsPrinted(t *testing.T) {
	const evil = "a\x1b]0;owned\x07"
	var out, errs bytes.Buffer
	c := &console{out: &out, errs: &errs}
	if err := c.print(evil+"\n", nil); err != nil {
		t.Fatal(err)
	}
	c.showBar(evil, 1, 10)
	printError(&errs, errors.New(evil))
	if all := out.String() + errs.String(); strings.Contains(all, "\x1b]0") || strings.Contains(all, "\x07") {
		t.Errorf("%q", all)
	}
}
