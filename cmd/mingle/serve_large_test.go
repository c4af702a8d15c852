package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"mingle/webui"
)

// How fast the page is with much data, for docs/serve.md: MINGLE_LARGE=1 asks for it. Nothing is
// asserted of times.
func TestServeLarge(t *testing.T) {
	if os.Getenv("MINGLE_LARGE") == "" {
		t.Skip("MINGLE_LARGE=1 measures the page with 1,000,000 transactions and 40,000 items")
	}
	browser := startBrowser(t)
	dir := t.TempDir()
	sh(t, dir, `mingle generate zipf --transactions 1000000 --items 40000 -o visits.dat
mingle hierarchy fanout visits.dat -f 10 -o tree.csv`)
	for _, page := range []string{"empty", "reading a large file"} {
		var o webui.Options
		if page != "empty" {
			o.File = filepath.Join(dir, "visits.dat")
		}
		t.Log("first page, ", page, ", painted after ms: ", serveInBrowser(t, browser, o).painted())
	}
	s := serveInBrowser(t, browser, webui.Options{File: filepath.Join(dir, "visits.dat")})
	s.longer = 5 * time.Minute
	s.follows(`.cards a`, "understood")
	s.waits(`document.querySelector("dl.sums")`)
	s.says(`location.href = "hierarchy"`)
	s.waits(`document.querySelector("#treefile")`)
	s.uploads("#treefile", filepath.Join(dir, "tree.csv"), "stand for")
	s.follows(`a[href="hierarchy/edit"]`, "Edit")
	s.waits(`document.querySelectorAll(".node").length > 1`)
	s.says(`(() => { const view = document.getElementById("tree"); view.focus();
		const key = k => view.dispatchEvent(new KeyboardEvent("keydown", { key: k, bubbles: true }));
		for (let i = 0; i < 6000; i++) { key("ArrowRight"); key("ArrowDown"); }
		view.scrollTop = 0; })()`)
	t.Log("rows: ", s.says(`document.getElementById("space").offsetHeight / 28`))
	frames, err := chromedp.Run(s.ctx, chromedp.Evaluate[string](`new Promise(done => {
		const view = document.getElementById("tree"), at = [], frame = requestAnimationFrame;
		let spent = 0; // in our script and the layout that follows
		window.requestAnimationFrame = f => frame(now => {
			const from = performance.now(); f(now); document.body.offsetHeight; spent += performance.now() - from; });
		const step = now => { at.push(now); view.scrollTop += 400; at.length < 120 ? frame(step) : done(
			(1000 * (at.length - 1) / (at.at(-1) - at[0])).toFixed(1) + " frames a second, the longest " +
			Math.max(...at.slice(1).map((t, i) => t - at[i])).toFixed(0) + " ms; " + (spent / at.length).toFixed(1) + " ms of work a frame"); };
		frame(step);
	})`, chromedp.EvalAwaitPromise))
	t.Log("scrolling: ", frames, err)
	s.says(`location.href = "../choose"`)
	s.waits(`document.querySelector("#choice")`)
	s.choose(map[string]string{"k": "5", "m": "1", "algorithm": "aa"})
	t.Log(strings.Join(strings.Fields(s.says(`document.querySelector("#run").innerText`)), " "))
	s.follows(`.next a`, "became")
	s.waits(`document.querySelector("table.sides tbody tr") && !document.querySelector("[aria-busy]")`)
	for _, page := range []string{"2", "10000", "20000"} {
		s.says(`(window.got = undefined, window.from = performance.now(), fetch("?page=` + page + `").then(r => r.text()).then(() => { window.got = performance.now() - window.from; }))`)
		s.waits(`window.got !== undefined`)
		t.Log("page ", page, " in ms: ", s.says(`window.got`))
	}
}

// painted is when something was first painted, in ms after the navigation began.
func (s *served) painted() string {
	s.t.Helper()
	ms, err := chromedp.Run(s.ctx, chromedp.Evaluate[string](`new Promise(done =>
		new PerformanceObserver((list, o) => {
			o.disconnect();
			done(list.getEntries()[0].startTime.toFixed(0));
		}).observe({ type: "paint", buffered: true }))`, chromedp.EvalAwaitPromise))
	if err != nil {
		s.t.Fatal(err)
	}
	return ms
}
