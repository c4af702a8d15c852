// Command ratios runs whole processes in turns, each as a user would start it, and says how many
// times the processor time of the floor (see bench/floor) each takes: aa, vpa, exact; verify with
// and without the original, of global and of local recoding.
//
// Processor seconds are compared, not the clock: it is the sum over all threads, and other work on
// the machine shifts it less. Of several turns the least counts. The runs are written in the format
// of Go benchmarks, for benchstat.
//
// Usage: go run ./bench/ratios -o bench/results/floor.txt
//
// With -beside bench/others.csv it runs what stands beside other programs' rows there; with
// -defaults what users meet who name no algorithm: local, and auto without and with a time limit.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	b := bench{}
	flag.StringVar(&b.public, "data", os.Getenv("MINGLE_DATA"), "directory of the public data")
	flag.StringVar(&b.dir, "dir", filepath.Join(os.TempDir(), "mingle-ratios"), "where files go")
	flag.StringVar(&b.mingle, "mingle", "", "the program; default: built from here")
	flag.IntVar(&b.turns, "turns", 3, "runs of each")
	flag.StringVar(&b.k, "k", "5", "k")
	flag.StringVar(&b.m, "m", "3", "m")
	only := flag.String("only", "", "data sets, with commas between; default: all")
	algorithms := flag.String("algorithms", "aa,vpa,exact", "algorithms that are run in turns")
	local := flag.String("local", "", "data sets whose local recoding is verified, too")
	out := flag.String("o", "", "file of the runs; default: standard output")
	defaults := flag.Bool("defaults", false, "run what users meet who name no algorithm, instead")
	beside := flag.String("beside", "", "file of what others took: run these instead")
	flag.Parse()
	b.algorithms, b.local = strings.Split(*algorithms, ","), strings.Split(*local, ",")
	var err error
	switch only := strings.Split(*only, ","); {
	case *beside != "":
		err = b.runBeside(*beside)
	case *defaults:
		err = b.runDefaults(only)
	default:
		err = b.run(only, *out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ratios:", err)
		os.Exit(1)
	}
}

// bench is what is run, and how often.
type bench struct {
	public, dir, mingle, floor string
	turns                      int
	k, m                       string
	algorithms, local          []string
	lines                      []string // of the result
}

func (b *bench) run(only []string, out string) error {
	if err := b.build(); err != nil {
		return err
	}
	b.lines = append(b.lines, "# go run ./bench/ratios "+shown(os.Args[1:]), "pkg: mingle")
	table := []string{}
	for _, set := range sets {
		if only[0] != "" && !slices.Contains(only, set.name) {
			continue
		}
		if err := b.prepare(set); err != nil {
			fmt.Fprintf(os.Stderr, "%s is left out: %v\n", set.name, err)
			continue
		}
		rows, err := b.compare(set.name)
		if err != nil {
			return err
		}
		table = append(table, rows...)
	}
	text := strings.Join(b.lines, "\n") + "\n"
	if out == "" {
		fmt.Print(text)
	} else if err := os.WriteFile(out, []byte(text), 0o644); err != nil {
		return err
	}
	fmt.Println("| data | what | processor s | clock s | MB | times the floor |")
	fmt.Println("| --- | --- | ---: | ---: | ---: | ---: |")
	fmt.Println(strings.Join(table, "\n"))
	return nil
}

// shown are arguments without the places of this machine.
func shown(args []string) string {
	var out []string
	for i := 0; i < len(args); i++ {
		switch strings.TrimLeft(args[i], "-") {
		case "data", "dir", "mingle":
			i++
		default:
			out = append(out, args[i])
		}
	}
	return strings.Join(out, " ")
}

// build makes the programs that are run.
func (b *bench) build() error {
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		return err
	}
	b.floor = filepath.Join(b.dir, "floor")
	if _, err := start("go", "build", "-o", b.floor, "./bench/floor"); err != nil {
		return err
	}
	if b.mingle != "" {
		return nil
	}
	b.mingle = filepath.Join(b.dir, "mingle")
	_, err := start("go", "build", "-trimpath", "-ldflags=-s -w", "-o", b.mingle, "./cmd/mingle")
	return err
}

// took is what a process took.
type took struct{ processor, clock, megabytes float64 }

// start runs a process to its end.
func start(name string, args ...string) (took, error) {
	c := exec.Command(name, args...)
	from := time.Now()
	if text, err := c.CombinedOutput(); err != nil {
		return took{}, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, text)
	}
	s := c.ProcessState
	return took{
		(s.UserTime() + s.SystemTime()).Seconds(), time.Since(from).Seconds(), peak(s) / 1e6,
	}, nil
}

// job is a process that is run in every turn.
type job struct {
	name    string
	program string
	args    []string
}

// jobs are those of a data set; the first is the floor of the second.
func (b *bench) jobs(name string) ([]job, error) {
	file := func(ext string) string { return filepath.Join(b.dir, name+ext) }
	tree, data := file(".csv"), file(".dat")
	var out []job
	make := func(algorithm, seed string) job {
		return job{algorithm, b.mingle, []string{
			"anonymize", "km", data, "-H", tree, "-k", b.k, "-m", b.m, "--algorithm", algorithm,
			"--force", "--quiet", "--seed", seed, "-o", file("." + algorithm + ".dat"),
		}}
	}
	verify := func(what, algorithm string, original ...string) []job {
		published := file("." + algorithm + ".dat")
		args := append(append([]string{"verify", "km"}, original...), published,
			"-H", tree, "-k", b.k, "-m", b.m, "--quiet")
		return []job{
			{"floor of " + algorithm, b.floor, []string{"-m", b.m, "-k", b.k, published}},
			{what, b.mingle, args},
		}
	}
	for _, a := range b.algorithms {
		out = append(out, make(a, "1"))
	}
	out = append(out, verify("verify aa", "aa", data)...)
	out = append(out, verify("verify aa alone", "aa")[1])
	if slices.Contains(b.local, name) {
		j := make("local", "1")
		if _, err := start(j.program, j.args...); err != nil {
			return nil, err
		}
		out = append(out, verify("verify local", "local", data)...)
		out = append(out, verify("verify local alone", "local")[1])
	}
	return out, nil
}

// compare runs the jobs of a data set in turns.
func (b *bench) compare(name string) (table []string, err error) {
	jobs, err := b.jobs(name)
	if err != nil {
		return nil, err
	}
	least := make([]took, len(jobs))
	for turn := range b.turns {
		for i, j := range jobs {
			t, err := start(j.program, j.args...)
			if err != nil {
				return nil, err
			}
			b.lines = append(b.lines, fmt.Sprintf(
				"BenchmarkProcess/%s/%s 1 %.3f cpu-sec/op %.3f sec/op %.1f peak-MB",
				name, strings.ReplaceAll(j.name, " ", "_"), t.processor, t.clock, t.megabytes))
			if turn == 0 || t.processor < least[i].processor {
				least[i] = t
			}
		}
	}
	floors := map[string]float64{}
	for i, j := range jobs {
		if of, is := strings.CutPrefix(j.name, "floor of "); is {
			floors[of] = least[i].processor
		}
	}
	for i, j := range jobs {
		of := floors["aa"]
		if strings.Contains(j.name, "local") {
			of = floors["local"]
		}
		t := least[i]
		table = append(table, fmt.Sprintf("| %s | %s | %.2f | %.2f | %.0f | %.1f |",
			name, j.name, t.processor, t.clock, t.megabytes, t.processor/of))
	}
	return table, nil
}
