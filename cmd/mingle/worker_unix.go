//go:build !windows

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// The work is done by a second process, the worker, which is the same program. The first one waits
// for it and knows the exit codes. What the runtime of Go cannot catch (no memory left, a stack too
// deep, a panic on a goroutine of a library) ends a process with code 2, which is the code of bad
// input here. The first process tells the two apart: a worker that ends as it should says its code
// before.
//
// A signal from a terminal reaches both, one from kill only the first. The first passes all on
// through a pipe. When it is killed the pipe ends, and the worker ends as after an interrupt.

// The descriptors that the user gave keep their numbers in the worker: a shell's "3>file" is 3
// there too. The pipes have numbers that the user did not take.

// workerEnv marks the worker, which has two more files open, and names them: "hears,says". The
// worker hears signals, a byte each, and says the exit code, a byte.
const workerEnv = "MINGLE_WORKER"

// launch runs the program in a worker, and returns its exit code.
func launch(args []string) int {
	hears, says := workerPipes()
	if hears != nil {
		return work(args, hears, says)
	}
	code, err := supervise()
	if err != nil { // no second process: what cannot be caught has the code of the runtime then
		return program(args, os.Stdin, os.Stdout, os.Stderr)
	}
	return code
}

// workerPipes are the pipes of a worker; nil: this process is none.
func workerPipes() (hears, says *os.File) {
	numbers := os.Getenv(workerEnv)
	os.Unsetenv(workerEnv)
	var pipes [2]int
	if _, err := fmt.Sscanf(numbers, "%d,%d", &pipes[0], &pipes[1]); err != nil {
		return nil, nil
	}
	for _, fd := range pipes {
		var info syscall.Stat_t
		if syscall.Fstat(fd, &info) != nil || info.Mode&syscall.S_IFMT != syscall.S_IFIFO {
			return nil, nil
		}
	}
	// from now on they are none that the user gave, see publish.Inherited
	for _, fd := range pipes {
		syscall.CloseOnExec(fd)
	}
	return os.NewFile(uintptr(pipes[0]), "hears"), os.NewFile(uintptr(pipes[1]), "says")
}

// work is the worker.
func work(args []string, hears, says *os.File) int {
	signals := listen()
	signal.Ignore(os.Interrupt) // it comes through the pipe; twice would mean more than once
	go func() {
		one := make([]byte, 1)
		for {
			if _, err := hears.Read(one); err != nil {
				signals <- syscall.SIGTERM // the first process is gone
				return
			}
			signals <- syscall.Signal(one[0])
		}
	}()
	// fails only when nobody is left to be told
	tell := func(code int) { says.Write([]byte{byte(code)}) }
	leave = func(code int) {
		tell(code)
		os.Exit(code)
	}
	code := programUntil(signals, args, os.Stdin, os.Stdout, os.Stderr)
	tell(code)
	return code
}

// supervise starts the worker and waits for its end. The error says that there is no worker.
func supervise() (code int, err error) {
	worker, err := workerCommand()
	if err != nil {
		return 0, err
	}
	hears, says, theirs, err := pipesFor(worker)
	if err != nil {
		return 0, err
	}
	defer hears.Close()
	defer says.Close()
	signals := listen()
	defer signal.Stop(signals)
	err = worker.Start()
	for _, fd := range theirs {
		syscall.Close(fd)
	}
	if err != nil {
		return 0, err
	}
	go func() {
		for s := range signals {
			says.Write([]byte{byte(s.(syscall.Signal))})
		}
	}()
	told, _ := io.ReadAll(hears) // ends with the worker
	end := worker.Wait()
	if len(told) == 1 {
		return int(told[0]), nil
	}
	if interruptedBy(worker.ProcessState) { // before it listened, so before it did anything
		printError(os.Stderr, errInterrupted)
		return codeInterrupted, nil
	}
	printError(os.Stderr, &codedError{codeInternal, lost(end)})
	return codeInternal, nil
}

// interruptedBy tells whether a worker was ended by a signal that asks for it, as it is before it
// listens.
func interruptedBy(end *os.ProcessState) bool {
	status, known := end.Sys().(syscall.WaitStatus)
	if !known || !status.Signaled() {
		return false
	}
	switch status.Signal() {
	case syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT:
		return true
	}
	return false
}

// workerCommand is the command of the worker.
func workerCommand() (*exec.Cmd, error) {
	self := "/proc/self/exe" // the program that runs, even where another has its name by now
	if _, err := os.Stat(self); err != nil {
		if self, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	worker := exec.Command(self)
	worker.Args = os.Args
	worker.Stdin, worker.Stdout, worker.Stderr = os.Stdin, os.Stdout, os.Stderr
	return worker, nil
}

// pipesFor makes the pipes of a worker, and tells it their numbers. theirs are the ends that it
// inherits, as it does all that is not closed on exec: under the same numbers.
func pipesFor(worker *exec.Cmd) (hears, says *os.File, theirs []int, err error) {
	var ends []*os.File
	for range 2 {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, nil, nil, err
		}
		ends = append(ends, r, w)
	}
	for _, end := range []*os.File{ends[0], ends[3]} {
		fd, err := syscall.Dup(int(end.Fd())) // what Go opens is closed on exec, a duplicate is not
		end.Close()
		if err != nil {
			return nil, nil, nil, err
		}
		theirs = append(theirs, fd)
	}
	worker.Env = append(os.Environ(), fmt.Sprintf("%s=%d,%d", workerEnv, theirs[0], theirs[1]))
	return ends[2], ends[1], theirs, nil
}

// lost says how a worker ended that did not say so itself.
func lost(end error) error {
	how := "it ended without a word"
	if end != nil {
		how = end.Error()
	}
	return fmt.Errorf("internal fault: the run broke off: %s\n"+
		"if memory is short, give it more, or bound the run with --memory where the command has it\n"+
		"the published file is new only if all files of the run are\n"+
		"temporary files that were left go with the next run that writes to the same targets", how)
}
