package lint

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// layers is the import policy: what each package imports of the project, outside its tests. It is
// no more and no less than what is imported: who adds an import adds it here, too.
var layers = []struct {
	pkg  string
	uses []string
}{
	{"internal/par", nil},
	{"internal/lists", nil}, // many short lists in one long one
	{"internal/lazy", nil},  // what is made at its first use
	{"internal/zdd", nil},   // families of itemsets as decision diagrams
	{"internal/cover", nil},
	{"internal/memory", []string{"privacy"}},
	{"internal/nearest", nil},
	{"internal/disk", nil}, // the file system, as tests can let it fail
	{"internal/publish", []string{"internal/disk"}},
	{"internal/limits", []string{"internal/disk"}},
	{"internal/yamltext", []string{"internal/lazy", "internal/limits"}}, // texts of YAML, bounded
	{"internal/itemset", []string{"internal/lists", "internal/par"}},
	// what is left of transactions behind an itemset: for what measures, not for algorithms
	{"internal/projection", []string{"dataset"}},
	{"internal/lint", nil},

	{"dataset/column", nil}, // batches of rows of files of columns
	{"dataset/parquet", []string{"dataset/column", "internal/limits"}},
	{"dataset/sheet", []string{"dataset/column", "internal/limits"}},
	{"dataset/arrow", []string{"dataset/column", "internal/limits"}},
	// of databases, without a driver
	{"dataset/rows", []string{"dataset/column", "internal/limits"}},
	// the drivers
	{"dataset/database", []string{"dataset/column", "dataset/rows", "internal/disk"}},
	{"dataset", []string{
		"dataset/arrow", "dataset/column", "dataset/parquet", "dataset/rows", "dataset/sheet",
		"internal/disk", "internal/limits", "internal/par",
	}},
	{"dataset/bag", []string{"dataset"}},
	{"dataset/profile", []string{"dataset", "internal/par", "internal/projection"}},
	{"hierarchy", []string{
		"dataset", "dataset/bag", "internal/disk", "internal/lazy", "internal/limits",
	}},
	{"generate", []string{"dataset", "dataset/bag", "hierarchy"}},
	{"privacy", nil},
	{"release", []string{"dataset", "dataset/bag", "hierarchy", "internal/limits"}},
	// a certificate's proof for an outside checker
	{"release/pbproof", []string{"hierarchy", "release"}},

	{"anonymize", []string{
		"dataset", "hierarchy", "internal/itemset", "internal/par", "privacy", "release",
	}},
	{"anonymize/order", []string{"dataset", "internal/par"}}, // orders of records
	{"anonymize/coherence", []string{
		"anonymize", "dataset", "internal/itemset", "internal/par", "internal/zdd", "privacy",
		"release",
	}},
	{"anonymize/continuous", []string{
		"anonymize", "dataset/bag", "hierarchy", "internal/memory", "internal/par", "privacy",
		"release",
	}},
	{"anonymize/core", []string{
		"anonymize", "dataset", "hierarchy", "internal/par", "privacy", "release",
	}},
	{"anonymize/sensitive", []string{"anonymize", "dataset"}},
	{"anonymize/nonreciprocal", []string{
		"anonymize", "anonymize/order", "dataset", "internal/memory", "internal/par", "privacy",
		"release",
	}},
	{"anonymize/levels", []string{
		"anonymize", "dataset", "hierarchy", "internal/par", "privacy", "release",
	}},
	// level by level where data does not fit
	{"anonymize/local", []string{
		"anonymize", "anonymize/levels", "dataset", "hierarchy", "internal/lists", "internal/par",
		"privacy", "release",
	}},
	{"anonymize/global", []string{
		"anonymize", "dataset", "hierarchy", "internal/itemset", "internal/par", "privacy",
		"release",
	}},
	// falls back on aa for what clauses do not cover
	{"anonymize/global/exact", []string{
		"anonymize", "anonymize/global", "dataset", "hierarchy", "internal/cover",
		"internal/itemset", "privacy", "release",
	}},
	// lra runs aa on its parts
	{"anonymize/partition", []string{
		"anonymize", "anonymize/global", "anonymize/order", "dataset", "hierarchy", "internal/par",
		"privacy", "release",
	}},
	// it starts at the cut of aa
	{"anonymize/peel", []string{
		"anonymize", "anonymize/global", "dataset", "hierarchy", "privacy", "release",
	}},
	{"anonymize/suppress", []string{
		"anonymize", "anonymize/global", "dataset", "hierarchy", "internal/cover",
		"internal/itemset", "privacy", "release",
	}},
	// runs the others
	{"anonymize/auto", []string{
		"anonymize", "anonymize/core", "anonymize/global", "anonymize/global/exact",
		"anonymize/local", "anonymize/partition", "anonymize/peel", "anonymize/suppress",
		"release",
	}},

	{"verify", []string{
		"dataset", "dataset/bag", "hierarchy", "internal/par", "privacy", "release",
	}},
	{"verify/bound", []string{"dataset", "hierarchy", "release"}}, // what proves a bound on the loss
	{"attack", []string{"dataset", "dataset/bag", "hierarchy", "internal/par", "release"}},
	{"measure", []string{
		"dataset", "dataset/bag", "hierarchy", "internal/par", "internal/projection", "privacy",
		"release",
	}},
	{"report", []string{
		"attack", "dataset", "dataset/bag", "hierarchy", "internal/lazy", "internal/limits",
		"internal/nearest", "measure", "privacy", "release", "verify",
	}},
	{"report/chart", nil}, // SVG
	{"report/page", []string{"attack", "report", "report/chart"}}, // HTML with charts

	{"pipeline", []string{
		"anonymize", "anonymize/auto", "anonymize/coherence", "anonymize/continuous",
		"anonymize/core", "anonymize/global", "anonymize/global/exact", "anonymize/local",
		"anonymize/nonreciprocal", "anonymize/order", "anonymize/partition", "anonymize/peel",
		"anonymize/sensitive", "anonymize/suppress", "attack", "dataset", "dataset/bag",
		"dataset/profile", "dataset/rows", "generate", "hierarchy", "internal/disk",
		"internal/limits", "internal/memory", "internal/par", "internal/publish", "measure",
		"privacy", "release", "release/pbproof", "report", "verify", "verify/bound",
	}},
	// the root package
	{"", []string{
		"anonymize", "anonymize/auto", "dataset", "hierarchy", "pipeline", "privacy", "release",
		"report", "verify",
	}},
	// grids of runs
	{"experiment", []string{
		"anonymize/nonreciprocal", "anonymize/partition", "attack", "dataset", "dataset/bag",
		"dataset/rows", "generate", "hierarchy", "internal/disk", "internal/lazy",
		"internal/limits", "internal/publish", "internal/yamltext", "measure", "pipeline",
		"privacy", "report/chart",
	}},
	// a whole release in a file
	{"releasefile", []string{
		"anonymize/continuous", "anonymize/nonreciprocal", "dataset", "dataset/bag",
		"dataset/rows", "hierarchy", "internal/lazy", "internal/nearest", "internal/yamltext",
		"pipeline", "report",
	}},
	{"webui", []string{
		"anonymize", "attack", "dataset", "dataset/profile", "dataset/rows", "generate",
		"hierarchy", "internal/disk", "internal/memory", "pipeline", "privacy", "report",
		"report/chart", "report/page", "verify",
	}},
	{"cmd/mingle", []string{
		"anonymize", "anonymize/coherence", "anonymize/continuous", "anonymize/global",
		"anonymize/nonreciprocal", "attack", "cluster", "cluster/engine", "cluster/judge",
		"cluster/place", "cluster/spark", "cluster/split", "dataset", "dataset/bag",
		"dataset/database", "dataset/profile", "dataset/rows", "experiment", "generate",
		"hierarchy", "internal/disk", "internal/limits", "internal/memory", "internal/nearest",
		"internal/publish", "measure", "pipeline", "privacy", "releasefile", "report",
		"report/page", "verify", "webui",
	}},
	{"cmd/dist", []string{"pipeline"}}, // what is handed out of a version
	{"cmd/mutants", nil},               // whether the tests notice changes
	{"cmd/mutants/testdata/toy", nil},  // is changed in its tests
	{"proofs", nil},                    // what a prover has shown, compared with what runs

	{"cluster/engine", nil},                             // what runs jobs on many machines
	{"cluster/place", nil},                              // where paths lead
	{"cluster/split", []string{"dataset", "hierarchy"}}, // the lines that it hands to a worker
	{"cluster/judge", []string{"cluster/engine", "cluster/split", "dataset", "hierarchy"}},
	{"cluster/spark", []string{"cluster/engine", "cluster/place"}},
	{"cluster", []string{
		"anonymize", "anonymize/global", "anonymize/global/exact", "anonymize/local",
		"anonymize/partition", "attack", "cluster/engine", "cluster/judge", "cluster/place",
		"cluster/split", "dataset", "hierarchy", "internal/itemset", "internal/memory", "measure",
		"privacy", "release",
	}},

	{"bench/coherence", []string{"anonymize/coherence", "dataset", "generate", "privacy"}},
	{"bench/figures", []string{"experiment"}},
	{"bench/floor", nil},
	{"bench/mine", []string{"anonymize", "dataset", "internal/itemset"}},
	{"bench/ratios", nil},

	// what onlyTests lists
	{"internal/memtest", nil},
	{"internal/testdata", nil},
	{"internal/pgtest", nil}, // a private server
	{"internal/soak", nil},
	{"internal/pbcheck", nil},   // an outside checker, naive
	{"internal/posterior", nil}, // what is concluded from a release
	// counts
	{"internal/naive", []string{"anonymize", "anonymize/global", "dataset", "internal/itemset"}},
	// enumeration on small universes
	{"internal/brute", []string{"anonymize", "dataset", "hierarchy", "privacy"}},
	{"cluster/fake", []string{"cluster/engine"}}, // an engine
	// the tests of all algorithms
	{"anonymize/conformance", []string{
		"anonymize", "dataset", "hierarchy", "internal/brute", "internal/soak",
		"internal/testdata", "measure", "privacy", "release", "verify",
	}},
}

