package hierarchy

import (
	"fmt"
	"strings"
	"testing"
)

// chain is four items, each below a chain of its own, in format pairs. The tree has the given
// height.
func chain(height int) string {
	var b strings.Builder
	for item := range 4 {
		below := fmt.Sprint("i", item)
		for level := range height - 1 {
			group := fmt.Sprintf("g%d_%d", item, level)
			fmt.Fprintf(&b, "%s;%s\n", below, group)
			below = group
		}
		fmt.Fprintf(&b, "%s;*\n", below)
	}
	return b.String()
}

// caterpillar is a tree in which every group has one item and the next group.
func caterpillar(height int) string {
	var b strings.Builder
	above := "*"
	for level := range height - 1 {
		fmt.Fprintf(&b, "i%d;%s\ng%d;%s\n", level, above, level, above)
		above = fmt.Sprint("g", level)
	}
	fmt.Fprintf(&b, "x;%s\ny;%s\n", above, above)
	return b.String()
}

// A tree of the greatest height is read, a higher one is refused in words that say what to leave
// out. One of 100,000 levels made local take 4 GB, and the other algorithms minutes.
func TestHeightIsBounded(t *testing.T) {
	for _, c := range []struct {
		text   string
		height int
		says   string
	}{
		{chain(MaxHeight), MaxHeight, ""},
		{chain(MaxHeight + 1), 0, "1001 levels below the root, and at most 1000 are taken: 1000 " +
			"of the groups above it"},
		{chain(100_000), 0, "leave these out"},
		{caterpillar(MaxHeight), MaxHeight, ""},
		{caterpillar(MaxHeight + 1), 0, "at most 1000 are taken: publish fewer levels"},
	} {
		tree, err := Read(strings.NewReader(c.text), ReadOptions{Format: Pairs})
		switch {
		case c.says == "" && err != nil:
			t.Errorf("height %d: %v", c.height, err)
		case c.says == "" && tree.Height(tree.Root()) != c.height:
			t.Errorf("height %d, want %d", tree.Height(tree.Root()), c.height)
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%v does not say %q", err, c.says)
		}
	}
}
