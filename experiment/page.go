package experiment

import (
	"html/template"
	"io"
	"sync"
)

var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Parse(pageText))
})

const pageText = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}}</title>
<style>
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:60rem;padding:1rem;color:#1a1a1a;background:#fff;color-scheme:light dark}
@media (prefers-color-scheme:dark){body{color:#e8e8e8;background:#16181b}.bad{color:#ff8a80}}
svg{max-width:100%;height:auto}
figure{margin:2rem 0;break-inside:avoid}
table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}
th,td{border-bottom:1px solid #ccc;padding:.2rem .6rem;text-align:right}
th:first-child,td:first-child{text-align:left}
.wide{overflow-x:auto}
.bad{color:#a40000}
</style></head><body>
<h1>{{.Title}}</h1>
<p>{{.Done}} of {{len .Rows}} cells are done{{if .Failed}}, {{.Failed}} are not: they are listed with the reason{{end}}.
Memory is what the program held at most while the algorithm ran, looked at every 10 ms, data included.</p>
{{range .Figures}}<figure>
<h2>{{.Chart.Title}}</h2>
{{.SVG}}
<figcaption>
{{with .Chart.Claim}}<p>Claim: {{.}}</p>{{end}}
{{with .Verdict}}<p><strong>{{.}}</strong>{{end}}{{range .Against}}<br>{{.}}{{end}}
{{with .Chart.Subtitle}}<p>{{.}}</p>{{end}}
{{with .Chart.Note}}<p>{{.}}</p>{{end}}
{{range .Chart.Missing}}<p class="bad">no value: {{.}}</p>{{end}}
</figcaption></figure>
{{end}}
<h2>All cells</h2>
<div class="wide"><table><tr>{{range .Columns}}<th>{{.}}</th>{{end}}</tr>
{{range .Rows}}<tr>{{range .}}<td>{{.}}</td>{{end}}</tr>
{{end}}</table></div>
</body></html>
`

type pageFigure struct {
	Chart   Chart
	SVG     template.HTML
	Verdict string
	Against []string
}

// WritePage writes one self-contained page of all figures and rows.
func (p *Plan) WritePage(w io.Writer, rows []Row) error {
	view := struct {
		Title        string
		Done, Failed int
		Figures      []pageFigure
		Columns      []string
		Rows         [][]string
	}{Title: p.Title}
	for _, c := range p.Charts(rows) {
		v := c.Verdict()
		f := pageFigure{Chart: c, SVG: template.HTML(c.svg()), Against: v.Against}
		if c.Claim != "" {
			f.Verdict = v.String()
		}
		view.Figures = append(view.Figures, f)
	}
	view.Columns = used(rows)
	for _, r := range rows {
		if r.Status == StatusDone {
			view.Done++
		} else {
			view.Failed++
		}
		var cells []string
		for _, c := range view.Columns {
			cells = append(cells, r.Text(c))
		}
		view.Rows = append(view.Rows, cells)
	}
	return page().Execute(w, view)
}

// used are the columns in which some row says something. The hash of the data says nothing to a
// reader.
func used(rows []Row) []string {
	var out []string
	for _, c := range Columns() {
		if c == "data_hash" {
			continue
		}
		for _, r := range rows {
			if v := r.Text(c); v != "" && v != "0" {
				out = append(out, c)
				break
			}
		}
	}
	return out
}
