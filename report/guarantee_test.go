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
