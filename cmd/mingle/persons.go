package main

import (
	"fmt"
	"strconv"
	"strings"
)

// personShareFlag is the value of --max-person-share: the n of 1/n.
type personShareFlag int

func (s *personShareFlag) String() string {
	if *s == 0 {
		return ""
	}
	return fmt.Sprintf("1/%d", int(*s))
}

func (s *personShareFlag) Type() string { return "1/N" }

func (s *personShareFlag) Set(text string) error {
	n, err := strconv.Atoi(strings.TrimPrefix(text, "1/"))
	if err != nil || n < 2 || !strings.HasPrefix(text, "1/") {
		return fmt.Errorf("it is 1/N, where N is 2 or more, such as 1/5")
	}
	*s = personShareFlag(n)
	return nil
}
