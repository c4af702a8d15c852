package report_test

import (
	"bytes"
	"io"
	"testing"

	"mingle/internal/soak"
	"mingle/report"
	"mingle/report/page"
)

// changed are reports that somebody has changed: they can be read, and make little sense.
var changed = []string{
	`{"schema":"` + report.Schema + `","verification":{}}`,
	`{"schema":"` + report.Schema + `","verification":{},"breakdowns":[{"by":"level","rows":[{"name":"\u0000<b>","count":-1,"loss":1e308},{"count":1}]}]}`,
	`{"schema":"` + report.Schema + `","verification":{},"breakdowns":[{"by":"category","rows":[{"loss":-1},{"loss":1e308}]},{"by":"label","rows":[{"labels":1,"count":9000000000000000000}]}]}`,
	`{"schema":"` + report.Schema + `","verification":{},"guarantee":{"model":"coherence"},"losses":[{"name":"x","value":1}]}`,
	`{"schema":"` + report.Schema + `","verification":{},"attack":{"attempts":[]}}`,
	`{"schema":"` + report.Schema + `","verification":{},"attack":{"attempts":[{"of":"label"},{"of":"x","before":{"value":1}}]}}`,
	`{"schema":"` + report.Schema + `","verification":{},"attack":{"attempts":[{"figure":"fewer than k records match","before":{"value":-7},"after":{"value":1e300}}]}}`,
}

// A report that can be read can be shown, whatever somebody has done to it.
func FuzzRead(f *testing.F) {
	var text bytes.Buffer
	if err := report.Sample().WriteJSON(&text); err != nil {
		f.Fatal(err)
	}
	f.Add(text.Bytes())
	for _, text := range changed {
		f.Add([]byte(text))
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
