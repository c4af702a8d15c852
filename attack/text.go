package attack

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteText writes the result for people.
func (r *Result) WriteText(w io.Writer) error {
	var s strings.Builder
	fmt.Fprintf(&s, "Attack on %s, published as %s (%s)\n", count(r.Persons, "transaction"),
		count(r.Records, "record"), r.Kind)
	s.WriteString("\nSingling out: how many records match i known items of a random person\n")
	fmt.Fprintf(&s, "  i               one match     fewer than %-5d  fewest           success "+
		"   baseline\n", r.K)
	for _, a := range r.SinglingOut {
		singlingText(&s, a)
	}
	if len(r.Lacking) > 0 {
		s.WriteString("\nSingling out by i items that a random person has or has not, one at " +
			"least of these\n")
		for _, a := range r.Lacking {
			singlingText(&s, Singling{
				Known: a.Known, Draws: a.Draws, Baseline: a.Baseline, Before: a.Before,
				After: a.After,
			})
		}
	}
	if d := r.Decided; d != nil && d.Labels > 0 {
		fmt.Fprintf(&s, "\nDecided: of %s labels above items, %s can be one item only by the "+
			"lowest node, %s child by child\n",
			number(d.Labels), number(d.ByLowestNode), number(d.ChildByChild))
	}
	r.linkingText(&s)
	s.WriteString("\nInference: the probability given to a further item that the person has\n")
	s.WriteString("  i                              average           certain   largest    " +
		"baseline\n")
	for _, a := range r.Inference {
		for _, side := range []struct {
			name string
			c    Confidence
		}{{"before", a.Before}, {"after", a.After}} {
			fmt.Fprintf(&s, "  %d  %-9s %-6s %17s %17s %9s  %10s%s\n", a.Known, a.what(), side.name,
				percent(side.c.Average), percent(side.c.Certain),
				plainPercent(side.c.Largest), plainPercent(a.Baseline.Average.Value),
				how(a.Exact, a.Draws))
		}
	}
	if r.Missing > 0 {
		fmt.Fprintf(&s, "note: %s (%s)\n", MissingNote, count(r.Missing, "occurrence"))
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&s, "note: %s\n", n)
	}
	_, err := io.WriteString(w, s.String())
	return err
}

// singlingText writes how many records match what is known, before and after.
func singlingText(s *strings.Builder, a Singling) {
	for _, side := range []struct {
		name string
		c    Candidates
	}{{"before", a.Before}, {"after", a.After}} {
		fmt.Fprintf(s, "  %d  %-6s %17s %17s %7s %17s  %10s%s\n", a.Known, side.name,
			percent(side.c.Unique), percent(side.c.UnderK), number(side.c.Fewest),
			percent(side.c.Success), plainPercent(a.Baseline), how(a.Exact, a.Draws))
	}
}

func (r *Result) linkingText(s *strings.Builder) {
	if len(r.Linking) == 0 {
		return
	}
	s.WriteString("\nLinking: how often i items of a person are told to belong to i others of " +
		"the same, not of somebody else\n")
	s.WriteString("  i               right    baseline\n")
	for _, a := range r.Linking {
		fmt.Fprintf(s, "  %d  before %17s  %10s%s\n", a.Known, percent(a.Before),
			plainPercent(a.Baseline), how(false, a.Draws))
		fmt.Fprintf(s, "  %d  after  %17s  %10s%s\n", a.Known, percent(a.After),
			plainPercent(a.Baseline), how(false, a.Draws))
	}
}

// how says on what a line rests.
func how(exact bool, draws int) string {
	if exact {
		return "   exact"
	}
	return fmt.Sprintf("   %s draws", number(draws))
}

// percent is a figure with the half-width of its interval, where it has one.
func percent(e Estimate) string {
	if e.Low == e.High {
		return plainPercent(e.Value)
	}
	half := 50 * (e.High - e.Low)
	if half < 0.005 { // little is not nothing
		return fmt.Sprintf("%s ± %.1g", plainPercent(e.Value), half)
	}
	return fmt.Sprintf("%s ± %.2f", plainPercent(e.Value), half)
}

func plainPercent(v float64) string {
	switch {
	case v == 0:
		return "0 %"
	case v < 0.0001:
		return strconv.FormatFloat(100*v, 'g', 2, 64) + " %"
	case 0.99995 <= v && v < 1: // not all
		return "over 99.99 %"
	}
	return fmt.Sprintf("%.2f %%", 100*v)
}

// NobodyHas is the note where nobody has so many items.
func NobodyHas(items int) string { return "nobody has " + count(items, "item") }

// count counts things.
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return number(n) + " " + thing
}

// number groups the digits of a whole number.
func number(n int) string {
	s := strconv.Itoa(n)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}
