package hierarchy

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"

	"mingle/internal/memtest"
	"mingle/internal/soak"
)

// TestHierarchyBombsSoak: compressed hierarchies of at most some megabytes are refused, or read,
// within 2 GB. One of 10 MB took 23 GB.
func TestHierarchyBombsSoak(t *testing.T) {
	const gb = 1 << 30
	label := strings.Repeat("x", 1<<20)
	for _, c := range []struct {
		name, want string
		text       func() io.Reader
		opts       ReadOptions
		always     bool
	}{
		{
			"repeated lines", "larger than 256 MiB",
			func() io.Reader { return memtest.Zstd("a;b;*\n", "a;b;*\n", gb) },
			ReadOptions{},
			true,
		},
		{
			"gzip", "larger than 256 MiB",
			func() io.Reader { return memtest.Gzip("a;b;*\n", "a;b;*\n", gb) },
			ReadOptions{},
			false,
		},
		{
			"empty lines", "at most 33554432 are read",
			func() io.Reader { return memtest.Zstd("a;b\n", "\n", 200<<20) },
			ReadOptions{},
			true,
		},
		{
			"short lines", "at most 33554432 are read",
			func() io.Reader { return memtest.Zstd("", "a\n", 200<<20) },
			ReadOptions{Format: ARX},
			false,
		},
		{
			"long line", "more than 1048576 labels",
			func() io.Reader { return memtest.Zstd("", "a;", 200<<20) },
			ReadOptions{Format: ARX, Separator: ';'},
			true,
		},
		{
			"long label", "more than 64 KiB",
			func() io.Reader { return memtest.Zstd("a;", "b", 200<<20) },
			ReadOptions{Format: ARX},
			true,
		},
		{
			"wide amnesia", "node \"a\" is its own parent",
			func() io.Reader { return memtest.Zstd("distinct\nname n\n\na has a", " a", 20<<20) },
			ReadOptions{},
			false,
		},
		{"json keys", "no known layout", func() io.Reader {
			return io.MultiReader(strings.NewReader(`{"x":0`),
				memtestText(`,"x":0`, 20<<20), strings.NewReader("}"))
		}, ReadOptions{Format: JSON}, false},
		{"json children", "is its own parent", func() io.Reader {
			return io.MultiReader(strings.NewReader(`{"label":"a","children":["a"`),
				memtestText(`,"a"`, 20<<20), strings.NewReader("]}"))
		}, ReadOptions{}, false},
		{"json labels", "more than 64 KiB", func() io.Reader {
			return strings.NewReader(`{"label":"a","children":["` + label + `","` + label + `y"]}`)
		}, ReadOptions{}, true},
		{"json term", "more than 1048576 labels", func() io.Reader {
			return io.MultiReader(strings.NewReader(`{"terms":[["a"`),
				memtestText(`,"a"`, 20<<20), strings.NewReader("]]}"))
		}, ReadOptions{}, false},
		{
			"json depth", "exceeded max depth",
			func() io.Reader { return memtest.Zstd(`{"label":"a","children":`, "[", 50<<20) },
			ReadOptions{},
			true,
		},
		{
			"nodes", "more than 16777216 nodes", func() io.Reader { return manyPairs(maxNodes) },
			ReadOptions{Format: Pairs},
			false,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !c.always && soak.Share(0, 1) == 0 {
				t.Skip("in make soak")
			}
			text := c.text()
			var err error
			limit := uint64(2 * gb)
			if c.name == "nodes" {
				limit = 8 * gb // what is stated at maxNodes
			}
			memtest.Within(t, limit, func() { _, err = Read(text, c.opts) })
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %.300v, want one with %q", err, c.want)
			}
		})
	}
}

// memtestText is unit repeated to about size bytes.
func memtestText(unit string, size int) io.Reader {
	return strings.NewReader(strings.Repeat(unit, size/len(unit)))
}

// manyPairs is n lines of an item and the root.
func manyPairs(n int) io.Reader {
	r, w := io.Pipe()
	go func() {
		out := bufio.NewWriterSize(w, 1<<20)
		for i := range n {
			if _, err := fmt.Fprintf(out, "%x,*\n", i); err != nil {
				return
			}
		}
		w.CloseWithError(out.Flush()) // nil means io.EOF
	}()
	return r
}

// TestMemoryOfNodes: a hierarchy takes some hundred bytes a node to read, as is stated at maxNodes.
func TestMemoryOfNodes(t *testing.T) {
	text := manyPairs(300_000)
	memtest.Within(t, 150<<20, func() {
		if tree, err := Read(text, ReadOptions{Format: Pairs}); err != nil ||
			tree.Leaves() != 300_000 {
			t.Errorf("%v", err)
		}
	})
}

// TestDeepChain: 100,000 levels, on one line and as pairs, are read in little memory and refused
// with what is too deep.
func TestDeepChain(t *testing.T) {
	var line, pairs strings.Builder
	const depth = 100_000
	for i := range depth {
		fmt.Fprintf(&line, "n%d;", i)
		fmt.Fprintf(&pairs, "n%d,n%d\n", i, i+1)
	}
	for format, text := range map[Format]string{ARX: line.String() + "*\n", Pairs: pairs.String()} {
		memtest.Within(t, 150<<20, func() {
			_, err := Read(strings.NewReader(text), ReadOptions{Format: format})
			if err == nil || !strings.Contains(err.Error(), "100000 levels below the root") {
				t.Errorf("%s: %v", format, err)
			}
		})
	}
}
