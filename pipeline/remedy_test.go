package pipeline

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/global"
	"mingle/anonymize/global/exact"
	"mingle/anonymize/local"
	"mingle/anonymize/suppress"
	"mingle/dataset"
	"mingle/internal/soak"
	"mingle/privacy"
	"mingle/report"
)

// heavyWorld is a small job over a flat tree, of which most releases lose everything: of sets alone
// or, in a table, of persons, with sensitive items or a sensitive column, or several of these.
func heavyWorld(t *testing.T, rng *rand.Rand) Job {
	job, dir := exampleJob(t)
	items := 2 + rng.IntN(4)
	persons, items0, column := rng.IntN(4) == 0, rng.IntN(4) == 0, rng.IntN(4) == 0
	var tree, sets, table strings.Builder
	for i := range items {
		fmt.Fprintf(&tree, "i%d;*\n", i)
	}
	table.WriteString("who,items,value\n")
	lines := 4 + rng.IntN(5)
	if persons || items0 || column {
		lines *= 2
	}
	for n := range lines {
		var line []string
		for i := range items {
			if rng.IntN(3) == 0 {
				line = append(line, fmt.Sprintf("i%d", i))
			}
		}
		if len(line) > 0 {
			sets.WriteString(strings.Join(line, " ") + "\n")
			value := []string{"", "u", "v", "w", "x", "y", "z"}[rng.IntN(7)]
			fmt.Fprintf(&table, "p%d,%s,%s\n", n-rng.IntN(2), strings.Join(line, ";"), value)
		}
	}
	put(t, dir, "tree.csv", tree.String())
	put(t, dir, "data.dat", sets.String())
	job.Force, job.OmitTimings = true, true
	if persons || items0 || column {
		job.Input = put(t, dir, "data.csv", table.String())
		job.Output = strings.Replace(job.Output, ".dat", ".csv", 1)
	}
	l := 2 + rng.IntN(3)
	changeKM(&job, func(f *KM) {
		f.Promise = privacy.KM{K: 2 + rng.IntN(3), M: 1 + rng.IntN(3)}
		if persons { // who are numbered as the lines come, in an order that the seed draws
			f.PersonColumn = "who"
			job.Seed = &[32]byte{byte(l)}
		}
		if items0 {
			f.Sensitive, f.Promise.L = put(t, dir, "secret.txt", "i0\n"), l
			f.Promise.SensitiveKnown = !persons && rng.IntN(2) == 0
		}
		if column {
			f.Promise.Columns, f.Promise.L = []string{"value"}, l
		}
	})
	return job
}

// What the custodian is told that other parameters would lose is what they lose when they are asked
// for, and less than what was lost; the public report has none of it.
func TestSoakRemediesAreTrue(t *testing.T) {
	worlds := 0
	told, more := 0, 0
	for seed := range soak.Rounds(t, soak.Share(60, 5_000)) {
		worlds++
		rng := soak.Rand(uint64(seed), 18)
		job := heavyWorld(t, rng)
		algorithms := []anonymize.Algorithm{global.AA{}, exact.Algorithm{}, local.Algorithm{}}
		algorithm := algorithms[rng.IntN(3)]
		changeKM(&job, func(f *KM) { f.Algorithm = algorithm })
		out, err := job.Run(context.Background())
		if err != nil {
			continue // too few lines for this k
		}
		for _, c := range out.Custodian.Cautions {
			if len(c.Try) == 0 {
				t.Errorf("world %d: nothing is said to help", seed)
			}
			for _, try := range c.Try {
				n := checkRemedy(t, job, try)
				told += n
				if f := job.Family.(KM); f.PersonColumn != "" || f.Promise.Diverse() {
					more += n
				}
			}
		}
		if strings.Contains(get(t, job.Report), "would be") {
			t.Errorf("world %d: the public report has what was measured", seed)
		}
		if t.Failed() {
			t.Fatalf("world %d: %s", seed, get(t, job.Input))
		}
	}
	if told < worlds/6 || more < worlds/20 {
		t.Errorf("only %d remedies in %d worlds, %d of them of persons or with l", told, worlds, more)
	}
	t.Logf("%d remedies in %d worlds, %d of them of persons or with l", told, worlds, more)
}

