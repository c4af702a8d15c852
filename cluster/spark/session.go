// Package spark has Apache Spark run the work of workers, by spark-sql and SELECT TRANSFORM: no
// program of ours is on the cluster but the worker, a static binary that Spark sends along.
package spark

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options say where Spark is, and how it is to be used.
type Options struct {
	Home   string   // of Spark; "": SPARK_HOME, else what is found on the path
	Master string   // as spark-submit has it; required
	Conf   []string // further settings of Spark, "key=value"
	Worker string   // the binary that workers run, with the arguments "worker VERB PLAN"
	Log    io.Writer
	Hurry  <-chan struct{} // closed: Spark, once it is asked to end, is killed; nil: it has time
	Tasks  func(Tasks)     // is told, now and then, how far the job under way is; nil: nobody is
}

// usual are settings of every session that others may replace, fixed those that they may not:
// results are told on standard output alone, nothing is kept in a metastore, no file is left out
// because it cannot be read, texts in statements are read as they are written here, and tables are
// written as others read them.
var (
	usual = []string{"spark.sql.adaptive.enabled=false", "spark.sql.shuffle.partitions=16"}
	fixed = []string{
		"spark.sql.cli.print.header=false",
		"spark.sql.catalogImplementation=in-memory",
		"spark.sql.files.ignoreCorruptFiles=false",
		"spark.sql.files.ignoreMissingFiles=false",
		"spark.sql.parser.escapedStringLiterals=false",
		"spark.sql.parquet.writeLegacyFormat=false",
	}
)

// session is a spark-sql that takes one statement after another.
type session struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan string // of standard output; closed at its end
	dir    string      // its own, for what it leaves
	key    string      // of plans, see seal.go
	number int

	settings string // the file of them, which has the key

	mu     sync.Mutex
	told   []string // lines of standard error, the last ones
	since  int      // lines of standard error that were dropped from told
	timed  chan struct{}
	until  <-chan struct{} // closed when the session is asked to end
	ended  chan struct{}
	endErr error
}

// home finds Spark.
func (o Options) home() (string, error) {
	for _, h := range []string{o.Home, os.Getenv("SPARK_HOME")} {
		if h == "" {
			continue
		}
		if _, err := os.Stat(filepath.Join(h, "bin", "spark-sql")); err != nil {
			return "", fmt.Errorf("%s has no bin/spark-sql: give the folder of Apache Spark with "+
				"--spark-home", h)
		}
		return h, nil
	}
	if p, err := exec.LookPath("spark-sql"); err == nil {
		return filepath.Dir(filepath.Dir(p)), nil
	}
	return "", errors.New("spark-sql of Apache Spark is not found: give its folder with --spark-home, or set " +
		"SPARK_HOME; tools/spark.sh of mingle's source downloads it")
}

// arguments are those of spark-sql.
func (o Options) arguments(dir, settings string) []string {
	args := []string{"--master", o.Master, "--name", "mingle", "--properties-file", settings}
	own := "spark.sql.warehouse.dir=file://" + filepath.Join(dir, "warehouse")
	bars := fmt.Sprintf("spark.ui.showConsoleProgress=%v", o.Tasks != nil)
	for _, c := range slices.Concat(usual, o.Conf, fixed, []string{own, bars}) {
		args = append(args, "--conf", c)
	}
	return args
}

// open starts a session, which ends when ctx does.
func open(ctx context.Context, o Options) (*session, error) {
	home, err := o.home()
	if err != nil {
		return nil, err
	}
	if !plain(os.TempDir()) {
		return nil, fmt.Errorf("%q: %s", os.TempDir(), onlyPlain)
	}
	dir, err := os.MkdirTemp("", "mingle-spark-")
	if err != nil {
		return nil, err
	}
	s := &session{
		dir: dir, key: newKey(), lines: make(chan string, 64), timed: make(chan struct{}, 8),
		until: ctx.Done(), ended: make(chan struct{}),
	}
	if s.settings, err = settings(home, dir, s.key); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s.cmd = exec.CommandContext(
		ctx, filepath.Join(home, "bin", "spark-sql"), o.arguments(dir, s.settings)...)
	s.cmd.Dir = dir
	// workers of a master of this machine alone inherit the key
	s.cmd.Env = append(os.Environ(), "SPARK_HOME="+home, "TERM=dumb", own(dir),
		SecretVariable+"="+s.key)
	if err := s.start(o, ownGroup(s.cmd, o.Hurry)); err != nil {
		return nil, errors.Join(fmt.Errorf("spark-sql does not start: %w", err), os.RemoveAll(dir))
	}
	return s, nil
}

// own has Spark's driver put its files into a folder, unless settings of Spark say where: what it
// shuffles with a master of this machine alone, and its copies of plans. Else they are where every
// user may look, and readable.
func own(dir string) string {
	return fmt.Sprintf("SPARK_SUBMIT_OPTS=-Djava.io.tmpdir=%s %s", dir, os.Getenv("SPARK_SUBMIT_OPTS"))
}

// start starts the command and calls over when it has ended.
func (s *session) start(o Options, over func()) error {
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	errs, err := s.cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	var readers sync.WaitGroup
	readers.Go(func() {
		each(out, func(line string) { s.lines <- line })
		close(s.lines)
	})
	readers.Go(func() {
		messages(errs, func(line string) {
			if o.Log != nil {
				fmt.Fprintln(o.Log, line)
			}
			s.tell(line)
		}, o.Tasks)
	})
	go func() {
		readers.Wait()
		s.endErr = s.cmd.Wait()
		over()
		close(s.ended)
	}()
	return nil
}

