package report

import (
	"bytes"
	"encoding/json"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"mingle/attack"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/privacy"
	"mingle/release"
	"mingle/verify"
)

// sample is a report with something in every field.
func sample() *Report {
	inputs := []File{
		{Role: "transactions", Name: "<a&b>.csv", Keyed: strings.Repeat("7", 64)},
		{
			Role: RoleHierarchy, Name: "tree.csv", Format: "arx", Bytes: 3,
			SHA256: strings.Repeat("0", 64),
		},
	}
	return &Report{
		Schema: Schema, Program: Program{"mingle", "0"}, Command: "mingle anonymize km <a&b>.csv",
		Inputs: inputs,
		Outputs: []File{{
			Role: RolePublished, Name: "out.csv", Format: "basket", Bytes: 3,
			SHA256: strings.Repeat("f", 64),
		}},
		Guarantee: KM(privacy.KM{K: 5, M: 2, L: 3, NegativeKnowledge: true}, false), Algorithm: "aa",
		Verification: &Verification{
			Holds: true, Compared: true, Promise: "5^2-anonymity",
			Inequality: "x", Recoding: "global",
		},
		Published:    Published{1200, 1, 3400, 56, 7},
		Losses:       []Loss{{"NCP, labels", 0.125, "a formula", "a paper"}},
		Recoding:     []Rule{{"fruit <&>", []string{"apple", "pear"}}},
		NotPublished: []string{"melon"},
		Warnings:     []string{"a warning"},
		OfOriginal:   OfOriginal(inputs),
		Breakdowns: []Breakdown{{
			ByLevel, "occurrences",
			[]Part{{"items as they are", 3, 12, 0}, {"groups 1 level up", 1, 4, 0.5}},
		}},
		Attack: &Attack{5, 100, []Attempt{
			{SinglingOut, FigureUnderK, 1, ofLabels, true, true, 0, nil, attack.Estimate{}},
			{
				SinglingOut, FigureUnderK, 3, ofLabels, false, false, 0, nil,
				attack.Estimate{Value: 0.125, Low: 0.1, High: 0.15},
			},
		}, []string{"an attack's note"}},
	}
}

// sampleOutcome is a sample with what only the custodian may see.
func sampleOutcome() *Outcome {
	return &Outcome{Report: sample(), Custodian: &Custodian{
		Method: "a choice",
		Verification: &verify.Finding{
			Holds: true, Promise: "5^2-anonymity", Recoding: "global",
			Transactions: 1201, Itemsets: 34567, Notes: []string{"a note"},
		},
		Losses: []Loss{{"NCP", 0.227273, "a formula", "a paper"}},
		Attack: &Attack{5, 100, []Attempt{
			{
				SinglingOut, FigureUnderK, 1, ofItems, true, true, 0,
				&attack.Estimate{Value: 0.25, Low: 0.25, High: 0.25},
				attack.Estimate{},
			},
			{
				SinglingOut, FigureUnderK, 3, ofItems, false, false, 0,
				&attack.Estimate{Value: 0.5, Low: 0.4, High: 0.6},
				attack.Estimate{Value: 0.125, Low: 0.1, High: 0.15},
			},
		}, []string{"an attack's note"}},
		Suppressed: []string{"lemon"}, Withheld: 2,
		Tried:    []Trial{{"aa", new(float64), ""}, {"local", nil, "too long"}},
		Warnings: []string{"the reader's warning"},
		Measured: &Measured{[]Phase{{"read", 0.5, 1 << 20}}, 0.5, 1 << 20, 1 << 18},
	}}
}

func TestJSONIsReadBack(t *testing.T) {
	var text bytes.Buffer
	if err := sample().WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	back, err := Read(&text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample(), back); diff != "" {
		t.Error(diff)
	}
}

