package pipeline

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mingle/anonymize/global"
	"mingle/dataset"
	"mingle/dataset/bag"
	"mingle/internal/soak"
	"mingle/privacy"
	"mingle/report"
)

// table is a random file with columns beside the sets, whose values say whose they are.
type table struct {
	format  dataset.Format
	columns []string
	sets    [][]string
	values  [][]string // by line, then column
}

func randomTable(rng *rand.Rand) table {
	t := table{
		format:  []dataset.Format{dataset.Long, dataset.Table, dataset.JSONL}[rng.IntN(3)],
		columns: []string{"who", "ward", "sex"}[:1+rng.IntN(3)],
	}
	for i := range 2 + rng.IntN(5) {
		var set []string
		for item := range 3 {
			if rng.IntN(2) == 0 {
				set = append(set, fmt.Sprint(item+1))
			}
		}
		if len(set) == 0 && t.format == dataset.Long {
			set = []string{"1"}
		}
		values := []string{
			fmt.Sprintf("WHO%d", i), fmt.Sprintf("WARD%d", rng.IntN(3)),
			fmt.Sprintf("SEX%d", rng.IntN(2)),
		}
		t.sets, t.values = append(t.sets, set), append(t.values, values[:len(t.columns)])
	}
	return t
}

// text is the file. The column "who" names the transactions of a long one.
func (t table) text() string {
	var s strings.Builder
	head := slices.Clone(t.columns)
	switch t.format {
	case dataset.Long:
		fmt.Fprintf(&s, "%s,item\n", strings.Join(head, ","))
	case dataset.Table:
		fmt.Fprintf(&s, "%s,items\n", strings.Join(head, ","))
	}
	for i, set := range t.sets {
		switch row := strings.Join(t.values[i], ","); t.format {
		case dataset.Long:
			for _, item := range set {
				fmt.Fprintf(&s, "%s,%s\n", row, item)
			}
		case dataset.Table:
			fmt.Fprintf(&s, "%s,%s\n", row, strings.Join(set, ";"))
		default:
			object := map[string]any{"items": append([]string{}, set...)}
			for c, name := range t.columns {
				object[name] = t.values[i][c]
			}
			line, _ := json.Marshal(object)
			s.Write(append(line, '\n'))
		}
	}
	return s.String()
}

// layout names the columns.
func (t table) layout() dataset.Options {
	o := dataset.Options{Format: t.format}
	switch t.format {
	case dataset.Long:
		o.TransactionColumn, o.ItemColumn = "who", "item"
	default:
		o.SetColumn = "items"
	}
	return o
}

// No value of a column leaves that was not to be kept, in any format and order; what is kept goes
// with its line; and the release is verified against the original.
func TestColumnsThatLeaveSoak(t *testing.T) {
	rng, dir := soak.Rand(7, 8), t.TempDir()
	tree := put(t, dir, "tree.csv", "1;a;*\n2;a;*\n3;b;*\n")
	refused := 0
	n := 0
	for i := range soak.Rounds(t, soak.Share(100, 20000)) {
		n++
		in := randomTable(rng)
		job := Job{
			Family: KM{
				Layout: in.layout(), Hierarchy: tree, Promise: privacy.KM{K: 2, M: 1},
				Algorithm: global.AA{},
			},
			Input:  put(t, dir, "in.csv", in.text()),
			Output: filepath.Join(dir, "out"), Audit: filepath.Join(dir, "audit.json"),
			Force: true, Shuffle: rng.IntN(2) == 0, KeepIdentifiers: true, Workers: 1,
			OutputFormat: []dataset.Format{
				"", dataset.Long, dataset.Table, dataset.JSONL, dataset.Basket,
			}[rng.IntN(5)],
		}
		for _, c := range in.columns {
			if rng.IntN(3) == 0 {
				job.KeepColumns = append(job.KeepColumns, c)
			}
		}
		_, err := job.Run(context.Background())
		var infeasible *privacy.Infeasible
		if err != nil {
			if !errors.As(err, &infeasible) &&
				(job.OutputFormat != dataset.Basket || len(job.KeepColumns) == 0) {
				t.Fatalf("%d: %v\n%+v\n%s", i, err, job, in.text())
			}
			refused++
			continue
		}
		judgeColumns(t, in, job)
	}
	t.Logf("%d files, %d refused", n, refused)
}

