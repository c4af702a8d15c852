package database

import (
	"context"
	"errors"
	"slices"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// A query of SQLite is text of the user, and the driver runs all statements that a text has. So
// several things keep it from anything but reading, each of them enough for most:
//
//   - The file is opened to be read only, with query_only and in defensive mode (see uri).
//   - No other file can be attached, to which that would not apply.
//   - SQLite asks, of every part of every statement, whether it is allowed (see mayRead).
//   - The text is one statement (see one).

// longest is how many bytes a value may have before a query is given up. Values of more than 16 MiB
// are not read in any case; without a limit one may have a gigabyte.
const longest = 64 << 20

// confine takes from a connection what is needed neither to read nor to write a table.
func (f *sqliteFile) confine(mode string) error {
	if _, err := sqlite.Limit(f.Conn, sqlite3.SQLITE_LIMIT_ATTACHED, 0); err != nil {
		return err
	}
	if mode != readOnly {
		return nil
	}
	if _, err := sqlite.Limit(f.Conn, sqlite3.SQLITE_LIMIT_LENGTH, longest); err != nil {
		return err
	}
	return f.authorize(mayRead)
}

// authorize lets SQLite ask what a statement may do.
func (f *sqliteFile) authorize(may sqlite.AuthorizerFn) error {
	return f.Raw(func(driver any) error {
		asked, is := driver.(sqlite.AuthorizerRegisterer)
		if !is {
			return errors.New("the driver of SQLite cannot be told what a query may do")
		}
		return asked.RegisterAuthorizer(may)
	})
}

// mayRead allows what reads. The one PRAGMA tells whether the file has changed: tables of full
// texts (FTS5) ask for it when they are read. Tables of boxes (R*Tree) prepare writes to the tables
// that they are made of, when they are read, too. A query that does so is still no SELECT, and the
// file not one to be written.
func mayRead(
	action sqlite.AuthorizerActionCode, first, second, _, _ string,
) sqlite.AuthorizerReturnCode {
	allowed := false
	switch action {
	case sqlite.AuthSelect, sqlite.AuthRead, sqlite.AuthRecursive:
		allowed = true
	case sqlite.AuthFunction:
		allowed = !slices.Contains(forbidden, strings.ToLower(second))
	case sqlite.AuthPragma:
		allowed = strings.EqualFold(first, "data_version") && second == ""
	case sqlite.AuthInsert, sqlite.AuthUpdate, sqlite.AuthDelete:
		allowed = slices.ContainsFunc(ofBoxes, func(end string) bool {
			return strings.HasSuffix(strings.ToLower(first), end)
		})
	}
	if allowed {
		return sqlite.AuthorizerOK
	}
	return sqlite.AuthorizerDeny
}

// ofBoxes are the ends of the names of the tables that an R*Tree is made of.
var ofBoxes = []string{"_node", "_rowid", "_parent"}

// forbidden are the functions that run code from elsewhere.
var forbidden = []string{"load_extension", "fts3_tokenizer"}

// within makes a query part of another one, so that it can only be a SELECT. What a comment at its
// end might swallow stands on a line of its own.
func within(query string) string { return "SELECT * FROM (" + query + "\n)" }

// one refuses a text that is not one statement, by SQLite's own parser, which knows comments,
// strings and brackets. It is given the text alone, and then the text in brackets, and reads up to
// the first semicolon. A text with a semicolon does not pass both: what stands before that would
// have to be whole by itself, with all its brackets closed, and to close one bracket more.
func (f *sqliteFile) one(ctx context.Context, query string) error {
	if strings.Contains(query, "\x00") {
		return errors.New("the text has a null byte, which ends it for SQLite")
	}
	for _, text := range []string{query, within(query)} {
		prepared, err := f.PrepareContext(ctx, text)
		if err != nil {
			return err
		}
		prepared.Close()
	}
	return nil
}
