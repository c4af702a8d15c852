package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"mingle/internal/testdata"
	"mingle/webui"
)

// fetch is the text of a file that the page offers.
func (s *served) fetch(selector string) string {
	s.t.Helper()
	s.says(`(window.got = undefined, fetch(document.querySelector(` + quote(selector) + `).href)` +
		`.then(r => r.text()).then(text => { window.got = text; }))`)
	s.waits(`window.got !== undefined`)
	return s.says(`window.got`)
}

// choose fills in what is asked for and makes the release.
func (s *served) choose(fields map[string]string) {
	s.t.Helper()
	for name, value := range fields {
		s.fills(`[name=`+name+`]`, value)
	}
	s.follows(`button[value=run]`, "Run")
	s.waits(`document.querySelector(".verdict, .note.bad")`)
}

// The page makes the bytes that the command makes, with the command line that it shows.
func serveBytes(t *testing.T, browser context.Context) {
	dir := t.TempDir()
	sh(t, dir, `mingle generate shop --transactions 400 --items 60 -o shop.csv --catalogue catalogue.csv`)
	s := serveInBrowser(t, browser, webui.Options{File: filepath.Join(dir, "shop.csv")})
	s.follows(`.cards a`, "understood")
	s.follows(`button[name=next]`, "singled out")
	s.follows(`.next a`, "stand for")
	s.uploads("#treefile", filepath.Join(dir, "catalogue.csv"), "stand for")
	s.follows(`.card .next a`, "promised")
	s.choose(map[string]string{"k": "4", "algorithm": "local", "more": "--seed test --shuffle"})
	s.follows(`.next a:nth-child(2)`, "signs")
	line := s.says(`document.querySelector("pre").textContent`)
	s.verifies(dir)
	files := map[string]string{
		"published.csv": s.fetch(`a[href*="file/published"]`),
		"report.json":   s.fetch(`a[href*="file/report"]`),
	}
	sh(t, dir, line+" --seed test --report report.json --audit audit.json")
	same(t, dir, line, files)
	s.releaseFile(t, dir, files)
}

// same compares files of a directory with what the page offers.
func same(t *testing.T, dir, line string, files map[string]string) {
	t.Helper()
	for name, got := range files {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if comparable(got) != comparable(string(want)) {
			t.Errorf("%s differs from that of %s", name, line)
		}
	}
}

// comparable is a file without what no two runs have in common, and without what tells whether a
// command or a file made it.
func comparable(text string) string {
	for _, differs := range []string{
		`"keyed_sha256": "[0-9a-f]+"`, `(?s),\s*\{\s*"role": "release file".*?\}`,
	} {
		text = regexp.MustCompile(differs).ReplaceAllString(text, "")
	}
	return text
}

