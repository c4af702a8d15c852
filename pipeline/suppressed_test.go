package pipeline

import (
	"errors"
	"testing"

	"mingle/dataset"
	"mingle/privacy"
	"mingle/release"
)

// Lines that are dropped must not leave fewer than k behind: the verifier would refuse them.
func TestDropLeavesNoneOrKLines(t *testing.T) {
	for withheld, want := range map[int]bool{0: true, 2: true, 3: false, 4: false, 5: true} {
		task := &kmTask{KM: KM{Promise: privacy.KM{K: 3, M: 1}, Drop: true}}
		task.input.Data = dataset.FromLabels(make([][]string, 5))
		task.release = &release.Generalized{Withheld: make([]int32, withheld)}
		var infeasible *privacy.Infeasible
		err := task.enoughLines()
		if (err == nil) != want || err != nil && !errors.As(err, &infeasible) {
			t.Errorf("%d of 5 lines are dropped: %v", withheld, err)
		}
	}
}
