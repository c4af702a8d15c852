package spark

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mingle/cluster/engine"
)

// Engine is a session of Spark.
type Engine struct {
	storage
	options Options
	session *session
	views   map[source]string // of what was read
	tried   int               // views that were made, or should have been
	plans   int
}

// Open starts a session.
func Open(ctx context.Context, o Options) (*Engine, error) {
	if o.Master == "" {
		return nil, errors.New("the master of Spark is not given: name it with --master, such as " +
			"spark://host:7077, yarn, k8s://https://host:443, or local[2] for this machine alone")
	}
	if err := checkWorker(o.Worker); err != nil {
		return nil, err
	}
	s, err := open(ctx, o)
	if err != nil {
		return nil, err
	}
	e := &Engine{
		storage: storage{o, s.dir}, options: o, session: s, views: map[source]string{},
	}
	err = e.add(ctx, o.Worker)
	if err == nil {
		err = os.Remove(s.settings) // which were read: the key is not to lie beside the plans
	}
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// checkWorker refuses a name that a shell on another machine might take for something else.
func checkWorker(path string) error {
	if name := filepath.Base(path); !plain(name) {
		return fmt.Errorf("%s: workers cannot be started by this name: rename the program", path)
	}
	return nil
}

// plain tells whether a path can stand in statements, and in the commands of workers, as it is, and
// is spelt alike by everybody. Hadoop takes what stands before a colon in a name for a scheme.
func plain(path string) bool {
	for _, c := range path {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
			strings.ContainsRune("/_.-:=@+", c)) {
			return false
		}
	}
	at := strings.LastIndexByte(path, '/') + 1
	host := strings.HasSuffix(path[:at], "://")
	return path != "" && (host || !strings.Contains(path[at:], ":"))
}

// Close ends the session.
func (e *Engine) Close() error { return e.session.close() }

// add sends a file to the workers. Spark prints a row for it in one version, and none in others.
func (e *Engine) add(ctx context.Context, path string) error {
	if !plain(path) {
		return fmt.Errorf("%q: %s", path, onlyPlain)
	}
	rows, fault, err := e.session.statement(ctx, func(row string) string {
		return fmt.Sprintf("ADD FILE '%s';\nSELECT '%s', 'added'", path, row)
	}, nil)
	if err == nil && (rows != 1 || strings.Contains(fault, "Exception")) {
		err = fmt.Errorf("spark-sql does not send %s to its workers: %s", path, fault)
	}
	return err
}

// Run implements engine.Engine.
func (e *Engine) Run(ctx context.Context, job engine.Job) ([]string, error) {
	views, err := e.sources(ctx, job)
	if err != nil {
		return nil, err
	}
	plan, err := e.plan(ctx, job)
	if err != nil {
		return nil, err
	}
	sql := statement{
		job: job, views: views, worker: filepath.Base(e.options.Worker), plan: filepath.Base(plan),
	}
	var lines []string
	each := job.Each
	if each == nil {
		each = func(line string) error {
			lines = append(lines, line)
			return nil
		}
	}
	rows, fault, err := e.session.statement(ctx, sql.text, each)
	switch {
	case err != nil:
		return nil, err
	case job.Output != "":
		return nil, e.written(ctx, job, fault)
	case rows == 0 && fault == "":
		return nil, fmt.Errorf("%s: no result: %w", job.Name, e.silent(ctx, sql))
	case rows == 0:
		return nil, fmt.Errorf("%s: no result: %s", job.Name, fault)
	}
	return lines, nil
}

// silent is why a job has no rows where Spark does not say so: the files have no lines, or not.
func (e *Engine) silent(ctx context.Context, of statement) error {
	lines := ""
	_, fault, err := e.session.statement(ctx, func(row string) string {
		return fmt.Sprintf("SELECT '%s', count(*) FROM (%s)", row, of.files())
	}, func(n string) error {
		lines = n
		return nil
	})
	switch {
	case err != nil:
		return err
	case lines == "0":
		return engine.ErrNoLines
	}
	return fmt.Errorf("no reason is told. %s", fault)
}

// Rows implements engine.Engine.
func (e *Engine) Rows(ctx context.Context, query, output string) error {
	if strings.Contains(query, ";") || strings.ContainsAny(query, "\r\n") {
		return errors.New("a query is one line without semicolons")
	}
	if !plain(output) {
		return fmt.Errorf("%q: %s", output, onlyPlain)
	}
	_, fault, err := e.session.statement(ctx, func(string) string {
		return fmt.Sprintf("INSERT OVERWRITE DIRECTORY '%s' %s SELECT CASE WHEN value IS NULL "+
			"OR value RLIKE '[\\\\r\\\\n]' THEN raise_error('a row of the query is null, or has a line "+
			"end in it') ELSE value END AS value FROM (%s) AS mingle_rows(value)", uri(output), asText,
			query)
	}, nil)
	if err != nil {
		return err
	}
	return e.written(ctx, engine.Job{Name: "query", Output: output}, fault)
}

// plan sends the plan of a job to the workers. It stays where it is until the session ends: a
// machine that joins late, or had no part of the job, asks for it still.
func (e *Engine) plan(ctx context.Context, job engine.Job) (string, error) {
	e.plans++
	path := filepath.Join(e.session.dir, fmt.Sprintf("plan-%d-%d", os.Getpid(), e.plans))
	text, err := seal(e.session.key, job.Plan)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return "", err
	}
	return path, e.add(ctx, path)
}

// written looks whether a job has written all of its output: Spark marks it so.
func (e *Engine) written(ctx context.Context, job engine.Job, fault string) error {
	done, err := e.Exists(ctx, job.Output+"/_SUCCESS")
	if err == nil && !done {
		err = fmt.Errorf("%s: not written as a whole: %s", job.Name, fault)
	}
	return err
}
