package partition_test

import (
	"strings"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/partition"
	"mingle/dataset"
	"mingle/privacy"
)

// lra and partition keep promises of persons: judged by enumeration, and by the verifier.
func TestPersonsSoak(t *testing.T) {
	for _, a := range []anonymize.Algorithm{
		partition.LRA{Parts: 3}, partition.LRA{Parts: 4, KeepParts: true}, partition.Algorithm{},
	} {
		t.Run(a.Name(), func(t *testing.T) {
			conformance.Suite{
				New:     func() anonymize.Algorithm { return a },
				Persons: true, NoDiversity: true, NoNegative: true,
			}.Run(t)
		})
	}
}

// What is not kept is refused, and said.
func TestNoDiversityOfPersons(t *testing.T) {
	in := conformance.Medium(3)
	in.Promise.L, in.Promise.Persons = 2, true
	b := dataset.NewBuilder(dataset.MustDictionary([]string{"s"}))
	for i := range in.Data.Len() {
		b.Add(nil)
		in.Persons = append(in.Persons, int32(i))
	}
	in.Sensitive = b.Build()
	for _, a := range []anonymize.Algorithm{partition.LRA{}, partition.Algorithm{}} {
		_, err := a.Anonymize(t.Context(), in)
		if err == nil || !strings.Contains(err.Error(), "l-diversity of persons") {
			t.Errorf("%s: %v", a.Name(), err)
		}
	}
	in.Promise = privacy.KM{K: 5, M: 2, Persons: true}
	if _, err := (partition.LRA{}).Anonymize(t.Context(), in); err != nil {
		t.Error(err)
	}
}
