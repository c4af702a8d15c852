package pipeline

import (
	"reflect"
	"strings"
	"testing"
)

// Large files are judged in packed form, and what is found is the same: in a release that keeps its
// promise, and in one in which a line is changed.
func TestLargeFilesAreJudgedPacked(t *testing.T) {
	if testing.Short() {
		t.Skip("two minutes for the race detector, which has smaller packed files")
	}
	j, dir := exampleJob(t)
	if _, err := j.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	n := packedFrom/len(exampleData) + 1
	put(t, dir, "data.dat", strings.Repeat(exampleData, n))
	published := strings.Repeat(get(t, j.Output), n)
	lines := strings.SplitAfterN(published, "\n", 3)
	for what, text := range map[string]string{
		"as it is": published, "two lines exchanged": lines[1] + lines[0] + lines[2],
		"another item": "b1\n" + lines[1] + lines[2],
	} {
		put(t, dir, "out.dat", text)
		var findings []any
		for _, little := range []bool{false, true} {
			task, err := pairOf(j).openIn(t.Context(), little)
			if err != nil {
				t.Fatal(err)
			}
			km := task.(*kmTask)
			if km.input.Data.IsPacked() != little || km.published.IsPacked() != little {
				t.Fatalf("little memory is %v, and the data are packed: %v and %v", little,
					km.input.Data.IsPacked(), km.published.IsPacked())
			}
			finding, err := task.verify(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			findings = append(findings, finding)
		}
		if !reflect.DeepEqual(findings[0], findings[1]) {
			t.Errorf("%s: %v plain, and %v packed", what, findings[0], findings[1])
		}
	}
}