// checkRemedy asks for what a sentence says, and compares the loss; it counts 1 where it is about
// parameters.
func checkRemedy(t *testing.T, job Job, try string) int {
	t.Helper()
	var to, now, by string
	what, says, found := strings.Cut(try, ": NCP would be ")
	if !found {
		return 0
	}
	if to, says, found = strings.Cut(says, " instead of "); !found {
		t.Fatal(try)
	}
	now, by, _ = strings.Cut(says, " (measured with ")
	by = strings.TrimSuffix(by, ")")
	algorithms := map[string]anonymize.Algorithm{
		"aa": global.AA{}, "local": local.Algorithm{},
		"aa, items suppressed":    suppress.Items{Inner: global.AA{}, Max: remedyShare},
		"local, items suppressed": suppress.Items{Inner: local.Algorithm{}, Max: remedyShare},
	}
	changeKM(&job, func(f *KM) {
		fmt.Sscanf(what, "-m %d", &f.Promise.M)
		fmt.Sscanf(what, "-k %d", &f.Promise.K)
		fmt.Sscanf(what, "-l %d", &f.Promise.L)
		f.Algorithm, f.MaySuppress = algorithms[by], strings.HasPrefix(what, "--suppress")
		if f.Algorithm == nil {
			t.Fatalf("%q: who is %q?", try, by)
		}
	})
	job.Output = strings.Replace(job.Output, "out", "again", 1)
	job.Report, job.Audit = "", ""
	out, err := job.Run(context.Background())
	if err != nil {
		t.Fatalf("%s: %v", try, err)
	}
	if got := report.Percent(out.Custodian.Losses[0].Value); got != to || to == now {
		t.Errorf("%s: it is %s", try, got)
	}
	return 1
}

// Where the data are large nothing is tried, and where memory is bounded nothing that it is too
// small for; the sentence says what to do.
func TestRemediesHaveBounds(t *testing.T) {
	job, dir := exampleJob(t)
	put(t, dir, "tree.csv", "a;*\nb;*\nc;*\n")
	put(t, dir, "data.dat", "a b\nb c\na c\n")
	changeKM(&job, func(f *KM) { f.Promise = privacy.KM{K: 3, M: 2} })
	job.Memory = 1 << 30 // data are packed
	out, err := job.Run(context.Background())
	if err != nil || len(out.Custodian.Cautions) != 1 || len(out.Custodian.Cautions[0].Try) == 0 {
		t.Fatalf("%+v %v", out, err)
	}
	task := &kmTask{}
	task.Promise = privacy.KM{K: 2, M: 30}
	task.input.Promise = task.Promise
	task.input.Data = wide(t)
	if n := combinations(task.input, remedyWork); n <= remedyWork {
		t.Errorf("%d combinations", n)
	}
	if try, err := task.remedies(context.Background()); err != nil || len(try) != 1 ||
		!strings.Contains(try[0], "mingle compare") {
		t.Errorf("%q %v", try, err)
	}
}

// local is not tried where it takes long: sooner where persons, or shares, are counted.
func TestRemediesTakeNoLongWay(t *testing.T) {
	in := anonymize.Input{Data: wide(t), Promise: privacy.KM{K: 2, M: 5}} // 6 million combinations
	for _, c := range []struct {
		a    anonymize.Algorithm
		p    privacy.KM
		long bool
	}{
		{local.Algorithm{}, privacy.KM{K: 2, M: 5}, true},
		{local.Algorithm{}, privacy.KM{K: 2, M: 4}, false}, // half a million
		{local.Algorithm{}, privacy.KM{K: 2, M: 4, L: 2}, false},
		{local.Algorithm{}, privacy.KM{K: 2, M: 4, L: 2, Persons: true}, false},
		{global.AA{}, privacy.KM{K: 2, M: 5, L: 2, Persons: true}, false},
	} {
		if in.Promise = c.p; takesLong(c.a, in) != c.long {
			t.Errorf("%s: %v", c.a.Name(), c.p)
		}
	}
	b := dataset.NewBuilder(in.Data.Dict())
	for range 2 {
		b.Add(in.Data.Tx(0))
	}
	in.Data = b.Build() // a million
	in.Promise = privacy.KM{K: 2, M: 4, L: 2, Persons: true}
	if !takesLong(local.Algorithm{}, in) {
		t.Error("with persons and shares it takes as long as without")
	}
}

// wide is a transaction of 60 items, whose combinations are more than can be counted.
func wide(t *testing.T) *dataset.Dataset {
	var items []int32
	var labels []string
	for i := range 60 {
		items, labels = append(items, int32(i)), append(labels, fmt.Sprintf("i%02d", i))
	}
	dict, err := dataset.NewDictionary(labels)
	if err != nil {
		t.Fatal(err)
	}
	b := dataset.NewBuilder(dict)
	b.Add(items)
	return b.Build()
}
