package hierarchy

import (
	"strings"
	"testing"

	"mingle/dataset"
)

func TestHints(t *testing.T) {
	tree := mustRead(t, "8;1-139;*\n250;240-279;*\n4019;390-459;*\nA09;A;*\ncheese;dairy;*\n")
	for _, c := range []struct {
		items, want string
	}{
		{"25001 2509 x", `2 of these 3 items would be in the hierarchy cut to their first 3 characters, such as "250" for "2509"`},
		{"401.9", "without their dots"},
		{"008", "without their leading zeros"},
		{"0089 2501", "cut to their first 3 characters, without leading zeros"},
		{"a09", "in capital letters"},
		{"Cheese", "in small letters"},
		{"cheese\t", "without the blanks around them"},
		{"x y z", ""},
		{"dairy", ""},
	} {
		sep := " "
		if strings.HasSuffix(c.items, "\t") {
			sep = "\n"
		}
		data := dataset.FromLabels([][]string{strings.Split(c.items, sep)})
		_, err := tree.Encode(data)
		missing, ok := err.(*MissingItemsError)
		if !ok {
			t.Fatalf("%q: %v", c.items, err)
		}
		if c.want == "" && missing.Hint != "" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.items, err, c.want)
		}
	}
}