func TestReadRefuses(t *testing.T) {
	var good bytes.Buffer
	sample().WriteJSON(&good)
	for text, want := range map[string]string{
		"":                                  "not a report in JSON",
		"{}":                                "schema",
		`{"schema":"other/1"}`:              "other/1",
		`{"schema":"` + Schema + `","x":1}`: "damaged",
		`{"schema":"` + Schema + `"}`:       "has no program, command",
		good.String()[:good.Len()/2]:        "not a report in JSON",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}

// withParts is the sample with parts changed; of an object the fields that stand there.
func withParts(parts string) string {
	var text bytes.Buffer
	sample().WriteJSON(&text)
	var whole, changed map[string]any
	json.Unmarshal(text.Bytes(), &whole)
	if json.Unmarshal([]byte(parts), &changed) != nil {
		return parts
	}
	for name, part := range changed {
		old, was := whole[name].(map[string]any)
		if fields, is := part.(map[string]any); was && is {
			maps.Copy(old, fields)
		} else {
			whole[name] = part
		}
	}
	out, _ := json.Marshal(whole)
	return string(out)
}

// A report that lacks what its schema requires, at any depth, is damaged, and so is one whose
// verdict says nothing.
func TestReadRefusesWhatIsIncomplete(t *testing.T) {
	var text bytes.Buffer
	r := sample()
	r.Guarantee.Columns = []SensitiveColumn{{"diagnosis", 12, 3, []string{"none"}}}
	r.Beside = []Beside{{Columns: []string{"ward"}, Distinct: 3, Unique: 0.5, Few: 1}}
	r.Cautions = []Caution{{"loss", "much is lost", []string{"a smaller m"}}}
	r.Decided = &attack.Decided{Labels: 4}
	r.WriteJSON(&text)
	var whole map[string]any
	json.Unmarshal(text.Bytes(), &whole)
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "docs",
		"report.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	eachField(whole, func(name string) {
		out, _ := json.Marshal(whole)
		_, err := Read(bytes.NewReader(out))
		if required := schema.Validate(whole) != nil; required != (err != nil) {
			t.Errorf("without %s: required %t, error %v", name, required, err)
		} else if required && !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
		tried++
	})
	if _, err := Read(&text); err != nil {
		t.Error(err)
	}
	if tried < 90 {
		t.Errorf("only %d fields were left out", tried)
	}
	for _, parts := range []string{
		`{"published":{"items":null}}`, `{"guarantee":null}`, `{"guarantee":{"statement":" "}}`,
		`{"guarantee":{"model":"none"}}`, `{"verification":{"promise":""}}`,
		`{"guarantee":{"parameters":{"k":5}}}`, `{"guarantee":{"parameters":{}}}`,
	} {
		if _, err := Read(strings.NewReader(withParts(parts))); err == nil {
			t.Errorf("%s is read", parts)
		}
	}
}

// eachField calls f while a field is left out, once for each at any depth.
func eachField(value any, f func(name string)) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			was := v[name]
			delete(v, name)
			f(name)
			v[name] = was
			eachField(was, f)
		}
	case []any:
		for _, one := range v {
			eachField(one, f)
		}
	}
}

// guarantees are those of every model.
var guarantees = []Guarantee{
	KM(privacy.KM{K: 5, M: 2}, false),
	KM(privacy.KM{K: 5, M: 2, L: 3, NegativeKnowledge: true}, false),
	KM(privacy.KM{K: 5, M: 2, Knows: privacy.OfAlgorithm}, false),
	Continuous(privacy.Continuous{K: 7, M: 3}),
	Coherence(privacy.Coherence{H: 0.4, K: 8, P: 2}),
	Nonreciprocal(privacy.Nonreciprocal{K: 6}),
	Nonreciprocal(privacy.Nonreciprocal{L: 6, GroupsSeeLabels: true}),
}

// The schema allows no field that it does not name, so it cannot fall behind. What follows it is
// read back as it was.
func TestJSONFollowsItsSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "docs",
		"report.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range guarantees {
		r := sample()
		r.Guarantee = g
		var text bytes.Buffer
		r.WriteJSON(&text)
		var value any
		if err := json.Unmarshal(text.Bytes(), &value); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Error(err)
		}
		back, err := Read(&text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r, back); diff != "" {
			t.Error(diff)
		}
	}
}

