package judge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"mingle/cluster/split"
	"mingle/dataset"
	"mingle/internal/soak"
)

// The arithmetic of digests is that of big numbers.
func TestArithmeticOfTheField(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 7))
	p := big.NewInt(field)
	number := func(n uint64) *big.Int { return new(big.Int).SetUint64(n) }
	for i := range 2000 {
		a, b, n := rng.Uint64N(field), rng.Uint64N(field), rng.Int64N(1<<40)
		if i%5 == 0 {
			a = field - 1 - rng.Uint64N(3)
		}
		product := new(big.Int).Mul(number(a), number(b))
		sum := new(big.Int).Add(number(a), number(b))
		if want := product.Mod(product, p); times(a, b) != want.Uint64() {
			t.Fatalf("%d * %d: %d, not %v", a, b, times(a, b), want)
		}
		if want := sum.Mod(sum, p); plus(a, b) != want.Uint64() {
			t.Fatalf("%d + %d: %d, not %v", a, b, plus(a, b), want)
		}
		if want := new(big.Int).Exp(number(a), big.NewInt(n), p); power(a, n) != want.Uint64() {
			t.Fatalf("%d ^ %d: %d, not %v", a, n, power(a, n), want)
		}
	}
}

// digestOf is the digest of lines that are cut into parts at some places.
func digestOf(t *testing.T, rng *rand.Rand, lines []string, files int) *whole {
	t.Helper()
	p := plan{
		Protocol: Protocol, Version: "v", What: ofOriginal, Nodes: []int32{0, 1, 4},
		At: [2]uint64{12345678901, 98765432109}, Salt: []byte("salt"),
		Layout: split.Layout{Format: dataset.Fimi, Hierarchy: []byte("a;*;R\nb;*;R\nc;C;R\nd;C;R\n")},
	}
	tree, err := p.Tree()
	if err != nil {
		t.Fatal(err)
	}
	p.Nodes = nil
	for _, label := range []string{"a", "b", "C"} {
		u, ok := tree.Node(label)
		if !ok {
			t.Fatal(label)
		}
		p.Nodes = append(p.Nodes, u)
	}
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var names, told []string
	for f := range files {
		name := fmt.Sprintf("file:/x/part-%d", f)
		names = append(names, strings.Replace(name, "file:", "file://", 1))
		own := lines[f*len(lines)/files : (f+1)*len(lines)/files]
		for at := 0; at < len(own); {
			end := at + 1 + rng.IntN(len(own)-at)
			var in, out bytes.Buffer
			for _, line := range own[at:end] {
				fmt.Fprintf(&in, "%s\t%d\t%s\n", name, at, line)
			}
			if err := Work(t.Context(), "verify", bytes.NewReader(text), "v", &in, &out); err != nil {
				t.Fatal(err)
			}
			told = append(told, strings.TrimSpace(out.String()))
			at = end
		}
	}
	rng.Shuffle(len(told), func(i, j int) { told[i], told[j] = told[j], told[i] })
	w, err := join(told, names, p.At, "v")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Lines have one digest, whatever parts they are read in; other lines, and the same in another
// order, have another.
func TestDigestsTellLinesApart(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 9))
	for range 50 {
		var lines []string
		for range 2 + rng.IntN(12) {
			line := []string{"a", "b", "c", "d"}[:rng.IntN(5)]
			lines = append(lines, strings.Join(line, " "))
		}
		one := digestOf(t, rng, lines, 1)
		if two := digestOf(t, rng, lines, 1+rng.IntN(3)); *two != *one {
			t.Fatalf("%q: %+v and %+v", lines, one, two)
		}
		i := rng.IntN(len(lines) - 1)
		other := append([]string{}, lines...)
		other[i], other[i+1] = other[i+1], other[i]
		same := kept(lines[i]) == kept(lines[i+1])
		if (digestOf(t, rng, other, 1).digest == one.digest) != same {
			t.Fatalf("%q and %q", lines, other)
		}
	}
}

// kept is a line as the cut of digestOf publishes it.
func kept(line string) string {
	return strings.Replace(strings.NewReplacer("c", "C", "d", "C").Replace(line), "C C", "C", 1)
}

// What workers say of parts is understood or refused.
func FuzzPart(f *testing.F) {
	f.Add("/x\t0\t1\t2\t3\t4\t5\tv\t\t\tfalse")
	soak.Fuzz(f, func(t *testing.T, line string) {
		p, err := readPart(line, "v", map[string]int{"/x": 0})
		if err == nil && (p.lines < 0 || p.at < 0) {
			t.Fatalf("%+v", p)
		}
		if _, n, names, _, err := readGroup(line); err == nil && (n < 0 || names < 1) {
			t.Fatal(n, names)
		}
	})
}

// What is said of pairs of lines, and the names of cells, is understood or refused.
func FuzzPair(f *testing.F) {
	f.Add("o 0 =0 1 /", "0 0 1")
	f.Add("p 12 =4 /0 ", "1 4")
	tree, err := split.Layout{Format: dataset.Fimi, Hierarchy: []byte("a;*\nb;*\n")}.Tree()
	if err != nil {
		f.Fatal(err)
	}
	soak.Fuzz(f, func(t *testing.T, text, name string) {
		c := &pairing{
			plan: &plan{}, reading: newReading(tree), used: make([]int64, tree.Nodes()),
			out: bufio.NewWriter(io.Discard), rows: [2]map[int64]row{{}, {}},
		}
		if c.take("7", text) == nil && len(c.rows[0])+len(c.rows[1]) != 1 {
			t.Fatalf("%q: %+v", text, c.rows)
		}
		i, nodes, err := Release{Tree: tree, M: 2}.cellOf(name, 3)
		if err == nil && (i < 0 || i >= 3 || len(nodes) != 2) {
			t.Fatal(i, nodes)
		}
	})
}

// Tuples of m nodes have just those of a set.
func TestTuplesOfASet(t *testing.T) {
	for want, set := range map[string][]int32{
		"[[7 7 7]]":         {7},
		"[[7 8 8] [7 7 8]]": {7, 8},
		"[[7 8 9]]":         {7, 8, 9},
	} {
		if got := fmt.Sprint(tuples(set, 3)); got != want {
			t.Errorf("%v: %s, not %s", set, got, want)
		}
	}
}