// onlyTests lists packages that other packages import in tests alone.
var onlyTests = []string{
	"internal/memtest", "internal/testdata", "internal/pgtest", "internal/soak",
	"internal/pbcheck", "internal/posterior", "internal/naive", "internal/brute", "cluster/fake",
	"anonymize/conformance",
}

// never lists what must not be reached even through others, whatever the table says: the judges are
// independent.
var never = []struct{ from, to string }{
	{"verify", "anonymize"},
	{"verify", "internal/itemset"},
	{"verify/bound", "anonymize"},
	{"verify/bound", "internal/itemset"},
	{"attack", "anonymize"},
	{"attack", "internal/itemset"},
	{"measure", "anonymize"},
	{"measure", "internal/itemset"},
	{"anonymize", "internal/projection"},
	{"cluster/judge", "anonymize"},
	{"cluster/judge", "internal/itemset"},
}

func TestImportPolicy(t *testing.T) {
	direct := imports(t)
	for _, l := range layers {
		has, ok := direct[l.pkg]
		if !ok {
			t.Errorf("there is no package %q (or it stands in the table twice)", l.pkg)
			continue
		}
		delete(direct, l.pkg)
		for _, imp := range has {
			if !slices.Contains(l.uses, imp) {
				t.Errorf("package %q must not import %q", l.pkg, imp)
			}
		}
		for _, imp := range l.uses {
			if !slices.Contains(has, imp) {
				t.Errorf("package %q may import %q and does not: take it from the table", l.pkg, imp)
			}
			if slices.Contains(onlyTests, imp) && !slices.Contains(onlyTests, l.pkg) {
				t.Errorf("package %q must not import %q, which is for tests", l.pkg, imp)
			}
		}
	}
	for pkg := range direct {
		t.Errorf("package %q has no place in the import policy: add it to the table", pkg)
	}
}

func TestJudgesAreIndependent(t *testing.T) {
	direct := imports(t)
	for _, rule := range never {
		for _, to := range closure(direct, rule.from) {
			if to == rule.to || strings.HasPrefix(to, rule.to+"/") {
				t.Errorf("%q reaches %q: a judge must not lean on what it judges", rule.from, to)
			}
		}
	}
}

// imports has for each package what it imports of the project, outside its tests.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for path, pkg := range packages(t) {
		out[path] = nil
		for _, imports := range pkg.imports {
			out[path] = append(out[path], imports...)
		}
		slices.Sort(out[path])
		out[path] = slices.Compact(out[path])
	}
	return out
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