// each calls do for every line.
func each(r io.Reader, do func(line string)) {
	in := bufio.NewReaderSize(r, 1<<16)
	for {
		line, err := in.ReadString('\n')
		if line != "" {
			do(strings.TrimRight(line, "\r\n"))
		}
		if err != nil {
			return
		}
	}
}

// mostTold is how many lines of standard error are kept.
const mostTold = 400

func (s *session) tell(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = append(s.told, line)
	if over := len(s.told) - mostTold; over > 0 {
		s.told, s.since = s.told[over:], s.since+over
	}
	if strings.HasPrefix(line, "Time taken: ") {
		select {
		case s.timed <- struct{}{}:
		default:
		}
	}
}

// mark is where standard error is now; from is what was told since a mark.
func (s *session) mark() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.timed) > 0 {
		<-s.timed
	}
	return s.since + len(s.told)
}

func (s *session) from(mark int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.told[max(0, min(mark-s.since, len(s.told))):]...)
}

// statement has Spark execute a statement and hands over its rows, whose first field must be the
// text that row makes; rows is how many there were. Spark goes on after a statement that failed,
// and says nothing of it on standard output: whoever calls knows how many rows there must be. fault
// is what it said instead.
func (s *session) statement(
	ctx context.Context, text func(row string) string, take func(row string) error,
) (rows int, fault string, err error) {
	s.number++
	// A setting is told behind a tab, which the echo of the statement has not; no machine is needed
	// for it, so that it is told where there is none that works.
	row, done := fmt.Sprintf("mingle-row-%d", s.number), fmt.Sprintf("mingle-done-%d", s.number)
	mark := s.mark()
	statements := fmt.Sprintf("%s;\nSET mingle.done=%s;\n", text(row), done)
	if _, err := io.WriteString(s.in, statements); err != nil {
		return rows, "", s.gone(ctx, mark)
	}
	for {
		select {
		case line, open := <-s.lines:
			if !open {
				return rows, "", s.gone(ctx, mark)
			}
			// the first row of a statement may stand behind prompts
			if _, own, is := strings.Cut(line, row+"\t"); is {
				if rows++; take != nil && err == nil {
					err = take(own) // and the rest is read, for the next statement
				}
			} else if strings.HasSuffix(line, "\t"+done) {
				if rows == 0 {
					s.listen(mark)
				}
				return rows, reason(s.from(mark)), err
			}
		case <-ctx.Done():
			select {
			case <-s.until:
				s.end() // so that nothing is written any more that the caller removes
			default:
			}
			return rows, "", context.Cause(ctx)
		}
	}
}

// end waits for the end of a session that was asked for.
func (s *session) end() {
	for range s.lines { // so that it can write what it still has to
	}
	<-s.ended
}

// listen waits for what is wrong with a statement that had no rows: it is told before the time that
// the next one took, of which there may be one more on its way, of the statement before.
func (s *session) listen(mark int) {
	for range 2 {
		select {
		case <-s.timed:
		case <-s.ended:
		case <-time.After(time.Second):
		}
		if reason(s.from(mark)) != "" {
			return
		}
	}
}

// gone says why there is no session any more.
func (s *session) gone(ctx context.Context, mark int) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	<-s.ended
	if why := reason(s.from(mark)); why != "" {
		return fmt.Errorf("spark-sql has ended: %s", why)
	}
	if s.endErr == nil { // it was asked to, or thinks so
		return errors.New("spark-sql has ended")
	}
	return fmt.Errorf("spark-sql has ended (%w)", s.endErr)
}

// class is how Spark begins what is wrong with a statement: "[TABLE_OR_VIEW_NOT_FOUND] ...".
var class = regexp.MustCompile(`^\[[A-Z][A-Z_.]+\] `)

// usually is what Spark says when nothing is wrong.
var usually = regexp.MustCompile(`^$|^Time taken: |^\d\d/\d\d/\d\d |^Spark |^To adjust |^Setting default `)

// killed is what Spark, or what is left of a worker, says of one that was killed.
var killed = regexp.MustCompile(
	`exited with status 137\b|mingle: interrupted: nothing was written|mingle: .*signal: killed`)

// unread is what Spark says where a worker that is gone reads no more lines.
var unread = regexp.MustCompile(`IOException: (Stream closed|Broken pipe)`)

// reason finds, in what Spark told, what is wrong: what a worker says, or that one was killed, or
// else the lines that look like it, or else the first that is not usual; "": there are none.
func reason(told []string) string {
	var out []string
	other, isKilled := "", false
	for _, line := range told {
		line = strings.TrimSpace(line)
		if killed.MatchString(line) {
			isKilled = true
			continue
		}
		if strings.Contains(line, "Job aborted") {
			isKilled = unread.MatchString(line) // else not for it: its work was done again
		}
		if at := strings.LastIndex(line, "mingle: "); at >= 0 {
			return "a worker says of its part of the lines: " + line[at+len("mingle: "):]
		}
		switch {
		case strings.HasPrefix(line, "at "):
		case strings.Contains(line, "Exception") || strings.Contains(line, "Error") ||
			strings.Contains(line, "ERROR") || class.MatchString(line):
			out = append(out, line)
		case other == "" && !usually.MatchString(line):
			other = line
		}
	}
	if isKilled {
		return "a worker was killed, or has ended without a word: is there too little memory?"
	}
	if out == nil {
		return other
	}
	const most = 3
	if len(out) > most {
		out = append(out[:1], out[len(out)-most+1:]...)
	}
	return strings.Join(out, "; ")
}

// close ends the session.
func (s *session) close() error {
	err := s.in.Close()
	if errors.Is(err, os.ErrClosed) { // spark-sql has ended before, which was told
		err = nil
	}
	s.end()
	return errors.Join(err, os.RemoveAll(s.dir))
}
