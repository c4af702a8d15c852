package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mingle/internal/memory"
	"mingle/internal/publish"
	"mingle/pipeline"
	"mingle/report"
	"mingle/webui"
)

// serve is "mingle serve".
func (a *app) serve() *cobra.Command {
	var o webui.Options
	var most string
	var tables tableFlags
	cmd := &cobra.Command{
		Use:   "serve [FILE|DATABASE]",
		Short: "The whole way in a browser: from a file to the report that is signed",
		Long: `Shows a page for this computer's browser: open a file, see who can be singled out, make or edit
a hierarchy, choose what is promised, run, look at what became of the data, and sign.
It shows an address that opens once, by the browser it is given to, and by nobody else. The page
listens on 127.0.0.1 alone, and connects to nothing but a database that it is told to read. What
is uploaded lies in a private directory until the end (Ctrl-C). Runs take what --memory allows.`,
		Example: `  mingle serve
  mingle serve shop.jsonl --port 8137
  mingle serve postgres://ann@db/shop --table sales.line`,
		Args: arguments(0, 1, "at most one file of transactions"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if len(args) == 1 {
				o.File = args[0]
			} else if tables.table+tables.query != "" {
				return usagef("no database is named: name it, or leave --table and --query out")
			}
			o.Table, o.Query = tables.table, tables.query
			if o.Port < 0 || o.Port > 65535 {
				return usagef("--port (%d) must be 0 to 65535", o.Port)
			}
			size := memoryFlag{text: most}
			if o.MaxUpload, err = size.given(); err != nil {
				return usagef("--max-upload (%s) must be a size such as 500MB or 2GB", most)
			}
			o.Memory, o.Overrun = a.memory.bound, a.overrun
			return a.serveUntil(cmd.Context(), o)
		},
	}
	// the bound on memory is for each run, not for the server, which waits for most of its time
	cmd.PersistentPreRunE = func(cmd *cobra.Command, args []string) (err error) {
		if err := errors.Join(nothingEmpty(cmd, args), openDescriptors(cmd, args)); err != nil {
			return err
		}
		if a.memory.bound, err = a.memory.given(); err != nil {
			return err
		}
		return a.console.open(a, cmd)
	}
	f := cmd.Flags()
	f.IntVar(&o.Port, "port", 0, "the port to listen on (default: a free one)")
	tables.register(f, false)
	f.StringVar(&most, "max-upload", "2GB", "the largest file that is taken")
	return cmd
}

// serveUntil serves until the program is interrupted, which is how it is ended.
func (a *app) serveUntil(ctx context.Context, o webui.Options) error {
	o.Plan, o.Statements, o.ReleaseFile = plan, writeStatements, releaseText
	o.Databases = a.databases()
	if browser, err := findBrowser(); err == nil {
		o.PDF = func(ctx context.Context, out *report.Outcome, w io.Writer) error {
			return writePDF(ctx, browser, out, w)
		}
	}
	s, err := webui.New(o)
	if err != nil {
		return err
	}
	address := s.Address()
	err = a.console.print(fmt.Sprintf("Open this address in a browser of this computer; it opens once:\n\n  %s\n\n"+
		"Ctrl-C ends it, and removes what was uploaded.\n", address),
		map[string]string{"address": address})
	if err != nil {
		return errors.Join(err, s.Close())
	}
	if a.console.quiet { // there is no other way in
		fmt.Fprintln(a.errs, address)
	}
	return s.Serve(ctx)
}

// overrun ends the program when something does not end at the bound on memory. It leaves nothing
// of what was uploaded and made.
func (a *app) overrun(e *memory.Exceeded, empty func() error) {
	_, left := publish.AbortAll(0) // it publishes files alone
	err := errors.Join(e, left, empty())
	printError(a.errs, err)
	leave(exitCode(err))
}

// releaseText is the release file of the arguments of an anonymize command; nothing is run.
func releaseText(ctx context.Context, args []string, said report.Statements) ([]byte, error) {
	var out bytes.Buffer
	a := &app{out: &out, args: append(slices.Clone(args), "--print-release"), said: said}
	a.seedFrom = "MINGLE_SEED"
	err := a.inside(ctx)
	return out.Bytes(), err
}

// inside executes a command within the program, which shows nothing.
func (a *app) inside(ctx context.Context) error {
	a.in, a.errs, a.console.quiet = strings.NewReader(""), io.Discard, true
	root := a.command()
	root.SetArgs(a.args)
	root.SetIn(a.in)
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	defer a.memory.close()
	return root.ExecuteContext(ctx)
}

// plan makes a job of the arguments of an anonymize command, and runs nothing.
func plan(ctx context.Context, args []string) (job pipeline.Job, err error) {
	planned := false
	a := &app{out: io.Discard, args: args}
	a.planned = func(j pipeline.Job) { job, planned = j, true }
	err = a.inside(ctx)
	if err == nil && !planned {
		err = usagef("this is no command that makes a release")
	}
	return job, err
}
