package releasefile

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mingle/internal/soak"
	"mingle/report"
)

func nothing(string) (string, bool) { return "", false }

const whole = `# a comment
release: 1
promise: {family: km, k: 5, m: 2, sensitive_columns: [ward, "a,b"]}
input:
  file: data/baskets.csv
hierarchy:
  file: /abs/tree.csv
algorithm: {seed: "${MINGLE_SEED}-x", max_suppressed: 2.5%, suppress: items}
output:
  release: "-"
  keep_columns: age
statements:
  owner: |
    The owner
    in two lines
fail_if:
  ncp: ">0.05"
  singled_out_m3: [">1%", "<0"]
`

func TestRead(t *testing.T) {
	f, err := Read(strings.NewReader(whole), "jobs/release.yaml", func(name string) (string, bool) {
		return "secret", name == "MINGLE_SEED"
	})
	if err != nil {
		t.Fatal(err)
	}
	f.Within("jobs")
	var got []string
	for _, v := range f.Values {
		got = append(got, fmt.Sprintf("%s=%q", v.Field.Path(), v.Texts))
	}
	want := []string{
		`input.file=["jobs/data/baskets.csv"]`, `hierarchy.file=["/abs/tree.csv"]`,
		`promise.k=["5"]`, `promise.m=["2"]`, `promise.sensitive_columns=["ward" "a,b"]`,
		`algorithm.seed=["secret-x"]`, `algorithm.max_suppressed=["2.5%"]`,
		`algorithm.suppress=["items"]`, `output.release=["-"]`, `output.keep_columns=["age"]`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if f.Statements["owner"] != "The owner\nin two lines\n" || len(f.FailIf) != 3 ||
		len(f.SHA256) != 64 || f.Bytes != int64(len(whole)) {
		t.Errorf("%+v", f)
	}
}

// Each fault is told with line and column, all at once.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "f:1:1: the file is empty"},
		{"- a\n", "f:1:1: a release file must be names with values, and is a list"},
		{"release: 2\npromise: {family: km, k: 5, m: 2}\n", "f:1:10: release (2): this program"},
		{"release: 1\npromise:\n  family: kn\n", "f:3:11: promise.family (kn) is not known: did you mean km?"},
		{head + "  z: 1\n", "f:6:3: promise.z is not known"},
		{head + "  h: 1\n", "f:6:3: promise.h is not known in releases of km: it is for coherence"},
		{head + "inptu: 1\n", "f:6:1: inptu is not known: did you mean input?"},
		{head + "output:\n  relaese: x\n", "f:7:3: output.relaese is not known: did you mean release?"},
		{head + "output:\n  relaese: x\n", "f:6:1: output.release is missing"},
		{head + "output:\n", "output must be names with values, and nothing is given"},
		{head + "output: {release: }\n", "output.release must be a text, and nothing is given"},
		{head + "output: {release: 5}\n", `f:6:19: output.release must be a text: put it in quotes, as in "5"`},
		{head + "output: {release: ''}\n", "f:6:19: output.release is given but empty"},
		{head + "output: {release: [a]}\n", "output.release must be a text, and is a list"},
		{head + "output: {release: *a}\n", "aliases (*name)"},
		{head + "output: {release: &a x}\n", "anchors (&name)"},
		{head + "output: {release: a, release: b}\n", "f:6:22: release is given twice in output"},
		{head + "output: {release: a, shuffle: yes}\n", "f:6:31: output.shuffle must be true or false"},
		{head + "output: {release: \"${HOME}/a\"}\n", "f:6:19: output.release: a variable (${HOME}) may stand for a secret only"},
		{head + "algorithm: {seed: \"${NOT_SET}\"}\n", "f:6:19: algorithm.seed: the variable NOT_SET is not set"},
		{head + "algorithm: {seed: 123}\n", "f:6:19: algorithm.seed must be a text: put it in quotes\n"},
		{head + "algorithm: {name: aaa}\n", "f:6:19: algorithm.name (aaa) is not known: did you mean aa?"},
		{head + "limits: {time: 10 minutes}\n", "f:6:16: limits.time (10 minutes) must be a duration"},
		{head + "limits: {memory: much}\n", "f:6:18: limits.memory (much) must be a size"},
		{head + "limits: {workers: -1}\n", "f:6:19: limits.workers (-1) must be at least 0"},
		{head + "limits: {workers: 1.5}\n", "f:6:19: limits.workers must be a whole number"},
		{head + "fail_if: {npc: \">1\"}\n", "f:6:11: fail_if: figure \"npc\" is not known: did you mean ncp?"},
		{head + "fail_if: {ncp: 1}\n", "f:6:16: fail_if.ncp must be a text"},
		{head + "statements: {ownr: x}\n", "f:6:14: statement ownr is not known: did you mean owner?"},
		{head + "---\na: 1\n", "a second document begins"},
		{head + "input: {file: \xff}\n", "f:6:1: the text is not UTF-8"},
		{head + "\tinput: x\n", "f:6:"},
		{"release: 1\n  promise: 2\n", "f:"},
	} {
		_, err := Read(strings.NewReader(c.text), "f", nothing)
		if err == nil || !strings.Contains(err.Error()+"\n", c.want) {
			t.Errorf("%q\ngot  %v\nwant %s", c.text, err, c.want)
		}
	}
}

const head = "release: 1\npromise:\n  family: km\n  k: 5\n  m: 2\n"

