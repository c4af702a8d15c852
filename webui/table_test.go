package webui

import (
	"fmt"
	"slices"
	"testing"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/pipeline"
	"mingle/privacy"
)

// A sample has all lines of each person that is in it, and its lines stay those of their persons.
func TestSampleOfPersons(t *testing.T) {
	var lines [][]string
	var persons []string
	for i := range 3 * sampleLines {
		person := fmt.Sprint("p", i%1500)
		if i%7 == 0 {
			person = "" // of nobody known
		}
		lines = append(lines, []string{fmt.Sprint("i", i), "of " + person})
		persons = append(persons, person)
	}
	d := dataset.FromLabels(lines)
	some, whose := sample(d, persons)
	if some.Len() < sampleLines || some.Len() > sampleLines+10 || len(whose) != some.Len() {
		t.Fatalf("%d lines of %d, %d persons", some.Len(), d.Len(), len(whose))
	}
	count := func(all []string) map[string]int {
		out := map[string]int{}
		for _, person := range all {
			out[person]++
		}
		return out
	}
	before, after := count(persons), count(whose)
	for person, n := range after {
		if person != "" && n != before[person] {
			t.Errorf("%s has %d of %d lines", person, n, before[person])
		}
	}
	for i, person := range whose {
		if !slices.Contains(some.Labels(i), "of "+person) {
			t.Fatalf("line %d (%v) is said to be of %q", i, some.Labels(i), person)
		}
	}
}

// What the table tries counts persons where they are named: three lines of one are no crowd.
func TestTableOfPersons(t *testing.T) {
	tree, err := hierarchy.Fanout([]string{"a", "b", "c", "d"}, 2)
	if err != nil {
		t.Fatal(err)
	}
	entry, err := pipeline.FindAlgorithm("km", tableBy)
	if err != nil {
		t.Fatal(err)
	}
	d := dataset.FromLabels([][]string{{"a"}, {"a"}, {"a"}, {"b"}, {"c"}, {"d"}, {"b"}, {"c"}})
	source, err := sourceOf(d, tree, nil)
	if err != nil {
		t.Fatal(err)
	}
	loss := func(persons []string, column string) float64 {
		source.Persons = persons
		c := try(t.Context(), pipeline.Trial{
			Family: pipeline.KM{
				Promise: privacy.KM{K: 2, M: 1}, Algorithm: entry.Make(pipeline.Settings{}),
				PersonColumn: column,
			},
			Source: source, Seed: &[32]byte{},
		}, 2, 1)
		if c.Failed != "" {
			t.Fatal(c.Failed)
		}
		return c.Loss
	}
	each := []string{"1", "2", "3", "4", "5", "6", "7", "8"}
	one := []string{"1", "1", "1", "4", "5", "6", "7", "8"}
	if own, shared := loss(each, "p"), loss(one, "p"); shared <= own {
		t.Errorf("lines of one person lose %v, of several %v", shared, own)
	}
}
