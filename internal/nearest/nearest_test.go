package nearest

import "testing"

func TestName(t *testing.T) {
	names := []string{"hierarchy", "hierarchy-format", "output", "k"}
	for typed, want := range map[string]string{
		"hierachy": "hierarchy", "outptu": "output", "hier": "hierarchy", "": "", "nothing": "",
	} {
		if got := Name(typed, names); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}
