package database

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"mingle/dataset/rows"
)

// patience is how long a server may take to answer a connection, and how long a table that is
// replaced may be in use by others.
const patience = 30 * time.Second

// server is a connection to PostgreSQL.
type server struct {
	*pgconn.PgConn
	name string // as messages call the database
	tap  *tap
	path string // where the user's names are looked up, see begin
}

// connect connects as libpq would, with a password of the opener where it has one.
func (o Opener) connect(ctx context.Context, to rows.Location) (*server, error) {
	name := shown(to)
	config, err := pgconn.ParseConfig(to.Address)
	if err != nil {
		return nil, fmt.Errorf("%s: the address of the database cannot be read: %s", name,
			parameterFault(err))
	}
	if err := checkUnread(config); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if password := o.Passwords[to.Address]; password != "" {
		config.Password = password
	} else if err := checkPasswordFile(config, to.Address); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	config.RuntimeParams["application_name"] = "mingle"
	config.RuntimeParams["client_encoding"] = "UTF8"
	if _, limited := ctx.Deadline(); !limited && config.ConnectTimeout > patience {
		config.ConnectTimeout = patience
	}
	neverClear(config)
	tap := tapped(config)
	within, done := context.WithTimeout(ctx, patience)
	defer done()
	conn, err := pgconn.ConnectConfig(within, config)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("%s: %s", name, connectFault(err, config.User))
	}
	return &server{PgConn: conn, name: name, tap: tap}, nil
}

// parameterFault says what is wrong with an address. The driver's own text repeats it, with the
// user.
func parameterFault(err error) string {
	var config *pgconn.ParseConfigError
	if errors.As(err, &config) && errors.Unwrap(err) != nil {
		return strings.ReplaceAll(errors.Unwrap(err).Error(), "\n", " ")
	}
	return "it is written postgres://user@host/database"
}

// end closes the connection; what was not committed is undone.
func (s *server) end() {
	ctx, done := context.WithTimeout(context.Background(), time.Second)
	defer done()
	s.Close(ctx)
}

// run runs statements that have no rows.
func (s *server) run(ctx context.Context, sql string) error {
	_, err := s.Exec(ctx, sql).ReadAll()
	return s.explain(ctx, err)
}

// rows are those of a statement, as texts; NULL is "".
func (s *server) rows(ctx context.Context, sql string, parameters ...string) ([][]string, error) {
	values := make([][]byte, len(parameters))
	for i, p := range parameters {
		values[i] = []byte(p)
	}
	result := s.ExecParams(ctx, sql, values, nil, nil, nil).Read()
	if result.Err != nil {
		return nil, s.explain(ctx, result.Err)
	}
	var out [][]string
	for _, row := range result.Rows {
		var texts []string
		for _, value := range row {
			texts = append(texts, string(value))
		}
		out = append(out, texts)
	}
	return out, nil
}

// plain is explain without the name of the database, which the reader of a stream knows.
func (s *server) plain(ctx context.Context, err error) error {
	unnamed := *s
	unnamed.name = ""
	return unnamed.explain(ctx, err)
}

// explain is an error of the server in one line, with the name of the database.
func (s *server) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	name := ""
	if s.name != "" {
		name = s.name + ": "
	}
	var said *pgconn.PgError
	if !errors.As(err, &said) {
		return fmt.Errorf("%sthe connection was lost: %w", name, err)
	}
	text := said.Message
	if said.Hint != "" {
		text += " (" + said.Hint + ")"
	}
	switch said.Code {
	case "57014":
		text += ": does the role have a statement_timeout?"
	case "57P01", "57P02", "57P03":
		text = "the connection was lost: " + text
	}
	return &serverError{said, name + strings.ReplaceAll(text, "\n", " ")}
}

// serverError is what a server said.
type serverError struct {
	said *pgconn.PgError
	text string
}

func (e *serverError) Error() string { return e.text }
func (e *serverError) Unwrap() error { return e.said }

// identifier quotes a name.
func identifier(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// literal quotes a text, whether a backslash in a string is one (standard_conforming_strings) or
// not.
func literal(text string) string {
	return `E'` + strings.NewReplacer(`'`, `''`, `\`, `\\`).Replace(text) + `'`
}
