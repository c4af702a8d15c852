package main

import (
	"strings"

	"github.com/spf13/pflag"

	"mingle/pipeline"
)

// algorithmFlags choose an algorithm of anonymize km, its parameters, and what it may leave out.
func algorithmFlags(f *pflag.FlagSet, algorithm *string, s *pipeline.Settings, left *suppressFlags) {
	f.StringVar(algorithm, "algorithm", pipeline.Algorithms("km")[0].Name, algorithmHelp("km"))
	f.IntVar(&s.Parts, "parts", 3, "lra, vpa: the number of parts")
	f.IntVar(&s.Flexibility, "flexibility", 10, "lra: how many transactions a border between parts may move by")
	f.IntVar(&s.PartitionLevel, "partition-level", 0, "vpa: height of the subtrees that stay in one part")
	f.IntVar(&s.Effort, "effort", 0, "local, core, auto: how long local and core search for less loss, such as 10; 1 is a few passes over the data (default: 1, for auto some seconds)")
	f.DurationVar(&s.TimeLimit, "time-limit", 0, "auto (default 30s), exact, local, core, and --suppress with any: end with the best result after this time, such as 10m; the others end without one")
	f.BoolVar(&s.KeepBest, "keep-best", false, "auto, exact, local, core, and --suppress with any: on Ctrl-C end with the best verified result; a second Ctrl-C ends without")
	left.register(f)
}

func algorithmHelp(family string) string {
	var lines []string
	for _, e := range pipeline.Algorithms(family) {
		lines = append(lines, e.Name+" ("+e.Summary+")")
	}
	return strings.Join(lines, ", ")
}
