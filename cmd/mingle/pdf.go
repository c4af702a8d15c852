package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"mingle/internal/disk"
	"mingle/report"
	"mingle/report/page"
)

// browserVariable names a browser to use.
const browserVariable = "MINGLE_BROWSER"

// browsers that print a page to PDF, by their commands and by the places where they are installed.
var browsers = []string{
	"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
	"microsoft-edge", "msedge",
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	"/Applications/Chromium.app/Contents/MacOS/Chromium",
	`C:\Program Files\Google\Chrome\Application\chrome.exe`,
	`C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe`,
}

// findBrowser finds one that is installed.
func findBrowser() (string, error) {
	if asked := os.Getenv(browserVariable); asked != "" {
		path, err := exec.LookPath(asked)
		if err != nil {
			return "", usagef("%s: %w", browserVariable, err)
		}
		return path, nil
	}
	for _, name := range browsers {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", usagef("a PDF is printed by Chromium, Chrome or Edge, and none is installed: name one in %s, "+
		"or write the page (.html) and print it to PDF from any browser", browserVariable)
}

// printing is how long a browser may take for a page.
const printing = 2 * time.Minute

// writePDF lets an installed browser print the page: see docs/decisions/0021 for why no library
// does it. The page lies in a directory that only its owner can read, and goes with it.
func writePDF(
	ctx context.Context, browser string, o *report.Outcome, w io.Writer,
) (err error) {
	dir, err := disk.TemporaryDirectory(".mingle-pdf-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeAll(dir)) }()
	source, target := filepath.Join(dir, "page.html"), filepath.Join(dir, "page.pdf")
	html, err := disk.OpenFile(source, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(page.Write(html, o), html.Close()); err != nil {
		return err
	}
	if err := printPage(ctx, browser, dir, source, target); err != nil {
		return err
	}
	pdf, err := disk.ReadFile(target)
	if err != nil || !strings.HasPrefix(string(pdf), "%PDF") {
		return fmt.Errorf("%s printed no PDF: write the page (-o page.html) and print it from a browser", browser)
	}
	_, err = w.Write(pdf)
	return err
}

// printPage runs the browser on a page of our own, which has no script and loads nothing.
func printPage(ctx context.Context, browser, dir, source, target string) error {
	limited, cancel := context.WithTimeout(ctx, printing)
	defer cancel()
	args := []string{
		"--headless", "--disable-gpu", "--disable-extensions", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--no-pdf-header-footer", "--print-to-pdf-no-header", "--print-to-pdf=" + target,
		"--user-data-dir=" + filepath.Join(dir, "profile"),
	}
	if os.Geteuid() == 0 { // it refuses to run as root otherwise
		args = append(args, "--no-sandbox")
	}
	at := url.URL{Scheme: "file", Path: filepath.ToSlash(source)}
	cmd := exec.CommandContext(limited, browser, append(args, at.String())...)
	cmd.WaitDelay = patience / 4
	said, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case limited.Err() != nil:
		return fmt.Errorf("%s did not print the page within %v", browser, printing)
	case err != nil && strings.Contains(string(said), "No usable sandbox"):
		return fmt.Errorf("%s did not print the page: this machine lets it have no sandbox. Install "+
			"it (on Debian the package chromium-sandbox), write the page (-o page.html) and print "+
			"it from any browser, or name in %s a script that runs it with --no-sandbox: the page "+
			"has no script and loads nothing", browser, browserVariable)
	case err != nil:
		lines := strings.Split(strings.TrimSpace(string(said)), "\n")
		return fmt.Errorf("%s did not print the page: %w: %s", browser, err, lines[len(lines)-1])
	}
	return nil
}

// removeAll removes a directory into which a browser that is ending may still write.
func removeAll(dir string) (err error) {
	for range 10 {
		if err = disk.RemoveAll(dir); err == nil {
			return nil
		}
		time.Sleep(patience / 40)
	}
	return err
}
