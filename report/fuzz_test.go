package report_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"mingle/internal/soak"
	"mingle/report"
	"mingle/report/page"
)

// changed are reports that somebody has changed: they can be read, and make little sense.
var changed = []string{
	`{"verification":{"holds":false}}`,
	`{"breakdowns":[{"by":"level","unit":"","rows":[` +
		`{"name":"\u0000<b>","count":-1,"loss":1e308},{"name":"","count":1,"loss":0}]}]}`,
	`{"breakdowns":[{"by":"category","unit":"","rows":[{"name":"","count":0,"loss":-1},` +
		`{"name":"","count":0,"loss":1e308}]},{"by":"label","unit":"","rows":[` +
		`{"name":"","labels":1,"count":9000000000000000000,"loss":0}]}]}`,
	`{"guarantee":{"model":"coherence","parameters":{"h":1e-300,"k":-1,"p":0}},` +
		`"losses":[{"name":"x","value":1,"formula":"","source":""}]}`,
	`{"attack":{"attempts":[]}}`,
	`{"attack":{"attempts":[` + attempt + `,"of":"label"},` +
		attempt + `,"of":"x","before":{"value":1,"low":0,"high":0}}]}}`,
	`{"attack":{"attempts":[` + attempt + `,"of":"","before":{"value":-7,"low":0,"high":0}}]}}`,
}

// attempt is the beginning of one.
const attempt = `{"question":"","figure":"fewer than k records match","known":0,"promised":false,` +
	`"exact":false,"baseline":0,"after":{"value":1e300,"low":0,"high":0}`

// A report that can be read can be shown, whatever somebody has done to it.
func FuzzRead(f *testing.F) {
	var text bytes.Buffer
	if err := report.Sample().WriteJSON(&text); err != nil {
		f.Fatal(err)
	}
	f.Add(text.Bytes())
	for _, text := range changed {
		whole := report.WithParts(text)
		if _, err := report.Read(strings.NewReader(whole)); err != nil {
			f.Fatalf("%s: %v", text, err)
		}
		f.Add([]byte(whole))
	}
	soak.Fuzz(f, func(t *testing.T, text []byte) {
		r, err := report.Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		if err := r.WriteText(io.Discard); err != nil {
			t.Error(err)
		}
		if err := page.Write(io.Discard, &report.Outcome{Report: r}); err != nil {
			t.Error(err)
		}
	})
}

// The same of an audit file, beside a report.
func FuzzReadAudit(f *testing.F) {
	a := report.NewAudit(report.Program{"mingle", "0"}, []string{"mingle"})
	a.Custodian = report.SampleOutcome().Custodian
	var text bytes.Buffer
	if err := a.WriteJSON(&text); err != nil {
		f.Fatal(err)
	}
	f.Add(text.Bytes())
	f.Add([]byte(`{"schema":"` + report.AuditSchema +
		`","custodian":{"tried":[{"ncp":1e308},{"ncp":-1e308}],"losses":[{"name":"NCP","value":-1e308}]}}`))
	soak.Fuzz(f, func(t *testing.T, text []byte) {
		a, err := report.ReadAudit(bytes.NewReader(text))
		if err != nil {
			return
		}
		o := &report.Outcome{Report: report.Sample(), Custodian: a.Custodian, FromFile: true}
		if err := o.WriteText(io.Discard); err != nil {
			t.Error(err)
		}
		if err := page.Write(io.Discard, o); err != nil {
			t.Error(err)
		}
	})
}
