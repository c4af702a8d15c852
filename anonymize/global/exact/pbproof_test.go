package exact_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/global/exact"
	"mingle/hierarchy"
	"mingle/internal/brute"
	"mingle/internal/cover"
	"mingle/internal/pbcheck"
	"mingle/internal/soak"
	"mingle/release"
	"mingle/release/pbproof"
	"mingle/verify/bound"
)

// outside is a program and its proof, as they stand in files.
type outside struct {
	opb, pbp string
	bounds   pbproof.Bounds
}

func write(
	t *testing.T, tree *hierarchy.Tree, occurrences []int, c *release.Certificate, cut []int32,
) outside {
	t.Helper()
	p := release.NewProgram(tree, occurrences, c)
	var opb, pbp bytes.Buffer
	if err := p.WriteOPB(&opb, tree); err != nil {
		t.Fatal(err)
	}
	bounds, err := pbproof.Write(t.Context(), &pbp, tree, p, c, cut)
	if err != nil {
		t.Fatal(err)
	}
	return outside{opb.String(), pbp.String(), bounds}
}

// checked lets the naive checker check it, and compares what it says.
func (o outside) checked(t *testing.T) {
	t.Helper()
	got, err := pbcheck.Check(o.opb, o.pbp)
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, o.opb, o.pbp)
	}
	if got.Lower.Int64() != o.bounds.Lower || (got.Upper != nil) != o.bounds.Solved ||
		got.Upper != nil && got.Upper.Int64() != o.bounds.Upper {
		t.Fatalf("%v to %v, not %+v", got.Lower, got.Upper, o.bounds)
	}
}

// veripb is the path of the checker that tools/veripb.sh installs; the test is skipped where there
// is none.
func veripb(t *testing.T) string {
	t.Helper()
	cache, _ := os.UserCacheDir()
	for _, path := range []string{
		os.Getenv("MINGLE_VERIPB"), "veripb", filepath.Join(cache, "mingle", "veripb", "bin", "veripb"),
	} {
		if found, err := exec.LookPath(path); err == nil {
			return found
		}
	}
	t.Skip("VeriPB is not installed: tools/veripb.sh installs it where there is cargo")
	return ""
}

var verified = regexp.MustCompile(`(?m)^s VERIFIED BOUNDS (\d+) <= obj <= (\d+|INF)`)

// ask lets VeriPB check it; what it says is "" where it refuses.
func (o outside) ask(t *testing.T, veripb string) string {
	t.Helper()
	said, _ := o.asked(t, veripb)
	return said
}

