package database

import "context"

// Who may create functions, operators or types in a schema of the search path could let this
// program's statements run them, with its user's rights: what fits the arguments best is taken, in
// whatever schema it is. So its own statements look names up in the catalogue alone, and what the
// user wrote is looked up where the user's names are. So is what others have run when tables are
// made and dropped (event triggers). All settings end with the transaction: a pool of connections
// may give the next one to somebody else.

// ownPath is where the program's names are looked up. Temporary tables would come first if they
// were not named.
const ownPath = "pg_catalog, pg_temp"

// settings are those of a transaction. Rows come in the order in which they lie in a table, as far
// as no query says another: a large table is not begun in its middle because somebody else is
// reading it, and not read by several processes.
const settings = "SET LOCAL search_path = " + ownPath + "; " +
	"SET LOCAL synchronize_seqscans = off; " +
	"SET LOCAL max_parallel_workers_per_gather = 0; " +
	"SET LOCAL idle_in_transaction_session_timeout = 0"

// The kinds of transactions. One that looks at what others do, after it waited for them, must not
// see an earlier state: so none is left to what the server has as its default.
const (
	toRead  = "ISOLATION LEVEL REPEATABLE READ READ ONLY"
	toLook  = "ISOLATION LEVEL READ COMMITTED READ ONLY"
	toWrite = "ISOLATION LEVEL READ COMMITTED"
)

// begin begins a transaction.
func (s *server) begin(ctx context.Context, kind string) error {
	results, err := s.Exec(ctx, "BEGIN "+kind+"; SHOW search_path; "+settings).ReadAll()
	if err != nil {
		return s.explain(ctx, err)
	}
	s.path = string(results[1].Rows[0][0])
	return nil
}

// asUser does something while names are looked up where the user's are. All names of statements of
// the program in it must have their schema, also those of operators. An error ends the transaction.
func (s *server) asUser(ctx context.Context, do func() error) error {
	err := s.lookUp(ctx, s.path)
	if err == nil {
		err = do()
	}
	if err == nil {
		err = s.lookUp(ctx, ownPath)
	}
	return err
}

func (s *server) lookUp(ctx context.Context, path string) error {
	_, err := s.rows(ctx, "SELECT pg_catalog.set_config('search_path', $1, true)", path)
	return err
}
