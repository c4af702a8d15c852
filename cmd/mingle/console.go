package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"mingle/internal/publish"
	"mingle/report"
)

// console is how a run speaks: text and a progress bar for people, one JSON object a line for
// programs.
type console struct {
	json, quiet bool
	out, errs   io.Writer // of text; errs also gets the bar
	hasBar      bool      // errs is a terminal, so that it gets one

	mu    sync.Mutex // guards the rest: progress is reported from several stages
	bar   *progressbar.ProgressBar
	stage string
	last  time.Time
}

func (c *console) flags(f *pflag.FlagSet) {
	f.BoolVar(
		&c.json, "json", false,
		"progress and result for programs: one JSON object a line on standard output",
	)
	f.BoolVar(&c.quiet, "quiet", false, "print nothing but errors")
}

// open is called before any command runs.
func (c *console) open(a *app, cmd *cobra.Command) error {
	c.out, c.errs = a.out, a.errs
	c.hasBar = isTerminal(c.errs) // asked once: a stage may tell its progress a million times
	return c.makeRoom(cmd)
}

// targetMark is the annotation of flags that name a file to be written.
const targetMark = "target"

// writes marks flags that name files to be written.
func writes(f *pflag.FlagSet, names ...string) {
	for _, name := range names {
		f.SetAnnotation(name, targetMark, []string{name}) // fails only where there is no such flag
	}
}

// makeRoom keeps what the screen is told, which may be secret, out of files that go to a standard
// stream, under whatever name.
func (c *console) makeRoom(cmd *cobra.Command) error {
	busy := false // standard output carries a file
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Annotations[targetMark] != nil && err == nil {
			var onOut bool
			onOut, err = c.carries(f.Name, f.Value.String())
			busy = busy || onOut
		}
	})
	if busy && err == nil {
		c.out = c.errs
	}
	return err
}

// carries tells whether standard output carries a target; the error is why it cannot be so.
func (c *console) carries(name, path string) (onOut bool, err error) {
	onOut = path == publish.Stdout || publish.IsStream(path, c.out)
	switch {
	case !onOut && publish.IsStream(path, c.errs):
		err = usagef("--%s %s is standard error, which carries messages: name a file", name, path)
	case onOut && c.json:
		err = usagef("standard output cannot carry both a file (--%s %s) and --json: write the file elsewhere", name, path)
	case onOut && !c.quiet && publish.OneStream(c.out, c.errs) && !isTerminal(c.out):
		err = usagef("standard output and standard error are one file, so that messages would get into --%s %s: "+
			"name a file, send one of them elsewhere, or give --quiet", name, path)
	}
	return onOut, err
}

// printsText refuses --json beside a flag that has a text printed, which is no JSON lines.
func (c *console) printsText(flag string) error {
	if !c.json {
		return nil
	}
	return usagef("standard output cannot carry both what --%s prints and --json: leave one of the "+
		"two out", flag)
}

// progress shows how far a stage is: a bar on a terminal, events with --json, nothing else.
func (c *console) progress(stage string, done, total int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.json && (stage != c.stage || time.Since(c.last) >= time.Second/2):
		c.stage, c.last = stage, time.Now()
		c.event("progress", map[string]any{"stage": stage, "done": done, "total": total})
	case !c.json && !c.quiet && c.hasBar:
		c.showBar(stage, done, total)
	}
}

func (c *console) showBar(stage string, done, total int64) {
	if total <= 0 {
		total = -1
	}
	if c.bar == nil || c.stage != stage {
		c.clearBar()
		c.stage = stage
		c.bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(c.errs),
			progressbar.OptionSetDescription(report.Visible(stage)),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionSetWidth(20), progressbar.OptionShowCount())
	}
	c.bar.Set64(done) // fails only past the end, where there is nothing to show
}

func (c *console) clearBar() {
	if c.bar != nil {
		c.bar.Clear()
		c.bar = nil
	}
}

// print gives the result: text to people, value to programs.
func (c *console) print(text string, value any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clearBar()
	switch {
	case c.json:
		return c.event("result", map[string]any{"result": value})
	case c.quiet:
		return nil
	}
	_, err := io.WriteString(c.out, report.Visible(text))
	return err
}

// finish ends the display, and tells programs of an error.
func (c *console) finish(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clearBar()
	if err != nil && c.json && !errors.Is(err, errVerdict) && c.out != nil {
		c.event("error", map[string]any{"exit_code": exitCode(err), "messages": report.Lines(err)})
	}
}

func (c *console) event(name string, fields map[string]any) error {
	fields["event"] = name
	line, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	_, err = c.out.Write(append(line, '\n'))
	return err
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
