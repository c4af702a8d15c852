package main

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/rogpeppe/go-internal/testscript"

	"mingle/internal/pgtest"
)

// sqliteRun FILE SQL: runs statements on a file of SQLite, which is made where there is none.
func sqliteRun(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sqlite FILE SQL")
	}
	db, err := sql.Open("sqlite", ts.MkAbs(args[0]))
	ts.Check(err)
	defer db.Close()
	_, err = db.Exec(args[1])
	ts.Check(err)
}

// postgresRun SQL: runs statements on the server of $PG; its standard output is the rows of the
// last one.
func postgresRun(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: sql SQL")
	}
	text, err := ask(ts.Getenv("PG"), args[0])
	ts.Check(err)
	_, err = ts.Stdout().Write([]byte(text))
	ts.Check(err)
}

// ask runs statements on a server, and returns the rows of the last one, a line each.
func ask(url, statements string) (string, error) {
	conn, err := pgconn.Connect(context.Background(), url)
	if err != nil {
		return "", err
	}
	defer conn.Close(context.Background())
	results, err := conn.Exec(context.Background(), statements).ReadAll()
	var out strings.Builder
	if err == nil && len(results) > 0 {
		for _, row := range results[len(results)-1].Rows {
			out.Write(append(bytes.Join(row, []byte("|")), '\n'))
		}
	}
	return out.String(), err
}

// write FILE TEMPLATE: the template with the folder of the server's socket in it.
func writeSocket(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: write FILE TEMPLATE")
	}
	_, socket, _ := strings.Cut(ts.Getenv("PG"), "host=")
	text := strings.ReplaceAll(ts.ReadFile(args[1]), "SOCKET", socket)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// The scripts of testdata/postgres, each with a server of its own.
func TestPostgresScripts(t *testing.T) {
	s := pgtest.Start(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/postgres", Cmds: scriptCommands, Condition: condition,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PG", s.URL)
			return nil
		},
	})
}
