package privacy

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what promises say into testdata, to be read")

// said are promises of every kind, at the bounds of their parameters and beyond.
var said = []Promise{
	KM{K: 5, M: 2},
	KM{K: 2, M: 1, L: 2},
	KM{K: 5, M: 2, NegativeKnowledge: true},
	KM{K: 5, M: 2, Knows: OfAlgorithm},
	KM{K: 5, M: 2, L: 3, SensitiveKnown: true},
	KM{K: 5, M: 2, L: 3, Columns: []string{"job"}},
	KM{K: 5, M: 2, L: 3, Columns: []string{"job", "town"}, ColumnsOnly: true},
	KM{K: 5, M: 2, L: 3, Columns: []string{"job"}, ColumnsOnly: true, NullIsValue: true},
	KM{K: 5, M: 2, L: 3, SensitiveKnown: true, Columns: []string{"job", "town"}},
	KM{K: 5, M: 2, L: 3, Columns: []string{"job"}, ColumnsOnly: true, OpenValues: true},
	KM{K: 5, M: 2, L: 3, Columns: []string{"job", "town"}, OpenValues: true, Persons: true},
	KM{K: 5, M: 2, L: 3, OpenValues: true},
	KM{K: 5, M: 2, Persons: true},
	KM{K: 5, M: 2, Persons: true, PersonShare: 2},
	KM{K: 5, M: 2, L: 3, Persons: true},
	KM{K: 5, M: 2, L: 3, Persons: true, SensitiveKnown: true},
	KM{K: math.MaxInt32, M: 2, L: math.MaxInt32, Persons: true, PersonShare: math.MaxInt32},
	KM{K: 1, M: 0, L: 1},
	KM{K: math.MaxInt32 + 1, M: 1, L: math.MaxInt32 + 1},
	KM{K: 2, M: math.MaxInt32 + 1},
	KM{K: 2, M: 1, L: -1},
	KM{K: 2, M: 1, SensitiveKnown: true},
	KM{K: 2, M: 1, L: 2, SensitiveKnown: true, ColumnsOnly: true, Columns: []string{"job"}},
	KM{K: 2, M: 1, Columns: []string{"job"}},
	KM{K: 2, M: 1, L: 2, ColumnsOnly: true},
	KM{K: 2, M: 1, L: 2, NullIsValue: true},
	KM{K: 2, M: 1, Knows: "gossip"},
	KM{K: 2, M: 1, L: 2, NegativeKnowledge: true, Knows: OfAlgorithm},
	KM{K: 2, M: 1, PersonShare: 2},
	KM{K: 2, M: 1, Persons: true, PersonShare: 1},
	KM{K: 2, M: 1, Persons: true, PersonShare: -1},
	KM{K: 2, M: 1, Persons: true, NegativeKnowledge: true},
	KM{K: 2, M: 1, Persons: true, Knows: OfAlgorithm},
	KM{K: 2, M: 1, L: 2, Persons: true, Columns: []string{"job"}},
	Continuous{K: 2, M: 1},
	Continuous{K: 1, M: 0},
	Continuous{K: math.MaxInt32 + 1, M: 1},
	Continuous{K: 2, M: math.MaxInt32 + 1},
	Nonreciprocal{K: 2},
	Nonreciprocal{L: 2},
	Nonreciprocal{L: 3, GroupsSeeLabels: true},
	Nonreciprocal{K: 2, GroupsSeeLabels: true},
	Nonreciprocal{},
	Nonreciprocal{K: 1, L: 1},
	Nonreciprocal{K: math.MaxInt32 + 1},
	Nonreciprocal{L: math.MaxInt32 + 1},
	Coherence{H: 0.4, K: 2, P: 1},
	Coherence{H: 1, K: 8, P: 2},
	Coherence{H: 0, K: 1, P: 0},
	Coherence{H: 1.1, K: math.MaxInt32 + 1, P: 1},
	Coherence{H: 0.4, K: 2, P: math.MaxInt32 + 1},
	Coherence{H: math.NaN(), K: 2, P: 1},
}

// Every promise says what it should, word for word: it is what is signed.
func TestWhatPromisesSay(t *testing.T) {
	var b strings.Builder
	told := map[string]bool{}
	for _, p := range said {
		fmt.Fprintf(&b, "== %+v\n", p)
		if err := p.Validate(); err != nil {
			fmt.Fprintf(&b, "faults:\n  %s\n\n", strings.ReplaceAll(err.Error(), "\n", "\n  "))
			continue
		}
		tell(&b, p, told)
		b.WriteString("\n")
	}
	path := filepath.Join("testdata", "promises.txt")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"),
		strings.Split(b.String(), "\n")); diff != "" {
		t.Errorf("promises say something else (-want +got):\n%s", diff)
	}
}

func tell(b *strings.Builder, p Promise, told map[string]bool) {
	fmt.Fprintf(b, "promise: %s\nparameters: %v\ncondition: %s\nadversary: %s\nnot covered:\n",
		p, p.Parameters(), p.Inequality(), p.Adversary())
	for _, s := range p.NotCovered() {
		if told[s] { // above
			s = s[:min(len(s), 50)] + "…"
		}
		told[s] = true
		fmt.Fprintf(b, "  %s\n", s)
	}
	switch p := p.(type) {
	case KM:
		fmt.Fprintf(b, "of %s; diverse %v, items %v; beyond supports %v; known: %s\n", p.Unit(),
			p.Diverse(), p.HasSensitiveItems(), p.BeyondSupports(), p.KnownSensitive())
	case Nonreciprocal:
		fmt.Fprintf(b, "diverse %v, matches %d\n", p.Diverse(), p.Matches())
	case Coherence:
		fmt.Fprintf(b, "share %s\n", p.Share())
	}
}

// What is no share is 0, which no promise has.
func TestSharesThatAreNone(t *testing.T) {
	for _, h := range []float64{math.NaN(), math.Inf(1)} {
		if r := (Coherence{H: h}).Share(); r == nil || r.Sign() != 0 {
			t.Errorf("%v is %v", h, r)
		}
	}
	for _, text := range []string{
		"", "half", "0.12345678901234567890123", strings.Repeat("9", 400),
	} {
		if h, err := ParseShare(text); err == nil || h != 0 {
			t.Errorf("%q is %v, %v", text, h, err)
		}
	}
}

func TestAdversariesByName(t *testing.T) {
	for name, want := range map[string]Knowledge{
		"": OfData, "data": OfData, "algorithm": OfAlgorithm,
	} {
		if k, err := ParseKnowledge(name); err != nil || k != want {
			t.Errorf("%q: %v, %v", name, k, err)
		}
	}
	if k, err := ParseKnowledge("gossip"); err == nil || k != "" ||
		err.Error() != `adversary "gossip" is not known: it is data or algorithm` {
		t.Errorf("%q, %v", k, err)
	}
	if OfData.String() != "data" || OfAlgorithm.String() != "algorithm" {
		t.Error(OfData.String(), OfAlgorithm.String())
	}
	err := Infeasiblef("no release: %d lines", 1)
	if _, is := err.(*Infeasible); !is || err.Error() != "no release: 1 lines" {
		t.Errorf("%#v", err)
	}
}
