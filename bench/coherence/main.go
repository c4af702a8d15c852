// Command coherence measures (h,k,p)-coherence on files, or on generated data of the shape of
// T40I10D100K: the time, the peak memory, the items suppressed, the share of nuggets kept, the same
// for a baseline that scores items by their support. Every line is a process of its own, so that
// its peak memory is its own.
//
//	go run ./bench/coherence -p 2,3,4 -k 5,10 -h 0.4 -nuggets 1% retail.dat.gz
//	go run ./bench/coherence -quest 100000 -p 2,3,4 -k 30 -h 0.4 -nuggets 1%
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"mingle/anonymize/coherence"
	"mingle/dataset"
	"mingle/generate"
	"mingle/privacy"
)

type options struct {
	quest     int
	share     float64
	most      float64
	private   string
	seed      uint64
	nuggetLen int
	workers   int
	moles     string
	baseline  bool
}

func main() {
	var o options
	flag.IntVar(&o.quest, "quest", 0, "generate this many transactions of the shape of T40I10D100K")
	flag.Float64Var(&o.share, "private", 0.15, "share of the items that are private, at random")
	flag.Float64Var(
		&o.most, "private-most", 0.4,
		"they are drawn from the items in at most this share of the transactions",
	)
	flag.StringVar(&o.private, "private-file", "", "private items, one a line, instead")
	flag.Uint64Var(&o.seed, "seed", 1, "of the choice of private items and of generated data")
	flag.IntVar(&o.nuggetLen, "nugget-len", 0, "longest nugget; 0: any")
	flag.IntVar(&o.workers, "workers", 0, "goroutines; 0: one a processor")
	flag.StringVar(&o.moles, "count-moles", "auto", "auto, projection or diagram")
	flag.BoolVar(&o.baseline, "baseline", false, "also run the baseline")
	ps, ks := flag.String("p", "3", "list"), flag.String("k", "5", "list")
	hs, supports := flag.String("h", "0.4", "list"), flag.String(
		"nuggets", "1%", "list of k', absolute or in percent",
	)
	flag.Parse()
	paths := flag.Args()
	if o.quest > 0 {
		paths = []string{""}
	}
	var lines [][4]string
	for _, h := range strings.Split(*hs, ",") {
		for _, k := range strings.Split(*ks, ",") {
			for _, p := range strings.Split(*ps, ",") {
				for _, s := range strings.Split(*supports, ",") {
					lines = append(lines, [4]string{h, k, p, s})
				}
			}
		}
	}
	for _, path := range paths {
		var err error
		if len(lines) == 1 {
			err = o.line(path, lines[0])
		} else {
			err = each(path, lines)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "coherence:", err)
			os.Exit(1)
		}
	}
}

// each starts this program once a line.
func each(path string, lines [][4]string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for _, l := range lines {
		var args []string
		flag.Visit(func(f *flag.Flag) { args = append(args, "-"+f.Name+"="+f.Value.String()) })
		args = append(args, "-h="+l[0], "-k="+l[1], "-p="+l[2], "-nuggets="+l[3])
		if path != "" {
			args = append(args, path)
		}
		cmd := exec.Command(self, args...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			return err
		}
	}
	return nil
}

func (o options) data(path string) (*dataset.Dataset, error) {
	if o.quest == 0 {
		return dataset.Open(context.Background(), path, dataset.Options{})
	}
	p := generate.QuestParams{
		Transactions: o.quest, AvgLength: 40, AvgPattern: 10,
		Correlation: generate.Correlation, Corruption: generate.Corruption, Seed: o.seed,
	}
	quest := func(emit generate.Emit) error { return generate.Quest(p, emit) }
	return generate.Dataset(generate.Labels(1000), quest)
}

