package verify

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"mingle/dataset"
	"mingle/dataset/bag"
	"mingle/hierarchy"
	"mingle/privacy"
	"mingle/release"
)

var update = flag.Bool("update", false, "write what is found into testdata/findings, to be read")

// example is a release with all that is found in it, as text: what a user sees, and can check by
// hand. Its parts are under their names in testdata/findings.
type example struct {
	name  string
	parts map[string][]string // without the last, the finding
	want  []string

	workers int // 0: one
}

func readExamples(t *testing.T, path string) (out []example) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	part := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		name, isPart := strings.CutSuffix(line, ":")
		switch {
		case strings.HasPrefix(line, "== "):
			out = append(out, example{name: line[3:], parts: map[string][]string{}})
			part = "said"
		case isPart && !strings.HasPrefix(line, " "):
			part = name
			out[len(out)-1].parts[part] = []string{}
		case part == "finding" && line != "":
			out[len(out)-1].want = append(out[len(out)-1].want, strings.TrimPrefix(line, "  "))
		case strings.HasPrefix(line, "  "):
			p := out[len(out)-1].parts
			p[part] = append(p[part], line[2:])
		}
	}
	return out
}

// write spells the examples as they are read.
func writeExamples(t *testing.T, path string, all []example) {
	t.Helper()
	var b strings.Builder
	for _, e := range all {
		fmt.Fprintf(&b, "== %s\n", e.name)
		for _, part := range []string{"said", "tree", "promise", "original", "published"} {
			lines, is := e.parts[part]
			if !is {
				continue
			}
			if part != "said" {
				fmt.Fprintf(&b, "%s:\n", part)
			}
			for _, l := range lines {
				fmt.Fprintf(&b, "  %s\n", l)
			}
		}
		b.WriteString("finding:\n")
		for _, l := range e.want {
			fmt.Fprintf(&b, "  %s\n", l)
		}
		b.WriteString("\n")
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

type finder func(context.Context, *testing.T, example) (*Finding, error)

var finders = map[string]finder{
	"km": findKM, "coherence": findCoherence, "continuous": findContinuous,
	"nonreciprocal": findNonreciprocal,
}

// All of a finding is as it should be: the verdict, every breach with its numbers, lines and
// sentence, every note.
func TestFindings(t *testing.T) {
	for family, find := range finders {
		path := filepath.Join("testdata", "findings", family+".txt")
		all := readExamples(t, path)
		for i, e := range all {
			t.Run(family+"/"+strings.ReplaceAll(e.name, " ", "-"), func(t *testing.T) {
				f, err := find(t.Context(), t, e)
				got := spelled(f, err)
				for range 3 { // the same for any number of workers
					e.workers = 8
					if f, err := find(t.Context(), t, e); !slices.Equal(spelled(f, err), got) {
						t.Errorf("by 8 workers: %s", gocmp.Diff(got, spelled(f, err)))
					}
				}
				if *update {
					all[i].want = got
				} else if diff := gocmp.Diff(e.want, got); diff != "" {
					t.Errorf("the finding is another (-want +got):\n%s", diff)
				}
			})
		}
		if *update {
			writeExamples(t, path, all)
		}
	}
}

func spelled(f *Finding, err error) []string {
	if err != nil {
		return strings.Split(strings.TrimRight("error "+err.Error(), "\n"), "\n")
	}
	out := []string{
		fmt.Sprintf("holds %v, %s recoding, %d transactions, %d combinations, %d breaches",
			f.Holds, f.Recoding, f.Transactions, f.Itemsets, f.BreachCount),
	}
	if f.Lacking {
		out = append(out, "lacking")
	}
	for _, b := range f.Breaches {
		s := fmt.Sprintf("%s %q %d of %d", b.Kind, b.Itemset, b.Support, b.Needed)
		if len(b.Lines) > 0 {
			s += fmt.Sprintf(", lines %v", b.Lines)
		}
		if b.Sensitive != "" {
			s += fmt.Sprintf(", sensitive %q", b.Sensitive)
		}
		out = append(out, s, "  "+b.Message)
	}
	for _, n := range f.Notes {
		out = append(out, "note "+n)
	}
	if f.Matches != nil {
		out = append(out, "matches "+f.Matches.String(), fmt.Sprintf("%+v", *f.Matches))
	}
	return out
}

// promiseWords reads "k=2 m=3 negative".
func promiseWords(t *testing.T, e example) (numbers map[string]int, words map[string]string) {
	t.Helper()
	numbers, words = map[string]int{}, map[string]string{}
	for w := range strings.FieldsSeq(strings.Join(e.parts["promise"], " ")) {
		name, value, _ := strings.Cut(w, "=")
		words[name] = value
		if n, err := strconv.Atoi(value); err == nil {
			numbers[name] = n
		}
	}
	return numbers, words
}

// table is lines of items, with sensitive items, values of columns and a person behind bars. A line
// begins with its number in the file and a colon where that is not its place.
type table struct {
	items, sensitive *dataset.Dataset
	values           [][]string
	persons          []int32
}

func readTableOf(t *testing.T, lines []string) *table {
	t.Helper()
	out := &table{values: make([][]string, 9)}
	var sensitive [][]string
	var items [][]string
	var at []int
	for n, line := range lines {
		if number, rest, is := strings.Cut(line, ": "); is {
			i, err := strconv.Atoi(number)
			if err != nil {
				t.Fatal(err)
			}
			line, n = rest, i-1
		}
		part := append(strings.Split(line, "|"), "", "", "")
		items, at = append(items, strings.Fields(part[0])), append(at, n+1)
		sensitive = append(sensitive, strings.Fields(part[1]))
		for c, v := range strings.Split(part[2], ",") {
			out.values[c] = append(out.values[c], strings.Trim(v, "."))
		}
		person := int32(nobody)
		if p, err := strconv.Atoi(strings.TrimSpace(part[3])); err == nil {
			person = int32(p)
		}
		out.persons = append(out.persons, person)
	}
	labelled := dataset.FromLabels(items)
	b := dataset.NewBuilder(labelled.Dict())
	for i := range items {
		b.AddAt(slices.Clone(labelled.Tx(i)), at[i])
	}
	out.items, out.sensitive = b.Build(), dataset.FromLabels(sensitive)
	return out
}

func treeOf(t *testing.T, e example) *hierarchy.Tree {
	t.Helper()
	paths := e.parts["tree"]
	if paths == nil {
		return figure1(t)
	}
	b := hierarchy.NewBuilder()
	for _, p := range strings.Split(strings.Join(paths, ";"), ";") {
		if err := b.Path(strings.Fields(p), 0); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := b.Build(hierarchy.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func findKM(ctx context.Context, t *testing.T, e example) (*Finding, error) {
	t.Helper()
	numbers, words := promiseWords(t, e)
	has := func(w string) bool { _, is := words[w]; return is }
	in := KMInput{
		Tree: treeOf(t, e), MaySuppress: has("suppress"), Workers: cmp.Or(e.workers, 1),
		Promise: privacy.KM{
			K: numbers["k"], M: numbers["m"], L: numbers["l"], NegativeKnowledge: has("negative"),
			SensitiveKnown: has("known"), ColumnsOnly: has("columnsonly"),
			NullIsValue: has("null"), Persons: has("persons"), PersonShare: numbers["share"],
			Knows: privacy.OfData,
		},
	}
	if has("algorithm") {
		in.Promise.Knows = privacy.OfAlgorithm
	}
	if has("columns") {
		in.Promise.Columns = strings.Split(words["columns"], ",")
	}
	if has("not") {
		in.NotSensitive = strings.Split(words["not"], ",")
	}
	p := readTableOf(t, e.parts["published"])
	var err error
	if in.Published, err = in.Tree.EncodePublished(p.items); err != nil {
		t.Fatal(err)
	}
	if in.Promise.HasSensitiveItems() && !has("nosensitive") {
		in.PublishedSensitive = p.sensitive
	}
	var original *table
	if lines, is := e.parts["original"]; is {
		original = readTableOf(t, lines)
		if in.Original, err = in.Tree.Encode(original.items); err != nil {
			t.Fatal(err)
		}
		if in.Promise.HasSensitiveItems() {
			in.OriginalSensitive = original.sensitive
		}
		if in.Promise.Persons {
			in.Persons = original.persons
		}
	}
	for n, name := range in.Promise.Columns {
		c := SensitiveColumn{Name: name, Published: p.values[n]}
		if original != nil {
			c.Original = original.values[n]
		}
		in.Columns = append(in.Columns, c)
	}
	limit := float64(knowledgeLimit)
	if has("limit") {
		limit = float64(numbers["limit"])
	}
	return judge(ctx, in, limit)
}

func findCoherence(ctx context.Context, t *testing.T, e example) (*Finding, error) {
	t.Helper()
	numbers, words := promiseWords(t, e)
	h, err := strconv.ParseFloat(words["h"], 64)
	if err != nil {
		t.Fatal(err)
	}
	in := CoherenceInput{
		Workers:   cmp.Or(e.workers, 1),
		Promise:   privacy.Coherence{H: h, K: numbers["k"], P: numbers["p"]},
		Private:   strings.Split(words["private"], ","),
		Published: readTableOf(t, e.parts["published"]).items,
	}
	if lines, is := e.parts["original"]; is {
		in.Original = readTableOf(t, lines).items
	}
	return Coherence(ctx, in)
}

func findContinuous(ctx context.Context, t *testing.T, e example) (*Finding, error) {
	t.Helper()
	numbers, _ := promiseWords(t, e)
	read := func(lines []string) *bag.Bags {
		var fields [][]string
		for _, l := range lines {
			fields = append(fields, strings.Fields(l))
		}
		b, err := bag.FromFields(bag.Numbers(), fields)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	in := ContinuousInput{
		Workers:   cmp.Or(e.workers, 1),
		Promise:   privacy.Continuous{K: numbers["k"], M: numbers["m"]},
		Published: read(e.parts["published"]),
	}
	if lines, is := e.parts["original"]; is {
		in.Original = read(lines)
	}
	return Continuous(ctx, in)
}

// findNonreciprocal reads records "items | label" and published ones
// "items | uncertain items | threshold | label".
func findNonreciprocal(ctx context.Context, t *testing.T, e example) (*Finding, error) {
	t.Helper()
	numbers, words := promiseWords(t, e)
	dict := dataset.MustDictionary([]string{"a", "b", "c", "d", "e", "f"})
	items := func(b *dataset.Builder, text string) {
		var tx []int32
		for x := range strings.FieldsSeq(text) {
			id, _ := dict.ID(x)
			tx = append(tx, id)
		}
		b.Add(tx)
	}
	_, labelled := words["labels"]
	_, see := words["see"]
	in := NonreciprocalInput{
		Promise: privacy.Nonreciprocal{
			K: numbers["k"], L: numbers["l"], GroupsSeeLabels: see,
		},
		// 0: 128 million
		MostMatches: numbers["most"], Workers: cmp.Or(e.workers, 1),
	}
	original := dataset.NewBuilder(dict)
	for _, line := range e.parts["original"] {
		part := append(strings.Split(line, "|"), "")
		items(original, part[0])
		if labelled {
			in.Labels = append(in.Labels, strings.TrimSpace(part[1]))
		}
	}
	in.Original = original.Build()
	base, uncertain := dataset.NewBuilder(dict), dataset.NewBuilder(dict)
	in.Published = &release.Nonreciprocal{}
	for _, line := range e.parts["published"] {
		part := append(strings.Split(line, "|"), "")
		items(base, part[0])
		items(uncertain, part[1])
		n, err := strconv.Atoi(strings.TrimSpace(part[2]))
		if err != nil {
			t.Fatal(err)
		}
		in.Published.Threshold = append(in.Published.Threshold, int32(n))
		if labelled {
			in.Published.Labels = append(in.Published.Labels, strings.TrimSpace(part[3]))
		}
	}
	in.Published.Base, in.Published.Uncertain = base.Build(), uncertain.Build()
	return Nonreciprocal(ctx, in)
}
