package dataset

import (
	"strings"
	"testing"
)

// broken panics after some blocks, as a faulty reader might.
type broken struct{ blocks int }

func (b *broken) Read(p []byte) (int, error) {
	if b.blocks--; b.blocks < 0 {
		panic("boom")
	}
	return copy(p, strings.Repeat("1 2 3\n", len(p)/6)), nil
}

// A panic while reading on other goroutines comes out where Read was called.
func TestPanicReachesTheCaller(t *testing.T) {
	for _, workers := range []int{1, 3} {
		func() {
			defer func() {
				if p := recover(); p != "boom" {
					t.Errorf("%d workers: recovered %v, want boom", workers, p)
				}
			}()
			_, err := Read(
				t.Context(), &broken{20}, Options{Format: Fimi, Workers: workers, block: 1 << 10},
			)
			t.Errorf("%d workers: no panic, error %v", workers, err)
		}()
	}
}

// faultyParser panics at its second block.
type faultyParser struct {
	parser
	blocks int
}

func (p *faultyParser) parse(b []byte, out *part) {
	if p.blocks++; p.blocks > 1 {
		panic("boom")
	}
	p.parser.parse(b, out)
}

// A panic of a parser does too, with all goroutines ended.
func TestPanicOfAParser(t *testing.T) {
	opts := Options{Format: Fimi, Workers: 3, block: 1 << 10}
	src, err := newSource(strings.NewReader(strings.Repeat("1 2 3\n", 100_000)), 0, opts.Workers, "")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	in := &input{ctx: t.Context(), src: src, opts: opts, cut: splitter{src: src, size: opts.block}}
	first, err := in.next(nil)
	if err != nil {
		t.Fatal(err)
	}
	in.shape = opts.Format.kind().shape(first, opts, &Faults{})
	plain := in.shape.newParser
	in.shape.newParser = func() parser { return &faultyParser{parser: plain()} }
	in.out = newCollector(opts, in.shape)
	defer func() {
		if p := recover(); p != "boom" {
			t.Errorf("recovered %v, want boom", p)
		}
	}()
	t.Errorf("no panic, error %v", in.parallel(first))
}
