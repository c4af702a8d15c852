package spark

import (
	"bufio"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// Tasks is how far a stage of a job is, as Spark tells it: each stage has tasks of its own.
type Tasks struct {
	Stage       int // numbered by Spark
	Done, Total int64
}

// bar is how Spark shows that on standard error: "[Stage 3:====>    (5 + 2) / 16]", behind a
// carriage return and before another, which may stand before other messages.
var bar = regexp.MustCompile(`\[Stage (\d+):[^\]]*\((\d+) \+ \d+\) / (\d+)\]`)

// messages reads standard error: do gets every line, and tasks what bars tell.
func messages(r io.Reader, do func(line string), tasks func(Tasks)) {
	in := bufio.NewReaderSize(r, 1<<16)
	var text []byte
	for {
		c, err := in.ReadByte()
		if err == nil && c != '\n' && c != '\r' {
			text = append(text, c)
			continue
		}
		if line := barred(string(text), tasks); strings.TrimSpace(line) != "" {
			do(line)
		}
		text = text[:0]
		if err != nil {
			return
		}
	}
}

// barred is a line without the bars that it has.
func barred(line string, tasks func(Tasks)) string {
	all := bar.FindAllStringSubmatch(line, -1)
	if all == nil {
		return line
	}
	for _, one := range all {
		stage, _ := strconv.Atoi(one[1])
		done, _ := strconv.ParseInt(one[2], 10, 64)
		total, err := strconv.ParseInt(one[3], 10, 64)
		if err == nil && tasks != nil {
			tasks(Tasks{stage, done, total})
		}
	}
	return strings.TrimLeft(bar.ReplaceAllString(line, ""), " ")
}
