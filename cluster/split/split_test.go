package split_test

import (
	"fmt"
	"strings"
	"testing"

	"mingle/cluster/split"
	"mingle/dataset"
	"mingle/internal/soak"
)

// read reads lines as a worker does.
func read(t *testing.T, l split.Layout, text string) (out []string, err error) {
	t.Helper()
	err = l.Chunks(t.Context(), strings.NewReader(text), func(d *dataset.Dataset) error {
		for i := range d.Len() {
			out = append(out, strings.Join(d.Labels(i), "+"))
		}
		return nil
	})
	return out, err
}

func TestLinesAreTransactions(t *testing.T) {
	fimi, basket := split.Layout{Format: dataset.Fimi}, split.Layout{Format: dataset.Basket}
	for _, c := range []struct {
		layout     split.Layout
		text, want string
	}{
		{fimi, "a b\n\nc\n", "[a+b  c]"},
		{fimi, "", "[]"},
		{fimi, "\n", "[]"},
		{fimi, "a b\r\nc", "[a+b c]"},
		{basket, "a,\"b c\"\n\nd\n", "[a+b c  d]"},
	} {
		got, err := read(t, c.layout, c.text)
		if err != nil || fmt.Sprint(got) != c.want {
			t.Errorf("%q: %q (%v), not %s", c.text, got, err, c.want)
		}
	}
}

// What the engine may have changed, or would change on its way back, is refused.
func TestLinesThatAreRefused(t *testing.T) {
	for text, why := range map[string]string{
		"a\nb \uFFFD\n":     "U+FFFD",
		"\uFEFFa\n":         "byte-order mark",
		"a\n\uFEFFb\n":      "byte-order mark",
		"a\x00b\n":          "zero byte",
		"a\n\\N\nb\n":       `\N`,
		"\"a\nb\",c\nd,e\n": "quoted line ends",
	} {
		_, err := read(t, split.Layout{Format: dataset.Basket}, text)
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := (split.Layout{Format: dataset.JSONL}).Check(); err == nil {
		t.Error("jsonl is read")
	}
	if err := split.Fits(10_000, 3); err == nil || !strings.Contains(err.Error(), "smaller m") {
		t.Errorf("a line of 10,000 items: %v", err)
	}
	if err := split.Fits(10_000, 2); err != nil {
		t.Error(err)
	}
}

// Whatever the lines are, there are as many transactions, or an error.
func FuzzChunks(f *testing.F) {
	f.Add("a b\n\nc", true)
	f.Add("a,\"b\nc\"\n", false)
	soak.Fuzz(f, func(t *testing.T, text string, fimi bool) {
		l := split.Layout{Format: dataset.Basket}
		if fimi {
			l.Format = dataset.Fimi
		}
		got, err := read(t, l, text)
		lines := strings.Count(text, "\n")
		if text != "" && !strings.HasSuffix(text, "\n") {
			lines++
		}
		if err == nil && len(got) != lines {
			t.Fatalf("%d transactions of %d lines", len(got), lines)
		}
	})
}