func judgeColumns(t *testing.T, in table, job Job) {
	t.Helper()
	text := get(t, job.Output)
	for c, name := range in.columns {
		kept := slices.Contains(job.KeepColumns, name)
		if leaves := strings.Contains(text, strings.ToUpper(name)); leaves != kept {
			t.Fatalf("column %s leaves: %v\n%+v\n%s\n%s", name, leaves, job, in.text(), text)
		}
		if kept {
			judgeKept(t, in, job, c)
		}
	}
	pair := pairOf(job)
	pair.PublishedFormat, pair.Audit = job.OutputFormat, job.Audit
	if f, err := pair.Verify(context.Background()); err != nil || !f.Holds {
		t.Fatalf("%v, %+v\n%+v\n%s\n%s", err, f, job, in.text(), text)
	}
}

// judgeKept compares a kept column of the published file with the original, line by line.
func judgeKept(t *testing.T, in table, job Job, column int) {
	t.Helper()
	order := auditOf(t, job.Audit).Order
	var got []string
	format := in.format
	if job.OutputFormat != "" {
		format = job.OutputFormat
	}
	name := in.columns[column]
	switch text := get(t, job.Output); format {
	case dataset.JSONL:
		for line := range strings.Lines(text) {
			var object map[string]any
			if err := json.Unmarshal([]byte(line), &object); err != nil {
				t.Fatal(err)
			}
			got = append(got, object[name].(string))
		}
	default:
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		at := slices.Index(rows[0], name)
		for i, row := range rows[1:] {
			if format == dataset.Long && i > 0 && row[0] == rows[i][0] {
				continue // another item of the same transaction
			}
			got = append(got, row[at])
		}
	}
	for i, value := range got {
		of := i
		if order != nil {
			of = int(order[i]) - 1
		}
		if value != in.values[of][column] {
			t.Fatalf("line %d has %s, want %s\n%+v\n%s", i+1, value, in.values[of][column], job, in.text())
		}
	}
	if len(got) != len(in.sets) {
		t.Fatalf("%d lines, want %d", len(got), len(in.sets))
	}
}

// The other families write their columns in the same place.
func TestColumnsOfOtherFamilies(t *testing.T) {
	dir := t.TempDir()
	in := put(t, dir, "in.csv", "who,items,ward\nAnn,1;2,x\nBob,1;2,x\nCid,1;2,y\n")
	for name, family := range map[string]Family{
		"coherence": Coherence{
			Layout:  dataset.Options{Format: dataset.Table},
			Promise: privacy.Coherence{H: 1, K: 2, P: 1}, NuggetSupport: Support{Count: 2},
		},
		"continuous": Continuous{
			Layout:  bag.Layout{Format: dataset.Table},
			Promise: privacy.Continuous{K: 2, M: 1}, Threshold: 0.001,
		},
	} {
		for _, keep := range [][]string{nil, {"ward"}, {"who"}} {
			job := Job{
				Family: family, Input: in, Output: filepath.Join(dir, "out.csv"), Force: true,
				KeepColumns: keep, KeepIdentifiers: true,
			}
			out, err := job.Run(context.Background())
			if err != nil {
				t.Fatal(name, err)
			}
			text := get(t, job.Output)
			if strings.Contains(text, "Ann") != slices.Equal(keep, []string{"who"}) ||
				strings.Contains(text, "ward") != slices.Equal(keep, []string{"ward"}) ||
				len(out.Report.Beside) != len(keep) || len(out.Report.Cautions) < len(keep) {
				t.Errorf("%s with %v: %s, %+v", name, keep, text, out.Report.Beside)
			}
		}
	}
}

// A file with a column that was not asked for is never put in place, whoever wrote it.
func TestStrangeColumnsAreRefused(t *testing.T) {
	c := columns{keep: []string{"ward"}, own: []string{"diagnosis"}}
	column := func(name string, values ...string) dataset.Column {
		return dataset.Column{Name: name, Values: values}
	}
	key := func(values ...string) dataset.Column {
		return dataset.Column{Name: "who", Values: values, Key: true}
	}
	ward, who := column("ward", "x", "x"), column("who", "Ann", "Bob")
	for _, try := range []struct {
		there []dataset.Column
		fine  bool
	}{
		{nil, true},
		{[]dataset.Column{ward, column("diagnosis", "", "")}, true},
		{[]dataset.Column{ward, who}, false},
		{[]dataset.Column{key("1", "2"), ward}, true},
		{[]dataset.Column{key("1", "2"), who}, false},
		{[]dataset.Column{key("Ann", "Bob")}, false},
		{[]dataset.Column{key("2", "1")}, false},
		{[]dataset.Column{key("01", "2")}, false},
	} {
		if err := c.alone(try.there); (err == nil) != try.fine {
			t.Errorf("%+v: %v", try.there, err)
		}
	}
}

