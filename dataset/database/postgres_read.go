package database

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"mingle/dataset/rows"
)

// readPostgres streams a table or a query by COPY, in its binary form.
func (o Opener) readPostgres(
	ctx context.Context, from rows.Location, query string,
) (io.ReadCloser, error) {
	query = trimmed(query)
	s, err := o.connect(ctx, from)
	if err != nil {
		return nil, err
	}
	if err = s.begin(ctx, toRead); err == nil && query == "" {
		query, err = s.wholeTable(ctx, from.Table)
	}
	var columns []rows.Column
	if err == nil {
		columns, err = s.columns(ctx, query)
	}
	if err == nil {
		err = s.lookUp(ctx, s.path)
	}
	if err != nil {
		s.end()
		return nil, err
	}
	return stream(ctx, s.copy(query, columns), s.end), nil
}

// trimmed is a query without what may end it.
func trimmed(query string) string { return strings.TrimRight(query, "; \t\r\n") }

// copy writes the stream of a query. What a comment at its end might swallow stands on a line of
// its own.
func (s *server) copy(query string, columns []rows.Column) func(context.Context, io.Writer) error {
	return func(ctx context.Context, w io.Writer) error {
		_, err := w.Write(rows.HeaderOf(columns))
		if err == nil {
			s.tap.begin(w)
			_, err = s.CopyTo(ctx, io.Discard, "COPY ("+query+"\n) TO STDOUT (FORMAT binary)")
			s.tap.begin(nil)
			err = s.plain(ctx, err)
		}
		return err
	}
}

// wholeTable is the query of a table, whose name is taken as SQL does: in small letters unless it
// is quoted, and along the search path where it has no schema.
func (s *server) wholeTable(ctx context.Context, table string) (string, error) {
	var found [][]string
	err := s.asUser(ctx, func() (err error) {
		found, err = s.rows(ctx, "SELECT n.nspname, c.relname FROM pg_catalog.pg_class c "+
			"JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace "+
			"WHERE c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass($1)", table)
		return err
	})
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "", fmt.Errorf("%s: there is no table %s that this user can see: write it as in SQL, "+
			"with its schema, and in double quotes where it has capitals", s.name, table)
	}
	return "SELECT * FROM " + identifier(found[0][0]) + "." + identifier(found[0][1]), nil
}

// columns are those of a query, which the server is asked about before it runs. It also refuses
// what is several statements.
func (s *server) columns(ctx context.Context, query string) ([]rows.Column, error) {
	var prepared *pgconn.StatementDescription
	err := s.asUser(ctx, func() (err error) {
		if prepared, err = s.Prepare(ctx, "", query, nil); err != nil {
			err = s.refusedQuery(ctx, err, query)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(prepared.Fields) == 0 {
		return nil, fmt.Errorf("%s: the query gives no rows: it must be a SELECT", s.name)
	}
	if len(prepared.ParamOIDs) > 0 {
		return nil, fmt.Errorf("%s: the query has parameters ($1): write the values out", s.name)
	}
	var out []rows.Column
	for _, f := range prepared.Fields {
		out = append(out, rows.Column{Name: f.Name, Type: rows.Type(f.DataTypeOID)})
	}
	return out, s.nameTypes(ctx, out)
}

// refusedQuery says where a query is wrong.
func (s *server) refusedQuery(ctx context.Context, err error, query string) error {
	var said *pgconn.PgError
	if !errors.As(err, &said) || ctx.Err() != nil {
		return s.explain(ctx, err)
	}
	where := ""
	if before := []rune(query); said.Position > 0 && int(said.Position) <= len(before) {
		from := said.Position - 1
		where = fmt.Sprintf(" at %q", string(before[from:min(len(before), int(from)+20)]))
	}
	text := s.explain(ctx, err).Error()
	return fmt.Errorf("%s%s: the server refuses the query: give another one with --query", text,
		where)
}

// nameTypes finds out about types that are not PostgreSQL's own: those that are texts are read as
// such.
func (s *server) nameTypes(ctx context.Context, columns []rows.Column) error {
	var list []string
	for _, c := range columns {
		list = append(list, strconv.FormatUint(uint64(c.Type), 10))
	}
	found, err := s.rows(ctx, `SELECT t.oid, format_type(t.oid, NULL),
		t.typtype = 'e' OR t.typname = 'citext',
		t.typlen = -1 AND (e.typtype = 'e' OR e.typname = 'citext')
		FROM pg_type t LEFT JOIN pg_type e ON e.oid = t.typelem
		WHERE t.oid = ANY (('{' || $1::text || '}')::oid[])`, strings.Join(list, ","))
	if err != nil {
		return err
	}
	for i := range columns {
		for _, t := range found {
			if t[0] != list[i] {
				continue
			}
			columns[i].TypeName = t[1]
			switch {
			case t[2] == "t":
				columns[i].Type = rows.Text
			case t[3] == "t":
				columns[i].Type = rows.TextArray
			}
		}
	}
	return nil
}
