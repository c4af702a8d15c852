// Command mingle publishes set-valued data so that nobody in it can be singled out, and proves it.
//
// Its commands, files and exit codes are a contract; the README lists them. The work is done by the
// packages of the module; this is the thin layer that reads flags, shows progress and prints.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"mingle/dataset/rows"
	"mingle/internal/publish"
)

// leave ends the process at once. A worker (see launch) tells its exit code before.
var leave = os.Exit

func main() {
	if os.Getenv("MINGLE_STACK") == "" {
		debug.SetTraceback("none") // not all faults can be caught; at least they are short
	}
	os.Exit(launch(os.Args[1:]))
}

// program runs one command, prints its error and returns the exit code.
func program(args []string, in io.Reader, out, errs io.Writer) int {
	signals := listen()
	defer signal.Stop(signals)
	return programUntil(signals, args, in, out, errs)
}

// listen receives the signals that end a run. One that the process was started to ignore, as nohup
// does, stays ignored.
func listen() chan os.Signal {
	signals := make(chan os.Signal, 8)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	return signals
}

// programUntil is program with the signals that end it.
func programUntil(signals <-chan os.Signal, args []string, in io.Reader, out, errs io.Writer) int {
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	best, slow := newKeepBest(), newSlowEnd()
	done := make(chan error, 1)
	go func() { done <- run(slow.with(best.with(ctx)), args, in, out, errs) }()
	var err error
	var tooLong <-chan time.Time
	if best.wait(done, signals, &err) {
		stop(errInterrupted)
		err = slow.wait(done, signals)
		tooLong = time.After(patienceToSay)
	}
	said := make(chan struct{})
	go func() {
		printError(errs, err)
		close(said)
	}()
	select { // nobody may be reading
	case <-said:
	case <-tooLong:
	case <-signals:
	}
	return exitCode(err)
}

// abandon ends what is being published, and says what is in place.
func abandon() error {
	outcome, left := publish.AbortAll(patienceToAppear)
	err := errInterrupted
	switch outcome {
	case publish.InPlace:
		err = errInterruptedLate
	case publish.Unknown:
		err = errInterruptedUnsure
	}
	if left != nil {
		err = &codedError{codeInterrupted, errors.Join(err, left)}
	}
	return err
}

// run is the program: everything but signals and exit codes.
func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked(p, debug.Stack())
		}
	}()
	for _, arg := range args {
		if rows.HasPassword(arg) {
			return usagef("%w", rows.ErrPassword)
		}
	}
	a := &app{in: in, out: out, errs: errs, args: args}
	a.console.out, a.console.errs = out, errs
	root := a.command()
	root.SetArgs(args)
	root.SetIn(in)
	help := &writing{to: out}
	root.SetOut(help)
	root.SetErr(errs)
	err = a.memory.withAdvice(root.ExecuteContext(ctx))
	if err == nil && !isAny(help.err, goneErrors) { // "--help | head" is no fault
		err = help.err
	}
	a.memory.close()
	a.console.finish(err)
	return err
}

// writing notes that something could not be written, for cobra does not tell.
type writing struct {
	to  io.Writer
	err error
}

func (w *writing) Write(p []byte) (n int, err error) {
	if n, err = w.to.Write(p); w.err == nil {
		w.err = err
	}
	return n, err
}

// panicked turns a fault of the program into an error without a trace of the stack; where it is
// wanted to mend the fault, the environment asks for it.
func panicked(p any, stack []byte) error {
	text := fmt.Sprintf(
		"internal fault: %v. Nothing was written. Please report this with the command you gave", p,
	)
	if os.Getenv("MINGLE_STACK") != "" {
		text += "\n" + string(stack)
	} else {
		text += "; MINGLE_STACK=1 in the environment shows where it happened"
	}
	return &codedError{codeInternal, fmt.Errorf("%s", text)}
}
