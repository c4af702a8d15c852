package report

import (
	"encoding/json"
	"strings"
	"testing"

	"mingle/privacy"
)

// Where some values of a column are listed as not sensitive, nothing says that these are bounded.
func TestValuesThatAreNotSensitiveAreNotBounded(t *testing.T) {
	const but = ", but those listed as not sensitive"
	p := privacy.KM{K: 2, M: 1, L: 2, Columns: []string{"d"}, ColumnsOnly: true}
	for _, persons := range []bool{false, true} {
		for _, open := range []bool{false, true} {
			p.Persons, p.OpenValues = persons, open
			g := KM(p, false)
			said := []string{g.Words, g.Answers[2].Answer, g.Inequality}
			for _, s := range append(said, g.NotCovered[len(g.NotCovered)-1]) {
				if strings.Contains(s, but) != open {
					t.Errorf("%+v: %s", p, s)
				}
			}
			var back Guarantee
			text, err := json.Marshal(g)
			if err == nil {
				err = json.Unmarshal(text, &back)
			}
			if now, _ := back.Parameters.(privacy.KM); err != nil || now.OpenValues != open {
				t.Errorf("%s: %+v, %v", text, back.Parameters, err)
			}
		}
	}
	c := SensitiveColumn{Name: "d", Rows: 10, Values: 2, Open: []string{"none"}}
	if want := "d: 2 distinct values in 10 lines; not sensitive: 1 value: none"; c.Text() != want {
		t.Error(c.Text())
	}
}

// Where something may be left out, nothing says that all items are published, and that everybody
// finds k that match.
func TestWhatIsLeftOutMatchesNothing(t *testing.T) {
	for _, p := range []privacy.KM{
		{K: 2, M: 1}, {K: 2, M: 1, Persons: true}, {K: 2, M: 1, L: 2, SensitiveKnown: true},
	} {
		for _, out := range []bool{false, true} {
			g := KM(p, out)
			for _, s := range []string{g.Words, g.Answers[0].Answer, g.Answers[1].Answer} {
				if strings.Contains(s, ", or none") != out {
					t.Errorf("%+v: %s", p, s)
				}
			}
			r := &Report{Guarantee: g, LeavesOut: out, Verification: &Verification{}}
			s := r.RecodingSummary()
			if strings.Contains(s, "every item that is published") != out {
				t.Errorf("%+v: %s", p, s)
			}
			leaves := strings.Join(aboutMinimisation(&Outcome{Report: r}), " ")
			if p.Diverse() && strings.Contains(leaves, "or left out") != out {
				t.Errorf("%+v: %s", p, leaves)
			}
		}
	}
}

// What is one is said as one.
func TestOneOfAThingIsSaidAsOne(t *testing.T) {
	for _, g := range []Guarantee{
		KM(privacy.KM{K: 2, M: 1}, false), KM(privacy.KM{K: 2, M: 1, Persons: true}, false),
		Continuous(privacy.Continuous{K: 2, M: 1}),
		Coherence(privacy.Coherence{H: 0.5, K: 2, P: 1}),
	} {
		said := append(g.NotCovered, g.Words, g.Inequality, g.Adversary, g.Answers[0].Answer)
		for _, s := range said {
			for _, wrong := range []string{
				" 1 items", " 1 values", " 1 published items", " 1 published values",
				" 1 public items", " 1 published public items",
			} {
				if strings.Contains(s, wrong) {
					t.Errorf("%s: %s", g.Statement, s)
				}
			}
		}
	}
	p := &Persons{Persons: 10, Transactions: 20, Several: 10, Least: 2, Median: 2, Most: 2}
	if s := p.String(); s != "10 persons, 10 of them with several transactions; 2 each" {
		t.Error(s)
	}
}
