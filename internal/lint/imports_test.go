package lint

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// layers is the import policy: a package may import the project's packages listed beside it, and
// everything those may import. The data's way goes one way. A package that is not in the table
// needs a place in it.
var layers = []struct {
	pkg  string
	uses []string
}{
	{"dataset", []string{
		"internal/par", "internal/disk", "dataset/parquet", "dataset/arrow", "dataset/sheet",
		"dataset/rows",
	}},
	{"dataset/column", nil}, // batches of rows of files of columns
	{"dataset/parquet", []string{"dataset/column", "internal/limits"}},
	{"dataset/sheet", []string{"dataset/column", "internal/limits"}},
	{"dataset/arrow", []string{"dataset/column", "internal/limits"}},
	{"dataset/rows", []string{"dataset/column", "internal/limits"}}, // of databases, without a driver
	// the drivers; its tests read and write data
	{"dataset/database", []string{"dataset", "internal/pgtest", "internal/soak"}},
	{"dataset/bag", []string{"dataset"}},
	{"dataset/profile", []string{"dataset", "internal/par", "internal/projection"}},
	{"hierarchy", []string{"dataset", "dataset/bag", "internal/lazy"}},
	{"privacy", nil},
	{"release", []string{"hierarchy", "privacy"}},
	{"release/pbproof", []string{"release"}}, // a certificate's proof for an outside checker

	{"internal/lists", nil}, // many short lists in one long one
	{"internal/itemset", []string{"internal/par", "internal/lists"}},
	// what is left of transactions behind an itemset: for what measures, not for algorithms
	{"internal/projection", []string{"dataset"}},
	{"anonymize/order", []string{"hierarchy", "internal/par"}}, // orders of records
	{"internal/cover", nil},
	{"internal/lazy", nil}, // what is made at its first use
	{"internal/zdd", nil},  // families of itemsets as decision diagrams
	{"internal/par", nil},
	{"generate", []string{"hierarchy"}},
	{"internal/disk", nil}, // the file system, as tests can let it fail
	{"internal/publish", []string{"internal/disk"}},
	{"internal/limits", []string{"internal/disk"}},
	{"internal/memtest", nil},
	{"internal/testdata", nil},
	{"internal/pgtest", nil}, // a private server for tests
	{"internal/soak", nil},
	{"internal/pbcheck", nil}, // an outside checker, naive, for tests
	{"internal/memory", nil},
	{"internal/lint", nil},
	{"internal/nearest", nil},
	{"internal/yamltext", []string{"internal/limits"}}, // texts of YAML, bounded

	{"anonymize", []string{
		"release", "internal/itemset", "internal/cover", "internal/memory", "internal/zdd",
		"anonymize/order",
	}},
	{"anonymize/local", []string{"anonymize/*"}}, // level by level where data does not fit
	{"anonymize/global", []string{"anonymize"}},
	{"internal/naive", []string{"anonymize/global"}}, // counts, for tests
	// falls back on aa for what clauses do not cover
	{"anonymize/global/exact", []string{"anonymize/global"}},
	{"anonymize/partition", []string{"anonymize/global"}}, // lra runs aa on its parts
	{"anonymize/peel", []string{"anonymize/global"}},      // it starts at the cut of aa
	{"anonymize/*", []string{"anonymize"}},
	// wrappers of the others
	{"anonymize/suppress", []string{
		"anonymize/global/exact", "anonymize/partition", "anonymize/peel", "anonymize/local",
		"anonymize/*",
	}},
	{"anonymize/auto", []string{"anonymize/suppress"}},
	{"internal/posterior", nil},               // what is concluded from a release, for tests
	{"internal/brute", []string{"anonymize"}}, // enumeration on small universes, for tests
	// the tests of all of them
	{"anonymize/conformance", []string{
		"anonymize", "internal/brute", "generate", "internal/soak", "internal/testdata",
		"verify", "measure",
	}},

	{"verify", []string{"release"}},
	{"attack", []string{"release"}},
	{"measure", []string{"release", "internal/par", "internal/projection"}},

	{"report", []string{"verify", "attack", "measure", "internal/nearest"}},
	{"report/chart", nil},                               // SVG
	{"report/page", []string{"report", "report/chart"}}, // HTML with charts
	{"pipeline", []string{
		"report", "anonymize/auto", "internal/publish", "dataset/profile", "generate",
		"release/pbproof",
	}},
	{"", []string{"pipeline"}}, // the root package
	{"experiment", []string{"pipeline", "report/chart", "internal/yamltext"}}, // grids of runs
	{"releasefile", []string{"pipeline", "internal/yamltext"}},                // a whole release in a file
	{"webui", []string{"pipeline", "report/page", "report/chart"}},
	{"cmd/mingle", []string{
		"pipeline", "report/page", "webui", "experiment", "releasefile",
		"cluster", "cluster/place", "cluster/spark", "cluster/fake", "dataset/database", "internal/pgtest",
	}},
	{"cmd/dist", []string{"pipeline", "internal/soak"}}, // what is handed out of a version
	{"cmd/mutants/testdata/toy", nil},                   // is changed in its tests
	{"cmd/mutants", nil},                                // whether the tests notice changes
	{"proofs", []string{"verify"}},                      // what a prover has shown, compared with what runs
	{"cluster/engine", nil},                             // what runs jobs on many machines
	{"cluster/place", nil},                              // where paths lead
	{"cluster/split", []string{"hierarchy"}},            // the lines that it hands to a worker
	{"cluster/judge", []string{"cluster/engine", "cluster/split"}},
	{"cluster/spark", []string{"cluster"}},
	{"cluster/fake", []string{"cluster/engine"}}, // for tests
	{"cluster", []string{
		"cluster/judge", "cluster/place", "anonymize/local", "anonymize/global", "anonymize/global/exact", "anonymize/partition",
		"anonymize/*", "attack", "measure", "cluster/fake", "internal/brute", "verify",
		"internal/testdata", "internal/soak",
	}},
	{"bench", []string{"pipeline", "experiment"}},
	{"bench/*", []string{"bench"}},
}