func TestAllFaultsAtOnce(t *testing.T) {
	var s strings.Builder
	s.WriteString(head + "input:\n  file: x\n")
	for i := range 30 {
		fmt.Fprintf(&s, "wrong%d: 1\n", i)
	}
	_, err := Read(strings.NewReader(s.String()), "f", nothing)
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 21 || lines[20] != "and 12 more" {
		t.Errorf("%d lines: %v", len(lines), err)
	}
}

// Errors of the command are told of the file.
func TestLocated(t *testing.T) {
	f, err := Read(strings.NewReader(head+`input: {file: in.csv}
hierarchy: {file: tree.csv}
algorithm: {drop: true}
output: {release: out.csv}
fail_if: {ncp: ">0.05"}
`), "f", nothing)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"--drop needs --suppress transactions": "f:8:19: algorithm.drop needs algorithm.suppress transactions",
		"k (5) must be more":                   "f:4:6: k (5) must be more",
		"tree.csv: there is no such file":      "f:7:19: tree.csv: there is no such file",
		"ncp is 0.06, which is >0.05":          "f:10:16: ncp is 0.06, which is >0.05",
		"--nothing of it":                      "--nothing of it",
		"one\n--drop":                          "one\nf:8:19: algorithm.drop",
	} {
		if got := f.Located(fmt.Errorf("%s", text)).Error(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// What is written is read again as it was.
func TestWrite(t *testing.T) {
	threshold, err := report.ParseThreshold("km", "ncp", ">0.05")
	if err != nil {
		t.Fatal(err)
	}
	d := Draft{
		Family: "km", Head: "a head\nin two lines", Tail: "# the end\n",
		Values: map[string][]string{
			"input.file": {"yes"}, "promise.k": {"5"}, "promise.m": {"2"},
			"hierarchy.file": {"a b: #c"}, "hierarchy.columns": {"a,b", "${X}", "$${X}"},
			"output.release": {"- \"x\" \\ \u2028 é"}, "algorithm.max_suppressed": {"0.025"},
			"algorithm.seed": {"${X}"}, "limits.time": {"10m0s"},
		},
		Statements: report.Statements{"owner": "two\nlines\t!", "date": "2026-11-30"},
		FailIf:     []report.Threshold{threshold},
		About:      func(f Field) string { return "about " + f.Name },
		Offered:    map[string]string{"promise.l": "3", "limits.memory": "2GB"},
	}
	text, err := Write(d)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Read(bytes.NewReader(text), "f", nothing)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	got := map[string][]string{}
	for _, v := range f.Values {
		got[v.Field.Path()] = v.Texts
	}
	if diff := cmp.Diff(d.Values, got); diff != "" {
		t.Errorf("%s\n%s", diff, text)
	}
	if diff := cmp.Diff(d.Statements, f.Statements); diff != "" {
		t.Error(diff)
	}
	if len(f.FailIf) != 1 || !strings.HasPrefix(string(text), "# a head\n# in two lines\nrelease: 1\n") {
		t.Errorf("%s", text)
	}
	d.Values["promise.k"] = []string{"1"}
	if _, err := Write(d); err == nil {
		t.Error("a file that cannot be read was written")
	}
}

// Whatever the text, Read ends with a file or with an error; a file that it reads can be written
// and is the same again.
func FuzzRead(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte(head + "output: {release: *a}\n"))
	f.Add([]byte("release: 1\npromise: {family: continuous, k: 2, m: 1}\ninput: {file: a}\noutput: {release: b}\n"))
	f.Add([]byte("? a\n: b\n<<: *x\n!!t {a: [b, {c: d}]}\n"))
	soak.Fuzz(f, func(t *testing.T, text []byte) {
		file, err := Read(bytes.NewReader(text), "f", func(string) (string, bool) { return "s", true })
		if err != nil {
			return
		}
		d := Draft{
			Family: file.Family, Values: map[string][]string{}, Statements: file.Statements,
			FailIf: file.FailIf,
		}
		for _, v := range file.Values {
			d.Values[v.Field.Path()] = v.Texts
		}
		again, err := Write(d)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		back, err := Read(bytes.NewReader(again), "f", nothing)
		if err != nil {
			t.Fatalf("%v\n%s", err, again)
		}
		got := map[string][]string{}
		for _, v := range back.Values {
			got[v.Field.Path()] = v.Texts
		}
		if diff := cmp.Diff(d.Values, got); diff != "" {
			t.Fatalf("%s\n%s", diff, again)
		}
	})
}

// What the command line gives beside a file is called by its flag: the file may not have it.
func TestLocatedNamesWhatWasGiven(t *testing.T) {
	text := "release: 1\ninput: {file: a.dat}\nhierarchy: {file: t.csv}\n" +
		"promise: {family: km, k: 2, m: 1}\nlimits:\n  workers: 2\noutput: {release: b.dat}\n"
	f, err := Read(strings.NewReader(text), "r.yaml", nothing)
	if err != nil {
		t.Fatal(err)
	}
	wrong := errors.New("give more by --memory\nleave out --workers")
	want := "give more by limits.memory\nr.yaml:6:12: leave out limits.workers"
	if got := f.Located(wrong).Error(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	f.Beside = []string{"memory", "workers"}
	if got := f.Located(wrong).Error(); got != wrong.Error() {
		t.Errorf("%q, want %q", got, wrong)
	}
}