func TestWhatColumnsTell(t *testing.T) {
	b := report.BesideEach([]dataset.Column{
		{Name: "age", Values: []string{"30", "30", "31", "31", "32"}},
		{Name: "sex", Values: []string{"f", "f", "f", "m", "m"}},
	}, 3)
	want := []report.Beside{
		{Columns: []string{"age"}, Distinct: 3, Unique: 0.2, Few: 1},
		{Columns: []string{"sex"}, Distinct: 2, Unique: 0, Few: 0.4},
		{Columns: []string{"age", "sex"}, Distinct: 4, Unique: 0.6, Few: 1},
	}
	for i := range want {
		if fmt.Sprint(b[i].Columns, b[i].Distinct, b[i].Unique, b[i].Few) !=
			fmt.Sprint(want[i].Columns, want[i].Distinct, want[i].Unique, want[i].Few) {
			t.Errorf("%+v, want %+v", b[i], want[i])
		}
	}
	if b[0].Identifies() || b[1].Identifies() || !b[2].Identifies() {
		t.Errorf("what identifies: %+v", b)
	}
	twice := dataset.Column{Name: "pair"} // no line stands alone, and yet every value is a pair's
	for i := range 60 {
		twice.Values = append(twice.Values, fmt.Sprint(i/2))
	}
	if pairs := report.BesideOf([]dataset.Column{twice}, 2); !pairs.Identifies() {
		t.Errorf("what identifies: %+v", pairs)
	}
	// values are told apart whatever is in them
	pairs := report.BesideOf([]dataset.Column{
		{Name: "a", Values: []string{"1:x", "1"}}, {Name: "b", Values: []string{"", ":x"}},
	}, 2)
	if pairs.Distinct != 2 {
		t.Errorf("%+v", pairs)
	}
}

// In which order fields first appear tells what stood in the first lines, also of a shuffled file:
// kept fields are written in the order in which they were asked for, the set behind them.
func TestFieldsTellNoPlace(t *testing.T) {
	dir := t.TempDir()
	tree := put(t, dir, "tree.csv", "1,*\n2,*\n")
	lines := []string{
		`{"values":[1,2],"y":"q","d":"v"}`, `{"x":"p","y":"q","values":[1,2],"d":"v"}`,
		`{"d":"w","y":"q","x":"p","values":[1,2]}`, `{"d":"w","values":[1,2],"x":"p"}`,
	}
	set := dataset.Options{Format: dataset.JSONL, SetColumn: "values"}
	for name, family := range map[string]Family{
		"km": KM{
			Layout: set, Hierarchy: tree, Algorithm: global.AA{}, Promise: privacy.KM{K: 2, M: 1},
		},
		"km, sensitive": KM{
			Layout: set, Hierarchy: tree, Algorithm: global.AA{},
			Promise: privacy.KM{K: 2, M: 1, L: 2, Columns: []string{"d"}},
		},
		"coherence": Coherence{
			Layout: set, Promise: privacy.Coherence{H: 1, K: 2, P: 1},
			NuggetSupport: Support{Count: 2},
		},
		"continuous": Continuous{
			Layout:  bag.Layout{Format: dataset.JSONL, Set: "values"},
			Promise: privacy.Continuous{K: 2, M: 1}, Threshold: 0.001,
		},
	} {
		for first := range lines {
			text := strings.Join(append(slices.Clone(lines[first:]), lines[:first]...), "\n") + "\n"
			job := Job{
				Family: family, Input: put(t, dir, "in.jsonl", text), Shuffle: true,
				Output: filepath.Join(dir, "out.jsonl"), Force: true, KeepColumns: []string{"y", "x"},
				KeepIdentifiers: true,
			}
			if _, err := job.Run(context.Background()); err != nil {
				t.Fatal(name, err)
			}
			for line := range strings.Lines(get(t, job.Output)) {
				last := -1
				for _, field := range []string{`"y":`, `"x":`, `"d":`, `"values":`} {
					at := strings.Index(line, field)
					if at >= 0 && at < last {
						t.Errorf("%s: %s", name, line)
					}
					last = max(last, at)
				}
			}
		}
	}
}
