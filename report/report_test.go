package report

import (
	"bytes"
	"encoding/json"
	"path/filepath"
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
	return &Report{
		Schema: Schema, Program: Program{"mingle", "0"}, Command: "mingle anonymize km <a&b>.csv",
		Inputs:    []File{{"transactions", "<a&b>.csv", "basket", 3, strings.Repeat("0", 64)}},
		Outputs:   []File{{"published", "out.csv", "basket", 3, strings.Repeat("f", 64)}},
		Guarantee: KM(privacy.KM{K: 5, M: 2, L: 3, NegativeKnowledge: true}), Algorithm: "aa",
		Verification: &verify.Finding{Holds: true, Promise: "5^2-anonymity", Recoding: "global", Transactions: 1200, Itemsets: 34567, Notes: []string{"a note"}},
		Published:    Published{1200, 1, 3400, 56, 7},
		Losses:       []Loss{{"NCP", 0.227273, "a formula", "a paper"}},
		Recoding:     []Rule{{"fruit <&>", []string{"apple", "pear"}}},
		Warnings:     []string{"a warning"},
		Breakdowns:   []Breakdown{{byLevel, "occurrences", []Part{{"items as they are", 3, 12, 0}, {"groups 1 level up", 1, 4, 0.5}}}},
		Attack: &Attack{5, 100, []Attempt{
			{SinglingOut, figureUnderK, 1, true, true, 0, attack.Estimate{Value: 0.25, Low: 0.25, High: 0.25}, attack.Estimate{}},
			{SinglingOut, figureUnderK, 3, false, false, 0, attack.Estimate{Value: 0.5, Low: 0.4, High: 0.6}, attack.Estimate{Value: 0.125, Low: 0.1, High: 0.15}},
		}, []string{"an attack's note"}},
		Suppressed: []string{"melon"}, Withheld: 2, Tried: []Trial{{"aa", new(float64), ""}, {"local", nil, "too long"}},
		Measured: &Measured{[]Phase{{"read", 0.5, 1 << 20}}, 0.5, 1 << 20, 1 << 18},
	}
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
		`{"schema":"` + Schema + `"}`:       "no verification",
		good.String()[:good.Len()/2]:        "not a report in JSON",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}

// The schema allows no field that it does not name, so it cannot fall behind.
func TestJSONFollowsItsSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "docs", "report.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	sample().WriteJSON(&text)
	var value any
	if err := json.Unmarshal(text.Bytes(), &value); err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Error(err)
	}
}

func TestTextSaysTheVerdictFirst(t *testing.T) {
	r := sample()
	var text strings.Builder
	r.WriteText(&text)
	if !strings.HasPrefix(text.String(), "VERIFIED: the published data keeps 5^2-anonymity") {
		t.Error(text.String())
	}
	for _, want := range []string{"0.227273", "34,567 combinations", "2 items generalized to 1 label", "1 item known: 25 % of persons match fewer than 5 records before, 0 % after", "a warning", "a note", "Inference is bounded for the sensitive items only."} {
		if !strings.Contains(strings.Join(strings.Fields(text.String()), " "), want) {
			t.Errorf("%q is missing in\n%s", want, text.String())
		}
	}
	r.Verification.Holds = false
	text.Reset()
	r.WriteText(&text)
	if !strings.HasPrefix(text.String(), "BROKEN") {
		t.Error(text.String())
	}
}

func TestHTMLNeedsNothingElse(t *testing.T) {
	var page strings.Builder
	if err := sample().WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	for _, banned := range []string{"<script", "http://", "https://", "src=", "@import", "url(", "fruit <&>"} {
		if strings.Contains(page.String(), banned) {
			t.Errorf("the page has %q", banned)
		}
	}
	for _, want := range []string{"VERIFIED", "0.227273", "fruit &lt;&amp;&gt;", "apple, pear", "signature", "singled out", "linked", "inferred", "is left with at least 5 candidates", `id="singled-out"`, `id="levels"`, "3 items known *", "12.50 ± 2.50 %", "an attack&#39;s note"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestNumber(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567", 123456: "123,456"} {
		if got := Number(n); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}

func tree(t *testing.T) *hierarchy.Tree {
	t.Helper()
	b := hierarchy.NewBuilder()
	for _, p := range [][]string{{"a1", "A", "*"}, {"a2", "A", "*"}, {"b1", "B", "*"}, {"b2", "B", "*"}} {
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

// The rules name all items of the hierarchy below a published group: which of them the original has is not told.
func TestRecodingTellsNothingOfTheOriginal(t *testing.T) {
	h := tree(t)
	published, err := h.EncodePublished(dataset.FromLabels([][]string{{"A", "b1"}, {"A"}}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Rule{{"A", []string{"a1", "a2"}}}, Recoding(h, published)); diff != "" {
		t.Error(diff)
	}
	if got, want := Count(published), (Published{2, 0, 3, 2, 2}); got != want {
		t.Errorf("%+v", got)
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
