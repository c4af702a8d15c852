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
		"a\x01b\n":          "U+0001",
		"\uFEFFa\n":         "byte-order mark",
		"a\n\uFEFFb\n":      "byte-order mark",
		"a\x00b\n":          "zero byte",
		"a\n\\N\nb\n":       "a list that is null",
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

// What workers say of the parts of files is understood or refused, and numbers have no gaps.
func FuzzNumber(f *testing.F) {
	f.Add("/x\t0\t3\tv\n/y\t0\t2\tv\n/x\t9\t1\tv")
	soak.Fuzz(f, func(t *testing.T, text string) {
		n, err := split.Number(strings.Split(text, "\n"), "v", []string{"/x", "file:///y"},
			[]string{"/z"})
		if err != nil {
			return
		}
		at := map[bool]int64{}
		for _, p := range n.Parts {
			if second := p.File == 2; p.First != at[second] || p.Lines < 1 {
				t.Fatalf("%+v", n)
			} else {
				at[second] += p.Lines
			}
		}
		if n.Lines(2) != at[false] || n.Lines(3) != at[false]+at[true] {
			t.Fatalf("%+v: %d", n, n.Lines(3))
		}
	})
}

// Lines are numbered from 0 within a group of files, wherever these are cut; a part that was not
// counted, or has other lines, is noticed.
func TestLinesAreNumbered(t *testing.T) {
	l := split.Layout{Format: dataset.Fimi}
	count := func(text string) []string {
		var out strings.Builder
		if err := split.CountLines(t.Context(), strings.NewReader(text), "v", &out); err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	}
	first := "file:///x\t0\ta\nfile:///x\t0\tb\nfile:///y\t0\tc\n"
	second := "file:///x\t4\t\nfile:///z\t0\td\n"
	n, err := split.Number(append(count(second), count(first)...), "v", []string{"/x", "/y"},
		[]string{"/z"})
	if err != nil {
		t.Fatal(err)
	}
	read := func(text string) (out string, err error) {
		err = l.Numbered(t.Context(), strings.NewReader(text), n,
			func(file int, first int64, d *dataset.Dataset) error {
				for i := range d.Len() {
					out += fmt.Sprintf("%d:%d%v ", file, first+int64(i), d.Labels(i))
				}
				return nil
			})
		return out, err
	}
	for text, want := range map[string]string{
		first: "0:0[a] 0:1[b] 1:3[c] ", second: "0:2[] 2:0[d] ",
	} {
		if got, err := read(text); err != nil || got != want {
			t.Errorf("%q: %q (%v), not %q", text, got, err, want)
		}
	}
	for _, text := range []string{
		"file:///x\t0\ta\n", "file:///x\t2\ta\n", "file:///w\t0\ta\n", first + "file:///y\t0\td\n",
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), split.Moved) {
			t.Errorf("%q: %v", text, err)
		}
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

// A label that the engine would cut, or lose, is refused where it would be written as it is.
func TestLabelsThatAreRefused(t *testing.T) {
	for hierarchy, want := range map[string]string{
		"a;A\x01x;*\nb;B;*\n": "U+0001", "a;\\N;*\nb;B;*\n": `a group \N`, "\\N;A;*\nb;B;*\n": "",
	} {
		l := split.Layout{Format: dataset.Basket, Hierarchy: []byte(hierarchy)}
		if _, err := l.Tree(); (err == nil) != (want == "") ||
			err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", hierarchy, err)
		}
		l.Format = dataset.JSONL
		if _, err := l.Tree(); err != nil {
			t.Error(err)
		}
	}
}