// Parameters have their own names: p of coherence is no m.
func TestParametersByTheirOwnNames(t *testing.T) {
	var got []string
	for _, g := range guarantees {
		text, err := json.Marshal(g.Parameters)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(text))
	}
	want := []string{
		`{"k":5,"m":2,"l":0}`, `{"k":5,"m":2,"l":3,"negative_knowledge":true}`,
		`{"k":5,"m":2,"l":0,"adversary":"algorithm"}`, `{"k":7,"m":3}`, `{"h":0.4,"k":8,"p":2}`,
		`{"k":6}`, `{"l":6,"groups_see_labels":true}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A report of the layout before can be read: its parameters were k, m and l for every model.
func TestReportsOfTheLayoutBefore(t *testing.T) {
	for guarantee, want := range map[string]privacy.Promise{
		`{"model":"km","parameters":{"k":5,"m":2,"l":3}}`:         privacy.KM{K: 5, M: 2, L: 3},
		`{"model":"continuous","parameters":{"k":7,"m":3,"l":0}}`: privacy.Continuous{K: 7, M: 3},
		`{"model":"coherence","parameters":{"k":8,"m":2,"l":0},"coherence":{"h":0.4,"k":8,"p":2}}`: privacy.Coherence{
			H: 0.4, K: 8, P: 2,
		},
		`{"model":"nonreciprocal","parameters":{"k":6,"m":0,"l":0}}`: privacy.Nonreciprocal{K: 6},
		`{"model":"nonreciprocal","parameters":{"k":6,"m":0,"l":6}}`: privacy.Nonreciprocal{L: 6},
	} {
		got, err := Read(strings.NewReader(withParts(`{"schema":"mingle.report/2","guarantee":` +
			guarantee + `}`)))
		if err != nil || got.Schema != Schema ||
			!reflect.DeepEqual(got.Guarantee.Parameters, want) {
			t.Errorf("%s: %v, %+v", guarantee, err, got)
		}
	}
}

// Bags of numbers have values, which are published as ranges.
func TestRecodingOfNumbers(t *testing.T) {
	r := Report{Guarantee: Guarantee{Model: "continuous"}, Verification: &Verification{}}
	if got := r.RecodingSummary(); got != "every value is published as it is" {
		t.Error(got)
	}
	r.Recoding = []Rule{
		{Label: "[1-2]", Items: []string{"1", "2"}}, {Label: "[2-3]", Items: []string{"2", "3"}},
	}
	if got := r.Span(r.Recoding[1]); got != "from 2 to 3" {
		t.Error(got)
	}
	r.Verification.Recoding = "local" // which may generalize more than it must
	if got := r.RecodingSummary(); got != "generalized to 2 ranges, not in all lines alike" {
		t.Error(got)
	}
}

func TestTextSaysTheVerdictFirst(t *testing.T) {
	o := sampleOutcome()
	var text strings.Builder
	o.WriteText(&text)
	if !strings.HasPrefix(text.String(), "VERIFIED: the published data keeps 5^2-anonymity") {
		t.Error(text.String())
	}
	for _, want := range []string{
		"0.227273", "34,567 combinations", "2 items generalized to 1 label", "1 item: lemon",
		"2 transactions", "local (too long)",
		"1 item known: 25 % of persons match fewer than 5 records before, 0 % after;", "a warning",
		"3 items known (more than is promised): 50 % of persons match fewer than 5 records before, " +
			"12.5 % after (of 100 draws)",
		"a note", "the reader's warning",
		"Inference is bounded for the sensitive items only.",
	} {
		if !strings.Contains(strings.Join(strings.Fields(text.String()), " "), want) {
			t.Errorf("%q is missing in\n%s", want, text.String())
		}
	}
	o.Report.Verification.Holds = false
	text.Reset()
	o.WriteText(&text)
	if !strings.HasPrefix(text.String(), "BROKEN") {
		t.Error(text.String())
	}
}

func TestAuditIsReadBack(t *testing.T) {
	want := NewAudit(Program{"mingle", "0"}, []string{"mingle"})
	want.Custodian, want.Key, want.Items = sampleOutcome().Custodian, NewKey(),
		[]AuditItem{{"a", 2, []string{"A"}}}
	var text bytes.Buffer
	if err := want.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	got, err := ReadAudit(&text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for text, want := range map[string]string{
		"": "not an audit file", "{}": "schema",
		`{"schema":"mingle.audit/1"}`: "mingle.audit/1", `{"key":"00"}`: "32 bytes",
	} {
		if _, err := ReadAudit(strings.NewReader(text)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// Of what is not public a report has the name alone, and a hash that needs the key. The key of one
// audit file does not make the hash of another.
func TestPublicInputs(t *testing.T) {
	sum, other := strings.Repeat("a", 64), strings.Repeat("b", 64)
	read := []File{
		{"transactions", "in.dat", "fimi", 17, sum, ""},
		{RoleHierarchy, "tree.csv", "arx", 5, other, ""},
		{"sensitive items", "s.txt", "", 3, strings.Repeat("c", 64), ""},
	}
	got, err := PublicInputs(read, nil)
	if want := []File{
		{Role: "transactions", Name: "in.dat"},
		read[1],
		{Role: "sensitive items", Name: "s.txt"},
	}; err != nil || !cmp.Equal(want, got) {
		t.Errorf("%v %s", err, cmp.Diff(want, got))
	}
	key, second := NewKey(), NewKey()
	got, err = PublicInputs(read, &key)
	if err != nil || len(got[0].Keyed) != 64 || got[0].Keyed == got[2].Keyed || got[1].Keyed != "" {
		t.Errorf("%v %+v", err, got)
	}
	if again, err := second.Hash(sum); err != nil || again == got[0].Keyed {
		t.Errorf("another key makes the same hash: %v", err)
	}
	if _, err := key.Hash("no hash"); err == nil {
		t.Error("a broken hash is taken")
	}
}

// A table that is both, the transactions and their categories, is as secret as the transactions.
func TestAHierarchyThatIsTheOriginalIsNotPublic(t *testing.T) {
	sum := strings.Repeat("a", 64)
	got, err := PublicInputs([]File{
		{"transactions", "t.csv", "long", 17, sum, ""},
		{RoleHierarchy, "t.csv", "", 17, sum, ""},
	}, nil)
	if want := []File{
		{Role: "transactions", Name: "t.csv"},
		{Role: RoleHierarchy, Name: "t.csv"},
	}; err != nil || !cmp.Equal(want, got) {
		t.Errorf("%v %s", err, cmp.Diff(want, got))
	}
	got, err = PublicInputs([]File{{RoleHierarchyTable, "shop.csv", "", 17, sum, ""}}, nil)
	if want := []File{{Role: RoleHierarchyTable, Name: "shop.csv"}}; err != nil ||
		!cmp.Equal(want, got) {
		t.Errorf("%v %s", err, cmp.Diff(want, got))
	}
}

func TestNumber(t *testing.T) {
	for n, want := range map[int]string{
		0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567",
		123456: "123,456",
	} {
		if got := Number(n); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}

func tree(t *testing.T) *hierarchy.Tree {
	t.Helper()
	b := hierarchy.NewBuilder()
	for _, p := range [][]string{
		{"a1", "A", "*"},
		{"a2", "A", "*"},
		{"b1", "B", "*"},
		{"b2", "B", "*"},
	} {
		if err := b.Path(p, 0); err != nil {
			t.Fatal(err)
		}
	}
	out, err := b.Build(hierarchy.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The rules name all items of the hierarchy below a published group: which of them the original has
// is not told.
func TestRecodingTellsNothingOfTheOriginal(t *testing.T) {
	h := tree(t)
	published, err := h.EncodePublished(dataset.FromLabels([][]string{{"A", "b1"}, {"A"}}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Rule{{"A", []string{"a1", "a2"}}}, Recoding(h, published)); diff != "" {
		t.Error(diff)
	}
	if got, want := Count(published, nil), (Published{2, 0, 3, 2, 2}); got != want {
		t.Errorf("%+v", got)
	}
}

// What is counted is the published file, whatever of it was told apart as sensitive.
func TestSensitiveItemsAreCounted(t *testing.T) {
	lines := [][]string{{"a", "s"}, {"s", "t"}, {}, {"b"}, {"t"}}
	all := dataset.FromLabels(lines)
	plain, sensitive, err := dataset.Split(all, []string{"s", "t"})
	if err != nil {
		t.Fatal(err)
	}
	want := Published{Transactions: 5, Empty: 1, Occurrences: 6, Items: 4, Longest: 2}
	if got := Count(plain, sensitive); got != want || got != Count(all, nil) {
		t.Errorf("%+v, of all %+v", got, Count(all, nil))
	}
}

func TestAuditItems(t *testing.T) {
	h := tree(t)
	data, err := h.Encode(dataset.FromLabels([][]string{{"a1", "b1"}, {"a1"}}))
	if err != nil {
		t.Fatal(err)
	}
	node := func(label string) int32 { u, _ := h.Node(label); return u }
	got := AuditItems(release.Local(h, data, []int32{node("A"), node("b1"), node("a1")}))
	want := []AuditItem{{"a1", 2, []string{"a1", "A"}}, {"b1", 1, []string{"b1"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestNotPublishedAndKindOfRecoding(t *testing.T) {
	h := tree(t)
	for _, c := range []struct {
		lines  [][]string
		absent []string
		kind   string
	}{
		{[][]string{{"A", "b1"}, {"A"}}, []string{"b2"}, "global"},
		{[][]string{{"A", "a1"}}, []string{"b1", "b2"}, "local"},
		{[][]string{{"*"}}, nil, "global"},
	} {
		published, err := h.EncodePublished(dataset.FromLabels(c.lines))
		if err != nil {
			t.Fatal(err)
		}
		if got := NotPublished(h, published); !cmp.Equal(got, c.absent) {
			t.Errorf("%v: not published %v, want %v", c.lines, got, c.absent)
		}
		if got := RecodingKind(h, published); got != c.kind {
			t.Errorf("%v: %s, want %s", c.lines, got, c.kind)
		}
	}
}
