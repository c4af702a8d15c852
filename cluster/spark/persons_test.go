package spark_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/global"
	"mingle/anonymize/local"
	"mingle/cluster"
	"mingle/cluster/judge"
	"mingle/cluster/spark"
	"mingle/dataset"
	"mingle/internal/soak"
	"mingle/privacy"
)

// ofPersons makes a release in which persons are counted, of one to four lines each, and of nobody,
// with sensitive items and a largest share of a person: its lines are those of one machine,
// ascending. The judge finds that more persons are not there, and no smaller shares.
func ofPersons(ctx context.Context, t *testing.T, engine *spark.Engine) {
	t.Helper()
	o := read(t, "groceries", 1)
	o.hide(t)
	var spelt bytes.Buffer
	err := dataset.Write(&spelt, o.lines, dataset.Options{Format: dataset.JSONL})
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(spelt.Bytes(), []byte("\n"))
	in := anonymize.Input{
		Data: o.data, Tree: o.tree, Sensitive: o.sensitive,
		Promise: privacy.KM{K: 5, M: 2, L: 8, Persons: true, PersonShare: 3},
	}
	for i := range o.data.Len() {
		who, person := `null`, int32(-1)
		if i%11 > 0 {
			person = int32(i * i % 4999)
			who = fmt.Sprintf(`"p %d\t"`, person)
		}
		in.Persons = append(in.Persons, person)
		lines[i] = fmt.Appendf(nil, `{"who":%s,%s`, who, lines[i][1:])
	}
	path := filepath.Join(t.TempDir(), "in.jsonl")
	if err := os.WriteFile(path, bytes.Join(lines, nil), 0o666); err != nil {
		t.Fatal(err)
	}
	g, err := global.AA{}.Anonymize(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	spelt.Reset()
	layout := o.layout
	layout.Format, layout.Person = dataset.JSONL, "who"
	published := o.joined(t, g.Published())
	if err := dataset.Write(&spelt, published, layout.Options()); err != nil {
		t.Fatal(err)
	}
	want := strings.SplitAfter(spelt.String(), "\n")
	slices.Sort(want)
	made, err := cluster.Release{
		Engine: engine, Version: version, Input: path, Layout: layout, Promise: in.Promise,
		Output: filepath.Join(t.TempDir(), "out"),
	}.Make(ctx)
	give(t, ctx, err)
	var got strings.Builder
	for _, f := range made.Files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		got.Write(text)
	}
	if got.String() != strings.Join(want, "") {
		t.Fatalf("%d bytes are not the %d lines of one machine, ascending", got.Len(), len(want)-1)
	}
	k := 1 + fewest(g.Published(), in.Persons)
	f, err := judge.Release{
		Engine: engine, Version: version, Layout: layout, Tree: o.tree, Published: made.Files,
		Original: []string{path}, K: k, M: 2, L: 8, PersonShare: 1000,
	}.Judge(ctx)
	give(t, ctx, err)
	told := fmt.Sprint(f.Breaches)
	if f.Holds || !strings.Contains(told, fmt.Sprintf("fewer than %d persons", k)) ||
		!strings.Contains(told, "one person has more than 1/1000") {
		t.Errorf("with a k of %d, and a largest share of 1/1000, the judge finds %s", k, told)
	}
	if soak.Share(0, 1) > 0 {
		localOfPersons(ctx, t, engine, o, path, in)
	}
}

// localOfPersons makes releases of the same lines by local: in one part its lines are those of one
// machine, ascending; two are judged.
func localOfPersons(
	ctx context.Context, t *testing.T, engine *spark.Engine, o *original, path string,
	in anonymize.Input,
) {
	t.Helper()
	o.layout.Sensitive = nil
	o.bind(t)
	layout := o.layout
	layout.Format, layout.Person = dataset.JSONL, "who"
	in.Data, in.Tree, in.Sensitive, in.Seed = o.data, o.tree, nil, seedOf("local")
	in.Promise.L, in.Promise.PersonShare = 0, 0
	from := dataset.DrawOrder(in.Seed, o.data.Len()) // as the command has the lines
	numbers, persons := map[int32]int32{-1: -1}, []int32(nil)
	for _, i := range from { // by their first lines
		p := in.Persons[i]
		if _, known := numbers[p]; !known {
			numbers[p] = int32(len(numbers)) - 1
		}
		persons = append(persons, numbers[p])
	}
	in.Data, in.Persons = o.data.Select(from), persons
	g, err := local.Algorithm{}.Anonymize(ctx, in)
	give(t, ctx, err)
	var spelt bytes.Buffer
	if err := dataset.Write(&spelt, g.Published(), layout.Options()); err != nil {
		t.Fatal(err)
	}
	want := strings.SplitAfter(spelt.String(), "\n")
	slices.Sort(want)
	for parts := range 2 {
		made, err := cluster.Release{
			Engine: engine, Version: version, Input: path, Layout: layout, Promise: in.Promise,
			Output: filepath.Join(t.TempDir(), "out"), Algorithm: "local", Seed: in.Seed,
			Parts: parts + 1,
		}.Make(ctx)
		give(t, ctx, err)
		got := text(t, filepath.Dir(made.Files[0]))
		if parts == 0 && got != strings.Join(want, "") || made.Parts < parts+1 {
			t.Errorf("%d bytes in %d parts, %d on one machine", len(got), made.Parts, spelt.Len())
		}
		t.Logf("of persons, %d parts: %+v", made.Parts, made.Finding)
	}
}

// fewest is how many persons have the label, or the two, that fewest have.
func fewest(d *dataset.Dataset, person []int32) int {
	of := map[[2]int32]map[int32]bool{}
	for i, tx := range d.All() {
		for at, u := range tx {
			for _, v := range tx[at:] {
				if of[[2]int32{u, v}] == nil {
					of[[2]int32{u, v}] = map[int32]bool{}
				}
				if person[i] >= 0 {
					of[[2]int32{u, v}][person[i]] = true
				}
			}
		}
	}
	least := len(person)
	for _, persons := range of {
		least = min(least, len(persons))
	}
	return least
}
