package report

import (
	"math/rand/v2"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/privacy"
)

// TestBesideOfPersonsAgainstDefinition counts by the words of the definition.
func TestBesideOfPersonsAgainstDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 1))
	for range 20_000 {
		n, k := 1+rng.IntN(8), 1+rng.IntN(4)
		of, values := make([]int32, n), make([]string, n)
		for i := range n {
			of[i], values[i] = int32(rng.IntN(5)-1), string(rune('a'+rng.IntN(4)))
		}
		b := BesideOfPersons([]dataset.Column{{Name: "c", Values: values}}, of, k)
		support := func(v string) int { // distinct persons known with the value
			who := map[int32]bool{}
			for i := range n {
				if values[i] == v && of[i] >= 0 {
					who[of[i]] = true
				}
			}
			return len(who)
		}
		units, alone, few := 0, 0, 0
		for i := range n {
			first, single, rare := true, false, false
			for j := range n {
				if j != i && (of[i] < 0 || of[j] != of[i]) {
					continue
				}
				first = first && j >= i
				others := support(values[j])
				single = single || others == 0 || of[j] >= 0 && others == 1
				rare = rare || others < k
			}
			if !first {
				continue
			}
			units++
			if single {
				alone++
			}
			if rare {
				few++
			}
		}
		want := [2]float64{float64(alone) / float64(units), float64(few) / float64(units)}
		if got := [2]float64{b.Unique, b.Few}; got != want {
			t.Fatalf("%v of %v, k=%d: %v, not %v", values, of, k, got, want)
		}
	}
}

// TestBesideOfPersonsIdentifies: an e-mail on six lines of one person tells nothing of lines, and
// everything of persons; a day that many persons have does not.
func TestBesideOfPersonsIdentifies(t *testing.T) {
	var of []int32
	var mail, day []string
	for p := range 100 {
		for visit := range 6 {
			of = append(of, int32(p))
			mail = append(mail, "u"+Number(p))
			day = append(day, Number((p+visit*7)%60))
		}
	}
	m, d := dataset.Column{Name: "mail", Values: mail}, dataset.Column{Name: "day", Values: day}
	if BesideOf([]dataset.Column{m}, 5).Identifies() {
		t.Error("lines: the e-mail identifies")
	}
	b := BesideEachOfPersons([]dataset.Column{m, d}, of, 5)
	if len(b) != 3 || !b[0].Identifies() || b[0].Unique != 1 || b[1].Identifies() || b[1].Few != 0 {
		t.Errorf("%+v", b)
	}
	if b := BesideOfPersons([]dataset.Column{d}, nil, 5); b.Identifies() || b.Distinct != 0 {
		t.Errorf("no lines: %+v", b)
	}
}

// TestBesidePublicSaysLines: the public report cannot count persons, and claims nothing of them.
func TestBesidePublicSaysLines(t *testing.T) {
	r := &Report{
		Guarantee:    KM(privacy.KM{K: 2, M: 1, Persons: true}, false),
		Verification: &Verification{Holds: true},
		Beside:       []Beside{{Columns: []string{"mail"}, Distinct: 3}},
	}
	r.Cautions = r.BesideCautions()
	var text strings.Builder
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	said := strings.Join(strings.Fields(text.String()), " ")
	if strings.Contains(said, "every line is one of") ||
		!strings.Contains(said, "lines and not persons were counted") ||
		!strings.Contains(said, "Lines were counted in these columns, not persons") {
		t.Error(said)
	}
}