// asked is ask, with the processor time that it took.
func (o outside) asked(t *testing.T, veripb string) (string, time.Duration) {
	t.Helper()
	base := filepath.Join(t.TempDir(), "proof")
	for ext, text := range map[string]string{".opb": o.opb, ".pbp": o.pbp} {
		if err := os.WriteFile(base+ext, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), veripb, base+".opb", base+".pbp")
	cmd.Env = append(os.Environ(), "RUST_BACKTRACE=0", "RUST_LIB_BACKTRACE=0") // takes long
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if said := verified.FindString(string(out)); err == nil && said != "" {
		return said, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return "", 0
}

// The proof of every small instance passes the naive checker, and shows the optimum that
// enumeration finds. Where more is promised than supports it shows a bound.
func TestProofsSoak(t *testing.T) {
	gaps := 0
	conformance.Suite{
		Instances: soak.Share(1500, 6000),
		New:       func() anonymize.Algorithm { return exact.Algorithm{} },
		Check: func(t *testing.T, in anonymize.Input, g *release.Generalized) {
			o := write(t, in.Tree, in.Data.Supports(), g.Bound.Certificate, g.Map)
			o.checked(t)
			best, ok := brute.Optimum(in)
			if !ok || o.bounds.Lower > best || o.bounds.Upper < best || !o.bounds.Solved ||
				o.bounds.Upper != costOf(in, g) || o.bounds.Lower != g.Bound.Certificate.Loss() {
				t.Fatalf("%+v, the optimum is %d\n%s", o.bounds, best, conformance.Describe(in))
			}
			if o.bounds.Lower < o.bounds.Upper {
				gaps++
				if !in.Promise.BeyondSupports() {
					t.Fatalf("%+v\n%s", o.bounds, conformance.Describe(in))
				}
			}
		},
	}.Run(t)
	if gaps == 0 {
		t.Error("no instance has a gap")
	}
}

func TestProofsOfPersons(t *testing.T) {
	conformance.Suite{
		Instances: soak.Share(150, 2000), NoDiversity: true, NoNegative: true, Persons: true,
		New: func() anonymize.Algorithm { return exact.Algorithm{} },
		Check: func(t *testing.T, in anonymize.Input, g *release.Generalized) {
			c := g.Bound.Certificate
			write(t, in.Tree, in.Data.Supports(), c, g.Map).checked(t)
			p := release.NewProgram(in.Tree, in.Data.Supports(), c)
			f, err := bound.Program(t.Context(), boundInput(in), p)
			if err != nil || !f.Holds {
				t.Fatalf("%v, %+v\n%s", err, f, conformance.Describe(in))
			}
		},
	}.Run(t)
}

// hard is a random program that takes fixings and branches: clauses of two or three nodes, mostly
// low ones, over a random hierarchy.
type hard struct {
	tree        *hierarchy.Tree
	occurrences []int
	cert        *release.Certificate
	program     *cover.Program
}

func newHard(t *testing.T, rng *rand.Rand) hard {
	t.Helper()
	leaves := 10 + rng.IntN(70)
	labels := make([]string, leaves)
	h := hard{occurrences: make([]int, leaves)}
	even := rng.IntN(2) == 0
	for i := range labels {
		labels[i] = strconv.Itoa(i)
		if h.occurrences[i] = 2; !even {
			h.occurrences[i] = rng.IntN(6)
		}
	}
	var err error
	if h.tree, err = hierarchy.Fanout(labels, 2+rng.IntN(2)); err != nil {
		t.Fatal(err)
	}
	h.cert = &release.Certificate{K: 2, M: 3, Scale: 1}
	if rng.IntN(3) > 0 {
		h.cert.Scale = int64(leaves) + 1
	}
	for range leaves/2 + rng.IntN(leaves) {
		h.cert.Clauses = append(h.cert.Clauses, release.Clause{Nodes: h.unrelated(rng), Support: 1})
	}
	p := release.NewProgram(h.tree, h.occurrences, h.cert)
	parent, weight := make([]int32, len(p.Nodes)), make([]int64, len(p.Nodes))
	for v, u := range p.Nodes {
		parent[v] = max(-1, h.tree.Parent(u)-int32(leaves))
		weight[v] = h.cert.Scale * p.Loss[v]
		for _, child := range h.tree.Children(u) {
			if h.tree.IsLeaf(child) && h.cert.Scale > 1 {
				weight[v]++
			}
		}
	}
	h.program = cover.New(parent, weight)
	for _, c := range p.Clauses {
		h.program.Add(c.Vars...)
	}
	return h
}

// unrelated is a set of two or three nodes, none above another.
func (h hard) unrelated(rng *rand.Rand) []int32 {
	var out []int32
	for size := 2 + rng.IntN(5)/4; len(out) < size; {
		u := int32(rng.IntN(h.tree.Leaves()))
		if rng.IntN(12) == 0 {
			u = int32(rng.IntN(h.tree.Nodes() - 1))
		}
		if !slices.ContainsFunc(out, func(v int32) bool { return h.tree.Related(u, v) }) {
			out = append(out, u)
		} else if rng.IntN(9) == 0 {
			break
		}
	}
	return out
}

// solved is the program with the proof of a search of so many nodes, all where it is 0.
func (h hard) solved(t *testing.T, nodes int) (o outside, r cover.Result) {
	t.Helper()
	r = h.program.Solve(t.Context(), cover.Options{Nodes: nodes})
	h.cert.Bound, h.cert.Proof = r.Lower, exact.Certify(h.tree, r.Proof)
	cut := make([]int32, h.tree.Leaves())
	for leaf := range cut {
		cut[leaf] = int32(leaf)
		for u := h.tree.Parent(int32(leaf)); u >= 0; u = h.tree.Parent(u) {
			if r.X[u-int32(len(cut))] {
				cut[leaf] = u
			}
		}
	}
	return write(t, h.tree, h.occurrences, h.cert, cut), r
}

// Proofs with fixings, cliques, parts and branches pass the naive checker.
func TestHardProofsSoak(t *testing.T) {
	rng := soak.Rand(23, 1)
	nested, early := 0, 0
	for range soak.Rounds(t, soak.Share(400, 20_000)) {
		h := newHard(t, rng)
		o, r := h.solved(t, 0)
		o.checked(t)
		if o.bounds.Lower != o.bounds.Upper {
			t.Fatalf("%+v of an optimum of %d", o.bounds, r.Cost)
		}
		nested = max(nested, strings.Count(o.pbp, "pbc 1 ~x"))
		if few, _ := h.solved(t, 1); few.bounds.Lower < o.bounds.Lower {
			few.checked(t)
			early++
		}
	}
	if nested < 4 || early < 5 {
		t.Errorf("at most %d branches, %d searches that were ended early", nested, early)
	}
	t.Logf("at most %d branches, %d searches that were ended early", nested, early)
}

// VeriPB says of every proof what was written, and refuses a bound raised by one unit, as the naive
// checker does. A proof with a number altered at random is refused by both, or shows something
// true.
func TestVeriPB(t *testing.T) {
	checker := veripb(t)
	rng := rand.New(rand.NewPCG(23, 2))
	for range soak.Rounds(t, soak.Share(15, 1000)) {
		h := newHard(t, rng)
		done, _ := h.solved(t, 0)
		optimum := done.bounds.Upper
		o, r := h.solved(t, rng.IntN(2))
		want := fmt.Sprintf("s VERIFIED BOUNDS %d <= obj <= %d", o.bounds.Lower, o.bounds.Upper)
		if got := o.ask(t, checker); got != want {
			t.Fatalf("%q instead of %q\n%s\n%s", got, want, o.opb, o.pbp)
		}
		if r.Lower >= r.Cost && o.bounds.Lower != optimum {
			t.Fatalf("%+v of a search that is done", o.bounds)
		}
		raised := o.claiming(o.bounds.Lower + 1)
		if _, err := pbcheck.Check(raised.opb, raised.pbp); err == nil ||
			raised.ask(t, checker) != "" {
			t.Fatalf("a bound raised by one unit is accepted\n%s\n%s", raised.opb, raised.pbp)
		}
		for range 3 {
			a := o.altered(rng)
			got, err := pbcheck.Check(a.opb, a.pbp)
			said := a.ask(t, checker)
			if err == nil && (said == "" || got.Lower.Cmp(big.NewInt(optimum)) > 0) ||
				said != "" && claimed(t, said) > optimum {
				t.Fatalf("of %d: %q, %v\n%s\n%s", optimum, said, err, a.opb, a.pbp)
			}
		}
	}
}

// claiming is the proof with another lower bound in its conclusion, and in its first claim.
func (o outside) claiming(lower int64) outside {
	was := fmt.Sprint(o.bounds.Lower)
	o.pbp = strings.Replace(o.pbp, "BOUNDS "+was+" ", fmt.Sprintf("BOUNDS %d ", lower), 1)
	o.pbp = strings.Replace(o.pbp, ">= "+was+" :", fmt.Sprintf(">= %d :", lower), 1)
	return o
}

var numbers = regexp.MustCompile(`\d+`)

// altered is the proof with one of its numbers altered.
func (o outside) altered(rng *rand.Rand) outside {
	at := numbers.FindAllStringIndex(o.pbp, -1)
	where := at[2+rng.IntN(len(at)-2)] // not the version
	n, _ := strconv.Atoi(o.pbp[where[0]:where[1]])
	o.pbp = o.pbp[:where[0]] + strconv.Itoa(max(1, n+rng.IntN(7)-3)) + o.pbp[where[1]:]
	return o
}

func claimed(t *testing.T, said string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(verified.FindStringSubmatch(said)[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The optima of the public data sets, proven to VeriPB. Its log is the table in
// docs/algorithms/exact.md.
func TestVeriPBOnPublishedOptimaSoak(t *testing.T) {
	checker := veripb(t)
	for _, row := range slices.Concat(published, beyond) {
		t.Run(fmt.Sprintf("%s m=%d", row.file, row.m), func(t *testing.T) {
			if row.long && !soak.All() || testing.Short() {
				t.Skip("takes seconds")
			}
			in := load(t, row.file, row.m)
			g, err := exact.Algorithm{}.Anonymize(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			o := write(t, in.Tree, in.Data.Supports(), g.Bound.Certificate, g.Map)
			cost := costOf(in, g)
			said, took := o.asked(t, checker)
			if want := fmt.Sprintf("s VERIFIED BOUNDS %d <= obj <= %d", cost, cost); said != want {
				t.Fatalf("%q instead of %q", said, want)
			}
			t.Logf("%d clauses, program %d kB, proof %d kB, checked in %.3f s, NCP %.6f: %s",
				len(g.Bound.Clauses), (len(o.opb)+500)/1000, (len(o.pbp)+500)/1000, took.Seconds(),
				ncpOf(in, g), said)
			if raised := o.claiming(cost + 1); raised.ask(t, checker) != "" {
				t.Error("a bound raised by one unit is accepted")
			}
		})
	}
}
