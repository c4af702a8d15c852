package itemset

import "testing"

// A panic of a task comes out where the tasks were started, whatever waits for what they emit.
func TestPanicOfATask(t *testing.T) {
	for _, workers := range []int{1, 3} {
		func() {
			defer func() {
				if p := recover(); p != "boom" {
					t.Errorf("%d workers: recovered %v, want boom", workers, p)
				}
			}()
			err := inOrder(t.Context(), workers, 20, func(_, task int, out *output) {
				if task == 5 {
					panic("boom")
				}
				out.emit([]int32{1}, 1)
			}, func([]int32, int) error { return nil })
			t.Errorf("%d workers: no panic, error %v", workers, err)
		}()
	}
}
