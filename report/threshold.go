package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"mingle/attack"
	"mingle/internal/lazy"
	"mingle/privacy"
)

// Threshold is a condition under which a release is not published: a figure is above or below a
// value.
type Threshold struct {
	Figure string // its name
	Sign   string // ">", ">=", "<" or "<="
	Value  float64
	Text   string // as it was written, such as ">1%"

	figure Figure
	known  int
}

// ThresholdPattern is what a condition looks like, also in the schema of release files.
const ThresholdPattern = `^ *(>=|<=|>|<) *[0-9]+(\.[0-9]+)? *%?$`

// equality is how a condition begins that is none: figures are seldom equal to anything.
var equality = lazy.Regexp(`^ *[=!]`)

var thresholdForm = lazy.Regexp(
	`^ *(>=|<=|>|<) *([0-9]+(?:\.[0-9]+)?) *(%?)$`,
)

// ParseThreshold reads the condition of a figure, such as ">0.05" or ">1%".
func ParseThreshold(family, name, text string) (t Threshold, err error) {
	t = Threshold{Figure: name, Text: strings.ReplaceAll(text, " ", "")}
	if t.figure, t.known, err = FindFigure(family, name); err != nil {
		return t, err
	}
	parts := thresholdForm().FindStringSubmatch(text)
	if parts == nil && equality().MatchString(text) {
		return t, fmt.Errorf("%s: %q: = is no comparison of figures: give >, >=, < or <= and a "+
			"number, such as \">0.05\"", name, text)
	}
	if parts == nil {
		return t, fmt.Errorf("%s: %q is no condition: give >, >=, < or <= and a number, such as "+
			"\">0.05\" or \">1%%\"", name, text)
	}
	t.Sign = parts[1]
	if t.Value, err = strconv.ParseFloat(parts[2], 64); err != nil || math.IsInf(t.Value, 0) {
		return t, fmt.Errorf("%s: %q is out of range", name, text)
	}
	if parts[3] != "" {
		t.Value = privacy.Hundredth(t.Value)
	}
	return t, nil
}

// Tested says that the figure is of what is measured and tested for the audit file; OfLabels that
// it is of the test of the published file.
func (t Threshold) Tested() bool { return t.figure.Tested }

// OfLabels says that the figure is of the test of the published file.
func (t Threshold) OfLabels() bool { return t.figure.Known && t.figure.Public }

// Known is how many items are known in the figure; 0: it is of no test.
func (t Threshold) Known() int { return t.known }

// Failed tells why a release does not pass, "" if it does. A figure that was not measured passes
// nothing. A figure of a test on a sample fails as soon as the interval of its error does.
func (t Threshold) Failed(o *Outcome) string {
	value, has := t.figure.value(o, t.known)
	switch {
	case !has:
		return fmt.Sprintf("%s was not measured, so that it cannot be held to %s", t.Figure, t.Text)
	case !t.broken(value):
		return ""
	}
	between := ""
	if value.Low != value.High {
		between = fmt.Sprintf(" (between %s and %s)", t.show(value.Low), t.show(value.High))
	}
	return fmt.Sprintf("%s is %s%s, which is %s", t.Figure, t.show(value.Value), between, t.Text)
}

// lastDigits is how far, as a share of it, a figure may be from what it is exactly: some are sums
// of many shares.
const lastDigits = 1e-9

// broken compares on the safe side: what is the value but for its last digits is the value where
// that does not pass.
func (t Threshold) broken(v attack.Estimate) bool {
	switch t.Sign {
	case ">":
		return v.High > t.Value
	case ">=":
		return v.High >= t.Value*(1-lastDigits)
	case "<":
		return v.Low < t.Value
	}
	return v.Low <= t.Value*(1+lastDigits)
}

// show writes a value as the condition is written.
func (t Threshold) show(v float64) string {
	if strings.HasSuffix(t.Text, "%") {
		return strconv.FormatFloat(v*100, 'g', 6, 64) + "%"
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}
