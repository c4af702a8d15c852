package webui

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mingle/pipeline"
)

// ownFlags are those of a family that the form has fields for. The page names what it makes, and
// what it judges, by these fields: an option beside them must not say otherwise.
func (c choice) ownFlags() []string {
	switch c.Family {
	case continuous:
		return []string{"k", "m", "values"}
	case nonreciprocal:
		return []string{"k", "l", "label"}
	case coherence:
		return []string{"h", "k", "p", "private", "nugget-support"}
	}
	return []string{
		"k", "m", "l", "sensitive", "algorithm", "effort", "time-limit", "suppress",
		"max-suppressed", "adversary", "negative-knowledge", "gap",
	}
}

// noFields refuses further options that have a field in the form.
func (c choice) noFields() error {
	more, err := words(c.More)
	if err != nil {
		return err
	}
	var wrong []error
	for _, word := range more {
		name, long := strings.CutPrefix(word, "--")
		name, _, _ = strings.Cut(name, "=")
		if long && slices.Contains(c.ownFlags(), name) {
			wrong = append(wrong, fmt.Errorf("further options: --%s has a field of its own in this "+
				"form: fill that in, and leave the option out", name))
		}
	}
	return errors.Join(wrong...)
}

// field is a number that a form asks for, beside what the command understood.
type field struct {
	name, text string
	got        float64
}

// same tells whether a promise is the one of the form. A short flag among the further options, such
// as -k2, wins over the field, and may stand among others: what was understood counts.
func (c choice) same(f pipeline.Family) error {
	var fields []field
	switch f := f.(type) {
	case pipeline.KM:
		p := f.Promise
		fields = []field{
			{"k", c.K, float64(p.K)}, {"m", c.M, float64(p.M)}, {"l", c.L, float64(p.L)},
		}
	case pipeline.Continuous:
		fields = []field{{"k", c.K, float64(f.Promise.K)}, {"m", c.M, float64(f.Promise.M)}}
	case pipeline.Coherence:
		p := f.Promise
		fields = []field{{"h", c.H, p.H}, {"k", c.K, float64(p.K)}, {"p", c.P, float64(p.P)}}
	case pipeline.Nonreciprocal:
		k, l := field{"k", c.K, float64(f.Promise.K)}, field{"l", c.L, float64(f.Promise.L)}
		if fields = []field{k, {"l", "", l.got}}; c.Label != "" {
			fields = []field{{"k", "", k.got}, l}
		}
	}
	var wrong []error
	for _, f := range fields {
		want, err := strconv.ParseFloat(f.text, 64)
		if f.text != "" && err != nil || want != f.got {
			wrong = append(wrong, fmt.Errorf("%s is %v by the further options, and %q in its field "+
				"of this form: fill that in, and leave the option out", f.name, f.got, f.text))
		}
	}
	return errors.Join(wrong...)
}
