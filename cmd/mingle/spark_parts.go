package main

import (
	"github.com/spf13/pflag"

	"mingle/cluster"
)

// sparkParts are the flags of algorithms that deal transactions into parts.
type sparkParts struct {
	parts        int
	workerMemory string
	seed         string
}

func (s *sparkParts) register(f *pflag.FlagSet) {
	f.IntVar(&s.parts, "parts", 0, "vpa: the number of parts of the items (default 3); local, partition: into how many parts the transactions are dealt, about (default: as few as --worker-memory allows)")
	f.StringVar(&s.workerMemory, "worker-memory", "", "local, partition: what a worker may hold, such as 500MB or 16GB (default 2GB), beside what Spark is given: a part that needs more is not made")
	f.StringVar(&s.seed, "seed", "", "local: of what is left to chance, any text: the same makes the same release. SECRET: whoever knows it can run the algorithm in mind (default: drawn, and forgotten)")
}

// ask puts them into a release.
func (s *sparkParts) ask(r *cluster.Release) (err error) {
	if s.parts < 0 {
		return usagef("--parts (%d) cannot be negative", s.parts)
	}
	if r.Algorithm == "vpa" {
		r.Vertical.Parts = s.parts // 0: as many as usual
	}
	if r.Algorithm == "local" || r.Algorithm == "partition" {
		r.Parts = s.parts
	}
	if s.seed != "" {
		if r.Algorithm != "local" {
			return usagef("--seed is of what local leaves to chance: %s leaves nothing", r.Algorithm)
		}
		r.Seed = seedOf(s.seed)
	}
	if r.WorkerMemory, err = bytesOf("--worker-memory", s.workerMemory); err != nil {
		return err
	}
	if err := r.CheckParts(); err != nil {
		return usagef("%w", err)
	}
	return nil
}
