package toy

import "testing"

func TestLeast(t *testing.T) {
	if Least(1, 2) != 1 || Least(4, 3) != 3 {
		t.Error("not the lesser")
	}
}

func TestHalves(t *testing.T) {
	if Halves(1) != 0 || Halves(8) != 3 {
		t.Error("not 0 and 3")
	}
}

func TestFirst(t *testing.T) {
	if n, err := First([]int{3, -2, 6, 8}); n != 6 || err != nil {
		t.Error(n, err)
	}
	if _, err := First([]int{1}); err == nil {
		t.Error("1 is even")
	}
}

func TestSign(t *testing.T) {
	if Sign(-1) != "-" || Sign(1) != "+" || Sign(0) != "" {
		t.Error("not the signs")
	}
}