// never lists what must not be reached even through others, whatever the table says: the judges are
// independent.
var never = []struct{ from, to string }{
	{"verify", "anonymize"},
	{"verify", "internal/itemset"},
	{"attack", "anonymize"},
	{"attack", "internal/itemset"},
	{"measure", "anonymize"},
	{"measure", "internal/itemset"},
	{"anonymize", "internal/projection"},
	{"cluster/judge", "anonymize"},
	{"cluster/judge", "internal/itemset"},
}

func TestImportPolicy(t *testing.T) {
	for _, pkg := range packages(t) {
		layer := layerOf(pkg.path)
		if layer == "none" {
			t.Errorf("package %q has no place in the import policy: add it to the table", pkg.path)
			continue
		}
		may := reach(layer)
		for file, imports := range pkg.imports {
			for _, imp := range imports {
				if to := layerOf(imp); imp != pkg.path && to != layer && !slices.Contains(may, to) {
					t.Errorf("%s: package %q must not import %q", file, pkg.path, imp)
				}
				if to := layerOf(imp); imp != pkg.path && to == layer {
					t.Errorf(
						"%s: %q and %q stand side by side and must not import each other", file,
						pkg.path, imp,
					)
				}
			}
		}
	}
}

func TestJudgesAreIndependent(t *testing.T) {
	direct := map[string][]string{}
	for _, pkg := range packages(t) {
		for _, imports := range pkg.imports {
			direct[pkg.path] = append(direct[pkg.path], imports...)
		}
	}
	for _, rule := range never {
		for _, to := range closure(direct, rule.from) {
			if to == rule.to || strings.HasPrefix(to, rule.to+"/") {
				t.Errorf("%q reaches %q: a judge must not lean on what it judges", rule.from, to)
			}
		}
	}
}

// layerOf finds the row of the table for a package, "none" if there is none.
func layerOf(pkg string) string {
	best := "none"
	for _, l := range layers {
		parent, wild := strings.CutSuffix(l.pkg, "/*")
		if l.pkg == pkg {
			return pkg
		}
		if wild && strings.HasPrefix(pkg, parent+"/") {
			best = l.pkg
		}
	}
	return best
}

func reach(layer string) []string {
	direct := map[string][]string{}
	for _, l := range layers {
		direct[l.pkg] = l.uses
	}
	return closure(direct, layer)
}

// closure is everything that can be reached from one node, without the node itself.
func closure(direct map[string][]string, from string) []string {
	var out []string
	todo := direct[from]
	for len(todo) > 0 {
		next := todo[0]
		todo = todo[1:]
		if !slices.Contains(out, next) {
			out = append(out, next)
			todo = append(slices.Clone(todo), direct[next]...)
		}
	}
	return out
}

// Whoever imports the root to anonymize, verify and report does not link plotting, fonts, a browser
// or a terminal.
func TestRootIsLight(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", module).Output()
	if err != nil {
		t.Skipf("go list: %v", err)
	}
	for _, heavy := range []string{
		"report/chart", "report/page", "gonum.org/v1/plot", "golang.org/x/image", "chromedp", "go-rod", "x/term", "cobra",
		"jackc/pgx", "modernc.org",
	} {
		if strings.Contains(string(out), heavy) {
			t.Errorf("the root depends on %s", heavy)
		}
	}
}