// releaseFile makes the same release with the file that the page offers, which has what a human
// says and not the seed.
func (s *served) releaseFile(t *testing.T, dir string, files map[string]string) {
	s.fills(`[name=title]`, "Baskets: the \"first\" year")
	s.follows(`.statements .main`, "signs")
	again := t.TempDir()
	text := s.fetch(`a[href*="file/release"]`)
	if strings.Contains(text, "test") || !strings.Contains(text, "MINGLE_SEED") {
		t.Errorf("the release file has the seed:\n%s", text)
	}
	beside := map[string]string{
		"release.yaml": text, "catalogue.csv": s.fetch(`a[href*="file/hierarchy"]`),
	}
	for name, text := range beside {
		if err := os.WriteFile(filepath.Join(again, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sh(t, again, "cp '"+filepath.Join(dir, "shop.csv")+"' . && MINGLE_SEED=test mingle run release.yaml")
	same(t, again, "release.yaml", files)
	page, err := os.ReadFile(filepath.Join(again, "report.html"))
	if err != nil || !strings.Contains(string(page), "the &#34;first&#34; year") {
		t.Error("the page of the release file does not have the title", err)
	}
}

// verifies judges the original itself, which is no release, and compares what was made.
func (s *served) verifies(dir string) {
	s.t.Helper()
	at := s.says(`location.href`)
	s.says(`location.href = "../../verify"`)
	s.waits(`document.querySelector("#published")`)
	s.uploads("#published", filepath.Join(dir, "shop.csv"), "promise")
	s.waits(`document.querySelector(".broken")`)
	s.pictures("verify")
	s.says(`location.href = "compare"`)
	s.waits(`document.querySelector("#compare tbody td")`)
	s.pictures("compare")
	s.do(s.t, chromedp.Navigate(at))
	s.waits(`document.querySelector(".downloads")`)
}

// The three newcomers' jobs, from the file to the final page.
func serveNewcomers(t *testing.T, browser context.Context) {
	stays := testdata.Path(t, "mimic3-demo/DIAGNOSES_ICD.csv")
	orders := testdata.Path(t, "online-retail-ii/online_retail_ii_2009_2010.csv.gz")
	dir := t.TempDir()
	groceries(t, dir)
	sh(t, dir, "head -n 8000 baskets.csv >some.csv; gzip -dc '"+orders+"' 2>/dev/null | head -n 1500 >orders.csv")
	for _, job := range []struct {
		name, file string
		columns    map[string]string // what they hold, by their names
		prefix     string            // lengths; "": tree.csv
		choice     map[string]string
	}{
		{
			"hospital", stays,
			map[string]string{"HADM_ID": "transaction", "ICD9_CODE": "item", "SUBJECT_ID": "person"},
			"4,3,2,1",
			map[string]string{"suppress": "items", "most": "5%", "algorithm": "peel"},
		},
		{
			"shop", filepath.Join(dir, "orders.csv"),
			map[string]string{"Invoice": "transaction", "StockCode": "item"},
			"4,3,2,1",
			map[string]string{"algorithm": "local"},
		},
		{
			"researcher", filepath.Join(dir, "some.csv"), nil, "",
			map[string]string{"algorithm": "aa", "items": "liquor\nbrandy", "l": "2"},
		},
	} {
		t.Run(job.name, func(t *testing.T) {
			s := serveInBrowser(t, browser, webui.Options{})
			s.uploads("#file", job.file, "understood")
			s.waits(`!document.querySelector("[aria-busy]")`)
			if job.name == "hospital" { // what is found in the columns is told as it is
				s.waits(`[...document.querySelectorAll(".grid th")].find(h => h.innerText.includes("SUBJECT_ID")).innerText.includes("persons?")`)
			}
			for column, part := range job.columns {
				s.says(`[...document.querySelectorAll(".grid th")].find(h => h.innerText.includes(` +
					quote(column) + `)).querySelector("select").value = ` + quote(part))
			}
			s.follows(`button[name=next]`, "singled out")
			s.waits(`document.querySelector("svg.mc")`)
			s.follows(`.next a`, "stand for")
			if job.prefix != "" {
				s.fills(`[name=lengths]`, job.prefix)
				s.follows(`button[value=prefix]`, "stand for")
			} else {
				s.uploads("#treefile", filepath.Join(dir, "tree.csv"), "stand for")
			}
			s.follows(`.card .next a`, "promised")
			s.choose(job.choice)
			s.follows(`.next a`, "became")
			s.waits(`document.querySelector("table.sides tbody tr")`)
			s.follows(`.next a`, "signs")
			s.says(`document.querySelectorAll(".statements input:not([type=hidden]), .statements textarea").forEach(e => { if (e.name !== "release-id") e.value = "as told" })`)
			s.follows(`.statements .main`, "signs")
			page := s.fetch(`a[href*="file/page"]`)
			if strings.Contains(page, `id="draft"`) || !strings.Contains(page, "VERIFIED") || !strings.Contains(page, "as told") {
				t.Error("the page is not final")
			}
		})
	}
}

// A run is found again after a reload, in another tab, and after its tab was closed; back leads
// back.
func serveTabs(t *testing.T, browser context.Context) {
	s := serveInBrowser(t, browser, webui.Options{})
	s.follows(`form[action$="example"] button`, "understood")
	s.waits(`!document.querySelector("[aria-busy]")`)
	s.says(`location.href = "choose"`)
	s.waits(`document.querySelector("#choice")`)
	s.fills(`[name=algorithm]`, "local")
	s.fills(`[name=m]`, "3")
	s.fills(`[name=effort]`, "1000000") // it does not end by itself
	// a double click begins one run
	s.says(`(b => { b.click(); setTimeout(() => b.click()); })(document.querySelector("button[value=run]"))`)
	s.waits(`document.querySelector("h1").innerText.includes("Run 1")`)
	s.waits(`document.querySelector("button.quiet")`)
	s.do(t, chromedp.Reload())
	s.waits(`document.querySelector("#run progress, #run .verdict, #run [aria-busy]")`)
	at := s.says(`location.href`)
	other := &served{openedPage: s0(t, browser), t: t, server: s.server}
	other.do(t, chromedp.Navigate(at))
	other.waits(`document.querySelector("h1").innerText.includes("Run 1")`)
	other.clicks(`#ends button.quiet`, `document.querySelector("#run [role=alert]")`)
	s.waits(`document.querySelector("#run [role=alert]")`) // it is told without a reload
	s.says(`history.back()`)
	s.waits(`document.querySelector("#choice")`)
	s.fills(`[name=algorithm]`, "local")
	s.fills(`[name=m]`, "2")
	s.follows(`button[value=run]`, "Run 2")
	s.do(t, chromedp.Navigate("about:blank"))
	other.do(t, chromedp.Navigate(at[:strings.LastIndex(at, "/")]+"/2"))
	other.waits(`document.querySelector(".verdict")`)
	s.end()
	other.waits(`!document.getElementById("lost").hidden`)
}

// The other families are promised on the page, too, without a hierarchy.
func serveFamilies(t *testing.T, browser context.Context) {
	dir := t.TempDir()
	sh(t, dir, `mingle generate income --records 100 -o income.csv
mingle generate zipf --transactions 200 --items 40 -o visits.dat`)
	for _, c := range []struct {
		family, file string
		choice       map[string]string
		view         string
	}{
		{"continuous", "income.csv", map[string]string{"k": "5", "m": "2"}, "rows"},
		{"nonreciprocal", "visits.dat", map[string]string{"k": "5"}, "losses"},
		{
			"coherence", "visits.dat",
			map[string]string{"h": "0.8", "k": "5", "p": "2", "items": "38\n39", "nuggets": "20"},
			"rows",
		},
	} {
		t.Run(c.family, func(t *testing.T) {
			s := serveInBrowser(t, browser, webui.Options{File: filepath.Join(dir, c.file)})
			s.follows(`.cards a`, "understood")
			s.waits(`!document.querySelector("[aria-busy]")`)
			s.says(`location.href = "choose"`)
			s.waits(`document.querySelector("#choice")`)
			s.says(`document.querySelector("[name=family]").value = ` + quote(c.family))
			s.follows(`button[value=family]`, "promised")
			s.pictures("choose-" + c.family)
			s.choose(c.choice)
			s.follows(`.next a`, "became")
			s.waits(`!document.querySelector("[aria-busy]") && document.querySelector("#view table tbody tr")`)
			if wrong := s.says(`document.querySelector("#view .bad") || location.search`); wrong != "" {
				t.Errorf("%s: %s", c.view, wrong)
			}
			s.follows(`a[href="?view=attack"]`, "became")
			s.follows(`.next a`, "signs")
			if line := s.says(`document.querySelector("pre").textContent`); !strings.Contains(line, c.family) {
				t.Errorf("the command is %s", line)
			}
		})
	}
}

// keys presses keys in the editor's tree.
func (s *served) keys(all ...string) {
	s.t.Helper()
	for _, key := range all {
		s.says(`document.getElementById("tree").dispatchEvent(new KeyboardEvent("keydown", { key: ` +
			quote(key) + `, ctrlKey: ` + fmt.Sprint(key == "z") + `, bubbles: true }))`)
	}
}

// An item without a place is given one by keys alone, taken back and given again, and saved.
func serveEditor(t *testing.T, browser context.Context) {
	dir := t.TempDir()
	data, tree := filepath.Join(dir, "a.dat"), filepath.Join(dir, "tree.csv")
	for path, text := range map[string]string{
		data: "1 2\n2 3\n1 4\n", tree: "1;A;*\n2;A;*\n3;B;*\n5;B;*\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := serveInBrowser(t, browser, webui.Options{File: data})
	s.on(t, dark)
	s.follows(`.cards a`, "understood")
	s.waits(`document.querySelector("dl.sums")`)
	s.says(`location.href = "hierarchy"`)
	s.waits(`document.querySelector("#treefile")`)
	s.uploads("#treefile", tree, "stand for")
	s.waits(`document.querySelector(".card .bad .item").innerText === "4"`)
	s.sound()
	s.follows(`a[href="hierarchy/edit"]`, "Edit")
	// the root, items without a place, 4, A, B
	s.waits(`document.querySelectorAll(".node").length === 5`)
	s.sound()
	s.keys("ArrowDown", "ArrowDown", "x", "ArrowDown", "ArrowDown", "v")
	place := `[...document.querySelectorAll(".node")].findIndex(n => n.textContent === "4")`
	s.waits(place + ` === 6`) // below 3 and 5
	s.keys("z")
	s.waits(place + ` === 2`)
	s.fills("#find", "B")
	s.waits(`document.querySelector(".node.now").textContent.includes("B")`)
	s.fills("#find", "4")
	s.waits(`document.querySelector(".node.now").textContent === "4"`)
	s.keys("x", "ArrowDown", "v")
	s.waits(place + ` > 3`)
	s.follows("#save", "stand for")
	s.waits(`document.querySelector(".card .good")`)
	if got := s.fetch(`a[href="hierarchy/file/arx"]`); !strings.Contains(got, "4;A;*") {
		t.Errorf("the hierarchy that was saved is\n%s", got)
	}
}
