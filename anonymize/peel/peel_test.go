package peel_test

import (
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/peel"
	"mingle/privacy"
)

// Releases are judged by enumeration, and by the verifier.
func TestPeelSoak(t *testing.T) {
	conformance.Suite{
		New:     func() anonymize.Algorithm { return peel.Algorithm{} },
		Persons: true, NoDiversity: true, NoNegative: true,
	}.Run(t)
}

// It is for persons, and refuses what is not proven.
func TestPeelRefuses(t *testing.T) {
	in := conformance.Medium(3)
	if _, err := (peel.Algorithm{}).Anonymize(t.Context(), in); err == nil {
		t.Error("without persons")
	}
	diverse := privacy.KM{K: 2, M: 2, L: 2, Persons: true}
	if (peel.Algorithm{}).KeepsOfPersons(diverse) == nil {
		t.Error("with l")
	}
}
