package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// named is a line of the page that names mutants.
var named = regexp.MustCompile(`^    (\S+\.go \S+: .*\S)\s*$`)

// readKnown reads the page that names mutants: the indented lines, but for commands.
func readKnown(path string) (map[string]bool, error) {
	out := map[string]bool{}
	if path == "" {
		return out, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if m := named.FindStringSubmatch(line); m != nil {
			out[m[1]] = true
		}
	}
	return out, nil
}

// tell prints the figures and the survivors; it returns false if there are any.
func tell(s *source, results []result) bool {
	count := map[string]int{}
	for _, r := range results {
		count[r.Fate]++
		if r.Fate == string(survived) || r.Fate == string(unreached) {
			fmt.Printf("%s:%d %s\n    %s\n", r.Fate, r.Line, r.By, r.Name)
		}
	}
	left := count[string(survived)] + count[string(unreached)]
	dead := count[string(killed)] + count[string(timedOut)]
	fmt.Printf("%s: %d mutants, %d are named, %d killed, %d timed out, %d survived",
		s.Path, len(results), count[string(known)], count[string(killed)], count[string(timedOut)],
		count[string(survived)])
	fmt.Printf(", %d unreached", count[string(unreached)])
	if dead+left > 0 {
		fmt.Printf(": %.1f %% killed", 100*float64(dead)/float64(dead+left))
	}
	fmt.Println()
	return left == 0
}

// stale are named mutants of a package's files that are no longer there.
func stale(known map[string]bool, results []result) (out []string) {
	there, files := map[string]bool{}, map[string]bool{}
	for _, r := range results {
		there[r.Name] = true
		files[fileOf(r.Name)] = true
	}
	for name := range known {
		if files[fileOf(name)] && !there[name] {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func fileOf(name string) string { return name[:strings.Index(name, " ")] }
