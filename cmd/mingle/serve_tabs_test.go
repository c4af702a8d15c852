package main

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"mingle/webui"
)

// beside is a tab in the window of the browser, where one hides the others.
func beside(t *testing.T, browser context.Context, server *webui.Server) *served {
	tab, closeIt := chromedp.NewContext(browser, chromedp.WithNewWindow(false))
	t.Cleanup(closeIt)
	s := &served{openedPage: openedPage{tab}, t: t, server: server}
	s.inFront()
	return s
}

// inFront shows a tab in place of the others, as a click on it does.
func (s *served) inFront() {
	s.t.Helper()
	s.do(s.t, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, cdppage.BringToFront, cdp.Empty{})
		return err
	}))
	s.waits(`!document.hidden`)
}

// A data set is open in more tabs than a browser has connections to a server: each of them loads,
// and one that was out of sight tells what came meanwhile when it is looked at again.
func serveManyTabs(t *testing.T, browser context.Context) {
	server, _ := startServing(t, webui.Options{})
	first := beside(t, browser, server)
	first.do(t, chromedp.Navigate(server.Address()))
	first.follows(`form[action$="example"] button`, "understood")
	first.waits(`!document.querySelector("[aria-busy]")`)
	first.says(`location.href = "choose"`)
	first.waits(`document.querySelector("#choice")`)
	first.fills(`[name=algorithm]`, "local")
	first.fills(`[name=m]`, "3")
	first.fills(`[name=effort]`, "1000000") // it does not end by itself
	first.follows(`button[value=run]`, "Run 1")
	var last *served
	for range 7 {
		last = beside(t, browser, server)
		ctx, cancel := context.WithTimeout(last.ctx, time.Minute)
		err := chromedp.Do(ctx, chromedp.Navigate(first.says(`location.href`)))
		if cancel(); err != nil {
			t.Fatal(err)
		}
	}
	first.waits(`document.hidden`)
	last.clicks(`#ends button.quiet`, `document.querySelector("#run [role=alert]")`)
	first.inFront()
	first.waits(`document.querySelector("#run [role=alert]")`)
	if got := first.says(`document.getElementById("lost").hidden`); got != "true" {
		t.Error("a page that was out of sight says that mingle has ended")
	}
}

// An editor of a hierarchy that another one has changed, and one whose server is gone, say that
// nothing was saved and keep what was done. Other pages, too, tell that the server is gone.
func serveEditors(t *testing.T, browser context.Context) {
	s := serveInBrowser(t, browser, webui.Options{})
	s.follows(`form[action$="example"] button`, "understood")
	s.says(`location.href = "hierarchy"`)
	s.waits(`document.querySelector("#treefile")`)
	at := s.says(`location.href`)
	var editors []*served
	for _, group := range []string{"C", "D"} {
		e := &served{openedPage: s0(t, browser), t: t, server: s.server}
		e.do(t, chromedp.Navigate(at+"/edit"))
		e.waits(`document.querySelectorAll(".node").length > 2`)
		e.says(`prompt = () => ` + quote(group))
		e.keys("n", "ArrowUp", "x") // the last group before it goes into it
		e.fills("#find", group)
		e.says(`document.getElementById("put").click()`)
		editors = append(editors, e)
	}
	kept := `document.querySelector(".node.now").textContent`
	first, second := editors[0], editors[1]
	first.follows("#save", "stand for")
	had := second.says(kept)
	second.clicks("#save", `document.getElementById("status").textContent.includes("nothing was saved")`)
	if got := second.says(`document.getElementById("status").lang`); got != "en" {
		t.Errorf("what the program says in English is marked as %q", got)
	}
	s.end()
	for _, e := range []*served{s, second} {
		e.waits(`!document.getElementById("lost").hidden`)
	}
	second.clicks("#save", `document.getElementById("status").textContent.includes("It was not saved")`)
	if got := second.says(`document.getElementById("status").lang`); got != "" {
		t.Errorf("what the page says is marked as %q", got)
	}
	if got := second.says(kept); got != had {
		t.Errorf("the editor shows %q and had %q", got, had)
	}
}
