package pipeline

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/internal/soak"
	"mingle/privacy"
	"mingle/report"
)

// heavyFamilies are small jobs of the families without a hierarchy, of which most releases lose
// much. The seed is said: base sets are drawn at random.
func heavyFamilies(t *testing.T, rng *rand.Rand) Job {
	job, dir := exampleJob(t)
	items := 2 + rng.IntN(4)
	lines := make([]string, 4+rng.IntN(5))
	numbers := rng.IntN(3) == 0
	for n := range lines {
		var line []string
		for i := range items {
			switch {
			case rng.IntN(3) > 0:
			case numbers:
				line = append(line, fmt.Sprint(1+rng.IntN(40)))
			default:
				line = append(line, fmt.Sprintf("i%d", i))
			}
		}
		if len(line) == 0 {
			line = []string{map[bool]string{true: "7", false: "i0"}[numbers]}
		}
		lines[n] = strings.Join(line, " ") + "\n"
	}
	put(t, dir, "data.dat", strings.Join(lines, ""))
	job.Force, job.OmitTimings, job.Seed = true, true, &[32]byte{byte(rng.Uint32())}
	switch k := 2 + rng.IntN(3); {
	case numbers:
		job.Family = Continuous{Promise: privacy.Continuous{K: k, M: 1 + rng.IntN(3)}}
	case rng.IntN(2) == 0:
		f := Coherence{
			NuggetSupport: Support{Count: 1 + rng.IntN(2)},
			Promise: privacy.Coherence{
				H: []float64{1, 0.5, 0.3}[rng.IntN(3)], K: k, P: 1 + rng.IntN(3),
			},
		}
		if rng.IntN(3) > 0 {
			f.Private = put(t, dir, "private.txt", "i0\n")
		}
		job.Family = f
	default:
		job.Family = Nonreciprocal{Promise: privacy.Nonreciprocal{K: k}}
		job.Output += ".jsonl"
	}
	return job
}

// What the custodian is told that other parameters would lose is what they lose when they are asked
// for, and less than what was lost: of numbers, of coherent releases, which are judged by the
// definition as well, and of base sets. The public report has none of it.
func TestSoakRemediesOfFamiliesAreTrue(t *testing.T) {
	worlds := 0
	told := map[string]int{}
	for seed := range soak.Rounds(t, soak.Share(150, 5_000)) {
		worlds++
		job := heavyFamilies(t, soak.Rand(uint64(seed), 19))
		out, err := job.Run(context.Background())
		if err != nil {
			continue // there is no release
		}
		for _, c := range out.Custodian.Cautions {
			if len(c.Try) == 0 {
				t.Errorf("world %d: nothing is said to help", seed)
			}
			for _, try := range c.Try {
				told[job.Family.Name()] += checkFamilyRemedy(t, job, try)
			}
		}
		if strings.Contains(get(t, job.Report), "would be") {
			t.Errorf("world %d: the public report has what was measured", seed)
		}
		if t.Failed() {
			t.Fatalf("world %d: %+v\n%s", seed, job.Family, get(t, job.Input))
		}
	}
	t.Logf("remedies in %d worlds: %v", worlds, told)
	for _, name := range []string{"continuous", "coherence", "nonreciprocal"} {
		if told[name] == 0 {
			t.Errorf("no remedy of %s in %d worlds", name, worlds)
		}
	}
}

// checkFamilyRemedy asks for what a sentence says, and compares the loss; it counts 1 where it is
// about parameters.
func checkFamilyRemedy(t *testing.T, job Job, try string) int {
	t.Helper()
	flag, says, found := strings.Cut(try, ": ")
	what, says, told := strings.Cut(says, " would be ")
	if !found || !told {
		return 0
	}
	to, now, _ := strings.Cut(says, " instead of ")
	var k, m, p int
	var h float64
	fmt.Sscanf(flag, "-k %d", &k)
	fmt.Sscanf(flag, "-m %d", &m)
	fmt.Sscanf(flag, "-p %d", &p)
	fmt.Sscanf(flag, "--h %g", &h)
	name := "NCP"
	switch f := job.Family.(type) {
	case Continuous:
		f.Promise.K, f.Promise.M = or(k, f.Promise.K), or(m, f.Promise.M)
		job.Family = f
	case Coherence:
		f.Promise.K, f.Promise.P = or(k, f.Promise.K), or(p, f.Promise.P)
		if h > 0 {
			f.Promise.H = h
		}
		job.Family, name = f, "occurrences"
	case Nonreciprocal:
		f.Promise.K = or(k, f.Promise.K)
		job.Family, name = f, "error rate"
	}
	job.Output = strings.Replace(job.Output, "out", "again", 1)
	job.Report, job.Audit = "", ""
	out, err := job.Run(context.Background())
	if err != nil {
		t.Fatalf("%s: %v", try, err)
	}
	at := slices.IndexFunc(out.Custodian.Losses, func(l report.Loss) bool { return l.Name == name })
	if got := report.Percent(out.Custodian.Losses[at].Value); got != to || to == now {
		t.Errorf("%s: %s is %s", try, what, got)
	}
	if f, is := job.Family.(Coherence); is && !coherent(get(t, job.Output), f.Promise,
		f.Private != "") {
		t.Errorf("%s: that is not coherent:\n%s", try, get(t, job.Output))
	}
	return 1
}

func or(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}

// coherent is the definition, word by word, of a small file in which i0 may be private.
func coherent(text string, p privacy.Coherence, private bool) bool {
	var lines [][]string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.Fields(line))
	}
	public := []string{"i0", "i1", "i2", "i3", "i4"}
	if private {
		public = public[1:]
	}
	for set := range 1 << len(public) {
		var c []string
		for i, item := range public {
			if set>>i&1 == 1 {
				c = append(c, item)
			}
		}
		have, secret := 0, 0
		for _, line := range lines {
			if slices.ContainsFunc(c, func(x string) bool { return !slices.Contains(line, x) }) {
				continue
			}
			have++
			if private && slices.Contains(line, "i0") {
				secret++
			}
		}
		if len(c) <= p.P && have > 0 && (have < p.K || float64(secret) > p.H*float64(have)+1e-9) {
			return false
		}
	}
	return true
}
