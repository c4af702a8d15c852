package peel_test

import (
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/peel"
)

// Releases are judged by enumeration, and by the verifier.
func TestPeelSoak(t *testing.T) {
	conformance.Suite{
		New:       func() anonymize.Algorithm { return peel.Algorithm{} },
		Instances: 20_000, Persons: true, NoNegative: true,
	}.Run(t)
}

// It is for persons, and refuses what is not proven.
func TestPeelRefuses(t *testing.T) {
	in := conformance.Medium(3)
	if _, err := (peel.Algorithm{}).Anonymize(t.Context(), in); err == nil {
		t.Error("without persons")
	}
}