// marks chooses the private items.
func (o options) marks(d *dataset.Dataset) ([]bool, error) {
	out := make([]bool, d.Dict().Len())
	if o.private == "" {
		rng := rand.New(rand.NewPCG(o.seed, 0))
		supports, left := d.Supports(), int(o.share*float64(len(out)))
		for _, it := range rng.Perm(len(out)) {
			if left > 0 && float64(supports[it]) <= o.most*float64(d.Len()) {
				out[it] = true
				left--
			}
		}
		return out, nil
	}
	f, err := os.Open(o.private)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if it, ok := d.Dict().ID(lines.Text()); ok {
			out[it] = true
		}
	}
	return out, lines.Err()
}

func (o options) line(path string, l [4]string) error {
	d, err := o.data(path)
	if err != nil {
		return err
	}
	in := coherence.Input{Data: d, Workers: o.workers, NuggetLen: o.nuggetLen}
	if in.Private, err = o.marks(d); err != nil {
		return err
	}
	h, err1 := strconv.ParseFloat(l[0], 64)
	k, err2 := strconv.Atoi(l[1])
	p, err3 := strconv.Atoi(l[2])
	support, err4 := absolute(l[3], d.Len())
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return err
	}
	in.Promise, in.NuggetSupport = privacy.Coherence{H: h, K: k, P: p}, support
	if in.Moles, err = coherence.ParseCounting(o.moles); err != nil {
		return err
	}
	name := "quest"
	if path != "" {
		name, _, _ = strings.Cut(filepath.Base(path), ".")
	}
	fmt.Printf("%-22s h=%.1f k=%d p=%d k'=%d: ", name, h, k, p, support)
	return o.run(in)
}

// absolute reads a support; a share is rounded up.
func absolute(s string, n int) (int, error) {
	if share, ok := strings.CutSuffix(s, "%"); ok {
		x, err := strconv.ParseFloat(share, 64)
		return int(x*float64(n)/100 + 0.999999), err
	}
	return strconv.Atoi(s)
}

func (o options) run(in coherence.Input) error {
	start := time.Now()
	r, err := coherence.Anonymize(context.Background(), in)
	var out *privacy.Infeasible
	if errors.As(err, &out) {
		fmt.Println(err)
		return nil
	}
	if err != nil {
		return err
	}
	seconds := time.Since(start).Seconds()
	moles := new(big.Int)
	if len(r.Rounds) > 0 {
		moles = r.Rounds[0].Moles
	}
	memory := peak()
	before, kept, err := nuggets(in, r)
	if err != nil {
		return err
	}
	fmt.Printf("%.2f s, %d MB; dropped %d, suppressed %d, remain %d; ",
		seconds, memory, len(r.Dropped), len(r.Rounds), remaining(in, r))
	fmt.Printf("moles %v by %v; nuggets %v, kept %s", moles, r.MoleCounting, before, kept)
	if o.baseline {
		in.Scoring = coherence.ByOccurrences
		base, err := coherence.Anonymize(context.Background(), in)
		if err != nil {
			return err
		}
		if _, kept, err = nuggets(in, base); err != nil {
			return err
		}
		fmt.Printf(", baseline %s", kept)
		in.Scoring = coherence.ByNuggets
	}
	fmt.Println()
	return nil
}

func remaining(in coherence.Input, r *coherence.Result) int {
	n := -len(r.Release.Items)
	for it, support := range in.Data.Supports() {
		if support > 0 && !in.Private[it] {
			n++
		}
	}
	return n
}

// nuggets are those of the original, and the share of them that is kept.
func nuggets(in coherence.Input, r *coherence.Result) (before *big.Int, kept string, err error) {
	o := coherence.NuggetOptions{
		Support: in.NuggetSupport, Length: in.NuggetLen, Workers: in.Workers,
	}
	if before, err = coherence.Nuggets(context.Background(), in.Data, o); err != nil {
		return nil, "", err
	}
	after, err := coherence.Nuggets(context.Background(), r.Release.Published(), o)
	if err != nil || before.Sign() == 0 {
		return before, "-", err
	}
	share, _ := new(big.Rat).SetFrac(after, before).Float64()
	return before, fmt.Sprintf("%.3g %%", 100*share), nil
}
