package exact_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/global/exact"
	"mingle/internal/pbcheck"
	"mingle/internal/soak"
	"mingle/release"
	"mingle/verify/bound"
)

// judged reads a program and has the verifier judge it.
func judged(
	t *testing.T, in anonymize.Input, text string,
) (*release.Program, *bound.ProgramFinding, error) {
	t.Helper()
	p, err := release.ReadOPB(strings.NewReader(text), in.Tree)
	if err != nil {
		return nil, nil, err
	}
	f, err := bound.Program(t.Context(), boundInput(in), p)
	if err != nil {
		t.Fatal(err)
	}
	return p, f, nil
}

func optimum(t *testing.T, seed uint64) (anonymize.Input, *release.Generalized, outside) {
	t.Helper()
	in := conformance.Medium(seed)
	in.Promise.K, in.Promise.M = 4, 3
	g, err := exact.Algorithm{}.Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return in, g, write(t, in.Tree, in.Data.Supports(), g.Bound.Certificate, g.Map)
}

// A program that says something else than the data does is refused.
func TestAlteredProgramsAreRefused(t *testing.T) {
	in, g, o := optimum(t, 11)
	p, f, err := judged(t, in, o.opb)
	if err != nil || !f.Holds || f.Clauses < 5 {
		t.Fatalf("the program itself: %v, %+v", err, f)
	}
	if diff := cmp.Diff(
		release.NewProgram(in.Tree, in.Data.Supports(), g.Bound.Certificate), p,
		cmp.FilterPath(func(p cmp.Path) bool {
			return p.String() == "K" || p.String() == "M" // said for people
		}, cmp.Ignore()),
	); diff != "" {
		t.Fatal(diff)
	}
	lines := strings.SplitAfter(o.opb, "\n")
	index := func(prefix string) int {
		for i, line := range lines {
			if strings.HasPrefix(line, prefix) {
				return i
			}
		}
		t.Fatalf("no line begins with %q", prefix)
		return 0
	}
	refused := func(what string, at int, with ...string) {
		text := strings.Join(lines[:at], "") + strings.Join(with, "") +
			strings.Join(lines[at+1:], "")
		if _, f, err := judged(t, in, text); err == nil && f.Holds {
			t.Errorf("%s: accepted", what)
		}
	}
	min, below, rare := index("min:"), index("1 x1 1 ~x"), index("* rare ")
	refused("a larger factor", min, strings.Replace(lines[min], "min: ", "min: 9", 1))
	refused("no objective", min)
	refused("two objectives", min, lines[min], lines[min])
	refused("an order that is none", below, "1 x2 1 ~x1 >= 1 ;\n")
	refused("an order upside down", below, strings.NewReplacer("~", "", " x1 ", " ~x1 ").
		Replace(lines[below]))
	refused("a support", rare, strings.Replace(lines[rare], "* rare ", "* rare 1", 1))
	refused("no rare set", rare)
	refused("a rare set without a clause", rare+1)
	refused("the clause of another set", rare+1, "1 x1 >= 1 ;\n")
	refused("a clause of more", rare+1, strings.Replace(lines[rare+1], ">= 1", ">= 2", 1))
	refused("a clause of fewer nodes", rare+1, lines[rare+1][strings.Index(lines[rare+1], " 1 ")+1:])
	refused("an equation", rare+1, strings.Replace(lines[rare+1], ">=", "=", 1))
	refused("a constraint in a comment", rare, "* rare 3\r1 x1 >= 1 ;\r"+lines[rare])
	refused("a name of an item", index("* node x1 "), "* node x1 "+
		strconv.Quote(in.Tree.Label(0))+"\n")
	refused("two variables of a node", index("* node x1 "), "* node x1 "+
		strings.TrimPrefix(lines[index("* node x2 ")], "* node x2 "))
	refused("an unknown node", index("* node x1 "), "* node x1 \"no such\"\n")
	refused("a label", 0, "@a 1 x1 >= 1 ;\n")
}

// Whatever is altered in a program, the optimum that the verifier lets pass is not above the
// data's: the best release still satisfies it, and costs what it costs.
func TestAlteredProgramsProveNothingFalseSoak(t *testing.T) {
	rng := soak.Rand(23, 3)
	accepted := 0
	for seed := range soak.Rounds(t, soak.Share(2, 40)) {
		in, g, o := optimum(t, 20+uint64(seed))
		for range 1500 {
			text := alteredText(rng, o.opb)
			p, f, err := judged(t, in, text)
			if err != nil || !f.Holds {
				continue
			}
			accepted++
			ones := map[string]bool{}
			lifted, _, ok := p.Lifted(in.Tree, g.Map)
			for i, name := range variables(text) {
				if lifted[i] {
					ones[name] = true
				}
			}
			if value, err := pbcheck.Value(text, ones); !ok || err != nil ||
				value.Int64() > costOf(in, g) {
				t.Fatalf("the optimum costs %d, and %v, %v\n%s", costOf(in, g), value, err, text)
			}
		}
	}
	if accepted < 50 {
		t.Errorf("only %d altered programs are accepted", accepted)
	}
}

// variables are the names of a program's variables in their order.
func variables(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if rest, is := strings.CutPrefix(line, "* node "); is {
			out = append(out, strings.Fields(rest)[0])
		}
	}
	return out
}

// alteredText takes out a line, doubles or moves it, or alters a character.
func alteredText(rng *rand.Rand, text string) string {
	lines := strings.SplitAfter(text, "\n")
	i, j := rng.IntN(len(lines)), rng.IntN(len(lines))
	switch rng.IntN(5) {
	case 0:
		lines[i] = ""
	case 1:
		lines[j] += lines[i]
	case 2:
		lines[i], lines[j] = lines[j], lines[i]
	case 3:
		lines[i] = strings.Replace(lines[i], "\n", "", 1)
	default:
		b := []byte(text)
		const with = "0123456789x~-+*>=;:\" \n\r\t@"
		b[rng.IntN(len(b))] = with[rng.IntN(len(with))]
		return string(b)
	}
	return strings.Join(lines, "")
}
