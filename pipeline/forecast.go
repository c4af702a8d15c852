package pipeline

import (
	"fmt"
	"strings"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/report"
)

// CountForecast is what a count of all sets of up to m items takes.
type CountForecast struct {
	Sets    []float64 // occurrences of sets, by size from 1 on
	Seconds []float64 // what one processor takes for them; nil: not known
}

// CountForecastOf counts the sets of transactions, and measures how fast this machine counts now.
func CountForecastOf(d *dataset.Dataset, m int) CountForecast {
	f := CountForecast{Sets: anonymize.Sets(d, m)}
	f.measure(d)
	return f
}

// countStage says in the name of a stage what the count takes, where it is more than a second; else
// "". What takes less is not measured: that takes time, too.
func countStage(d *dataset.Dataset, m int) string {
	f := CountForecast{Sets: anonymize.Sets(d, m)}
	i := len(f.Sets) - 1
	if f.Sets[i] < worthTelling {
		return ""
	}
	if f.measure(d); f.Seconds == nil {
		return ""
	}
	return fmt.Sprintf("%s sets of %d items as given, about %s to count; fewer once generalized",
		SetsIn(f.Sets[i]), i+1, Span(f.Seconds[i]))
}

// measure fills Seconds.
func (f *CountForecast) measure(d *dataset.Dataset) {
	if rate := anonymize.CountRate(d); rate > 0 {
		for _, n := range f.Sets {
			f.Seconds = append(f.Seconds, n/rate)
		}
	}
}

// Text is a line a size.
func (f CountForecast) Text() string {
	var s strings.Builder
	for i, n := range f.Sets {
		what := fmt.Sprintf("of %d %s", i+1, []string{"item", "items"}[min(i, 1)])
		fmt.Fprintf(&s, "  %-22s %18s", what, SetsIn(n))
		if f.Seconds != nil {
			fmt.Fprintf(&s, "  about %s", Span(f.Seconds[i]))
		}
		s.WriteString("\n")
	}
	return s.String()
}

// worthTelling is how many sets take about a second.
const worthTelling = 1e8

// SetsIn is a number of sets.
func SetsIn(n float64) string {
	switch {
	case n < 1e9:
		return report.Number(int(n))
	case n < 1e18:
		return report.Number(int(n/1e9+0.5)) + " billion"
	}
	return "over a billion billion"
}

// Span is a time that is foretold.
func Span(seconds float64) string {
	switch {
	case seconds < 120:
		return fmt.Sprintf("%.1f s", max(0.1, seconds))
	case seconds < 7200:
		return fmt.Sprintf("%.0f minutes", seconds/60)
	case seconds < 200_000:
		return fmt.Sprintf("%.0f hours", seconds/3600)
	}
	return "more than two days"
}
