package database

import (
	"context"
	"fmt"

	"mingle/dataset/rows"
)

// apart refuses to replace a table that is read for the original. Whether it is is what the server
// says: one table has many names, and one server many addresses. When a statement is prepared, the
// server locks all tables that it names, and those of the views that it names, until the
// transaction ends. What functions read, or a table reads from tables that inherit from it, is not
// seen.
func (o Opener) apart(ctx context.Context, to *server, object string, opts rows.Options) error {
	from, err := o.connect(ctx, *opts.Original)
	if err != nil {
		return err
	}
	defer from.end()
	if err := from.begin(ctx, toRead); err != nil {
		return err
	}
	there, err := to.base(ctx)
	if err != nil {
		return err
	}
	if here, err := from.base(ctx); err != nil || here != there {
		return err
	}
	query := opts.Query
	if query == "" {
		query, err = from.wholeTable(ctx, opts.Original.Table)
	}
	if err == nil {
		_, err = from.columns(ctx, trimmed(query))
	}
	if err != nil {
		return err
	}
	locked, err := from.rows(ctx, `SELECT FROM pg_locks WHERE pid = pg_backend_pid()
		AND locktype = 'relation' AND relation = $1::oid`, object)
	if err == nil && len(locked) > 0 {
		err = fmt.Errorf(inputText, from.name)
	}
	return err
}

// base tells one database of one server from all others, whatever their addresses are. Copies of a
// server that follow it are one with it. Where that may not be read, the time at which the server
// was started takes its place.
func (s *server) base(ctx context.Context) (string, error) {
	may, err := s.rows(ctx, `SELECT has_function_privilege(
		to_regprocedure('pg_control_system()'), 'EXECUTE')`)
	if err != nil {
		return "", err
	}
	from := "pg_postmaster_start_time()"
	if may[0][0] == "t" {
		from = "(SELECT system_identifier FROM pg_control_system())"
	}
	found, err := s.rows(ctx, "SELECT "+from+", oid FROM pg_database "+
		"WHERE datname = current_database()")
	if err != nil {
		return "", err
	}
	return found[0][0] + " " + found[0][1], nil
}
