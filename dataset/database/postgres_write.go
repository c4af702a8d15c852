package database

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"mingle/dataset/rows"
	"mingle/internal/disk"
)

// postgresTable is a table that is being written, in a transaction that ends with it.
type postgresTable struct {
	ctx    context.Context
	opener Opener
	server *server
	to     rows.Location
	force  bool

	incoming
	staging       string // the table's name until it is placed
	schema, table string
	object        string // the table's number in the catalogue, which a new name leaves
}

// stagingName is one that nobody uses.
func stagingName() string {
	var random [8]byte
	rand.Read(random[:]) // never fails, see crypto/rand
	return "mingle_" + hex.EncodeToString(random[:])
}

// existing is a table that stands where another shall be.
type existing struct{ object, owner, comment string }

// checkPostgres looks in a transaction that changes nothing.
func (o Opener) checkPostgres(ctx context.Context, to rows.Location, opts rows.Options) error {
	s, err := o.connect(ctx, to)
	if err != nil {
		return err
	}
	defer s.end()
	t := &postgresTable{ctx: ctx, opener: o, server: s, to: to, force: opts.Force}
	if err := s.begin(ctx, toLook); err != nil {
		return err
	}
	if err := t.find(); err != nil {
		return err
	}
	former, err := t.mayReplace()
	if err != nil || former == nil || opts.Original == nil || opts.Original.Kind != rows.Postgres {
		return err
	}
	return o.apart(ctx, s, former.object, opts)
}

func (o Opener) createPostgres(
	ctx context.Context, to rows.Location, opts rows.Options,
) (rows.Table, error) {
	s, err := o.connect(ctx, to)
	if err != nil {
		return nil, err
	}
	t := &postgresTable{
		ctx: ctx, opener: o, server: s, to: to, force: opts.Force, staging: stagingName(),
	}
	t.incoming = incoming{begin: t.create}
	if err = s.begin(ctx, toWrite); err == nil {
		err = t.find()
	}
	if err == nil {
		_, err = t.mayReplace()
	}
	if err != nil {
		s.end()
		return nil, err
	}
	return t, nil
}

// find finds the schema and the name of the table, as SQL reads them.
func (t *postgresTable) find() error {
	parts, err := t.server.rows(t.ctx, "SELECT * FROM unnest(parse_ident($1))", t.to.Table)
	if err != nil {
		return err
	}
	switch len(parts) {
	case 1:
		var current [][]string
		err := t.server.asUser(t.ctx, func() (err error) {
			current, err = t.server.rows(t.ctx, "SELECT pg_catalog.current_schema()")
			return err
		})
		if err != nil {
			return err
		}
		if t.schema = current[0][0]; t.schema == "" {
			return fmt.Errorf("%s: no schema of the search path is there: name one, as in "+
				"schema.table", t.server.name)
		}
	case 2:
		t.schema = parts[0][0]
	default:
		return fmt.Errorf("%s: a table is named schema.table", t.server.name)
	}
	t.table = parts[len(parts)-1][0]
	if len(t.table) > 63 {
		return fmt.Errorf("%s: the name of the table is longer than 63 bytes", t.server.name)
	}
	may, err := t.server.rows(t.ctx, "SELECT has_schema_privilege(oid, 'CREATE') FROM pg_namespace "+
		"WHERE nspname = $1", t.schema)
	switch {
	case err != nil:
		return err
	case len(may) == 0:
		return fmt.Errorf("%s: there is no schema %s", t.server.name, t.schema)
	case may[0][0] != "t":
		return fmt.Errorf("%s: this user may not create tables in schema %s: it takes GRANT CREATE "+
			"ON SCHEMA", t.server.name, t.schema)
	}
	return nil
}

func (t *postgresTable) qualified(name string) string {
	return identifier(t.schema) + "." + identifier(name)
}

// mayReplace finds the table that is replaced, nil where there is none. It refuses one that the
// program did not write, and one whose place a new table could not take: on which views lean, or
// which shows its readers some of its rows only.
func (t *postgresTable) mayReplace() (*existing, error) {
	name := t.schema + "." + t.table
	found, err := t.server.rows(t.ctx, `SELECT c.oid, pg_get_userbyid(c.relowner), c.relkind = 'r',
		coalesce(obj_description(c.oid, 'pg_class'), ''), c.relrowsecurity,
		pg_has_role(c.relowner, 'MEMBER'),
		coalesce((SELECT string_agg(DISTINCT v.ev_class::regclass::text, ', ') FROM pg_depend d
			JOIN pg_rewrite v ON v.oid = d.objid AND d.classid = 'pg_rewrite'::regclass
			WHERE d.refobjid = c.oid AND v.ev_class <> c.oid), ''),
		coalesce((SELECT string_agg(DISTINCT f.conrelid::regclass::text, ', ')
			FROM pg_constraint f WHERE f.confrelid = c.oid AND f.conrelid <> c.oid), '')
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = $1 AND c.relname = $2`, t.schema, t.table)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	row := found[0]
	refuse := func(format string, args ...any) (*existing, error) {
		return nil, fmt.Errorf("%s: %w", t.server.name, fmt.Errorf(format, args...))
	}
	switch {
	case !t.force:
		return refuse(existsText, name, disk.ErrExists)
	case row[2] != "t" || !strings.HasPrefix(row[3], mark):
		return refuse(foreignText, name)
	case row[4] == "t":
		return refuse("table %s has row level security, which a new table would not have: choose "+
			"another name", name)
	case row[5] != "t":
		return refuse("table %s belongs to %s, and this user may not replace it", name, row[1])
	case row[6] != "":
		return refuse("table %s cannot be replaced: the views %s read it. Choose another name, or "+
			"drop them before and create them after", name, row[6])
	case row[7] != "":
		return refuse("table %s cannot be replaced: the tables %s refer to it", name, row[7])
	}
	return &existing{row[0], row[1], row[3]}, nil
}

// change runs statements that change what tables there are. Others may have functions run then, and
// these find their names where the user's are.
func (t *postgresTable) change(statements string) error {
	return t.server.asUser(t.ctx, func() error { return t.server.run(t.ctx, statements) })
}

// create creates the table.
func (t *postgresTable) create() (*sink, error) {
	var columns []string
	for _, c := range t.header.Columns {
		columns = append(columns, identifier(c.Name)+" pg_catalog."+c.TypeName)
	}
	err := t.change("CREATE TABLE " + t.qualified(t.staging) + " (" +
		strings.Join(columns, ", ") + ")")
	if err != nil {
		return nil, err
	}
	return drain(func(r io.Reader) error {
		_, err := t.server.CopyFrom(t.ctx, r, "COPY "+t.qualified(t.staging)+
			" FROM STDIN (FORMAT binary)")
		return t.server.explain(t.ctx, err)
	}), nil
}

// Back streams the table from within the transaction.
func (t *postgresTable) Back(ctx context.Context) (io.ReadCloser, error) {
	query := "SELECT * FROM " + t.qualified(t.staging)
	columns, err := t.server.columns(ctx, query)
	if err != nil {
		return nil, err
	}
	return stream(ctx, t.server.copy(query, columns), nil), nil
}

// Place does everything but to commit: the table gets its name, and the rights, the owner and the
// comment of the one that it replaces.
func (t *postgresTable) Place() error {
	wait := fmt.Sprintf("SET LOCAL lock_timeout = %d", patience.Milliseconds())
	if err := t.server.run(t.ctx, wait); err != nil {
		return err
	}
	former, err := t.hold()
	if err != nil {
		return err
	}
	staging := t.qualified(t.staging)
	object, err := t.server.rows(t.ctx, "SELECT to_regclass($1)::oid", staging)
	if err != nil {
		return err
	}
	t.object = object[0][0]
	comment := mark
	var statements []string
	if former != nil {
		if statements, err = t.inherit(former); err != nil {
			return err
		}
		comment = former.comment
	}
	statements = append(
		statements, "COMMENT ON TABLE "+staging+" IS "+literal(comment),
		"ALTER TABLE "+staging+" RENAME TO "+identifier(t.table),
	)
	if err := t.change(strings.Join(statements, "; ")); err != nil {
		return t.placing(err)
	}
	if err := t.appeared(former); err != nil {
		return err
	}
	return t.server.lookUp(t.ctx, t.server.path) // what waits for the COMMIT is run there, too
}

// placing is an error with the name of the table.
func (t *postgresTable) placing(err error) error {
	return fmt.Errorf("table %s.%s: %w", t.schema, t.table, inUse(err))
}

// hold is mayReplace, and keeps others from the table until the transaction ends. While a lock is
// waited for, the name can become that of another table, or the table can become one that is not
// replaced: so it is looked at again under the lock. LOCK TABLE would need a right to write to the
// table, which who publishes may have taken from all; owners may alter it, if only to be without
// what it never had.
func (t *postgresTable) hold() (*existing, error) {
	seen, err := t.mayReplace()
	for range 3 {
		if err != nil || seen == nil {
			return nil, err
		}
		lock := "ALTER TABLE ONLY " + t.qualified(t.table) + " SET WITHOUT OIDS"
		if err := t.change(lock); err != nil {
			return nil, t.placing(err)
		}
		before := seen.object
		if seen, err = t.mayReplace(); err == nil && seen != nil && seen.object == before {
			return seen, nil
		}
	}
	if err == nil {
		err = t.placing(errors.New("others replaced it meanwhile, more than once: try again"))
	}
	return nil, err
}

// appeared looks whether the name is that of the new table now, and whether it was the former table
// that was dropped: a schema can get another name, too.
func (t *postgresTable) appeared(former *existing) error {
	old := "0" // which no table has
	if former != nil {
		old = former.object
	}
	found, err := t.server.rows(t.ctx, `SELECT c.oid FROM pg_class c
		JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = $1 AND c.relname = $2 OR c.oid = $3::oid`, t.schema, t.table, old)
	if err == nil && (len(found) != 1 || found[0][0] != t.object) {
		err = t.placing(errors.New("others changed it meanwhile: try again"))
	}
	return err
}

// inherit gives the new table the rights on the former one, and no others: the defaults of the
// schema may be wider.
func (t *postgresTable) inherit(former *existing) (statements []string, err error) {
	grants := func(object string) ([][]string, error) {
		return t.server.rows(t.ctx, `SELECT CASE WHEN a.grantee = 0 THEN 'PUBLIC'
			ELSE quote_ident(pg_get_userbyid(a.grantee)) END, a.privilege_type, a.is_grantable
			FROM pg_class c, aclexplode(c.relacl) a
			WHERE c.oid = $1::oid AND a.grantee <> c.relowner`, object)
	}
	own, err := grants(t.object)
	if err != nil {
		return nil, err
	}
	old, err := grants(former.object)
	if err != nil {
		return nil, err
	}
	staging := t.qualified(t.staging)
	for _, g := range own {
		statements = append(statements, "REVOKE ALL ON "+staging+" FROM "+g[0])
	}
	for _, g := range old {
		grant := "GRANT " + g[1] + " ON " + staging + " TO " + g[0]
		if g[2] == "t" {
			grant += " WITH GRANT OPTION"
		}
		statements = append(statements, grant)
	}
	return append(
		statements, "ALTER TABLE "+staging+" OWNER TO "+identifier(former.owner),
		"DROP TABLE "+t.qualified(t.table),
	), nil
}

// inUse says what to do where others read the table that is to be replaced.
func inUse(err error) error {
	var e *serverError
	if errors.As(err, &e) && e.said.Code == "55P03" {
		return fmt.Errorf("others used the table for %v, so that it was not replaced: try again "+
			"when they are done (%w)", patience, err)
	}
	return err
}

// Commit makes the table appear. Where the connection is lost meanwhile, another one is asked which
// table is there now.
func (t *postgresTable) Commit() error {
	defer t.server.end()
	ctx, done := context.WithTimeout(context.Background(), 2*patience)
	defer done()
	_, err := t.server.Exec(ctx, "COMMIT").ReadAll()
	if err == nil {
		return nil
	}
	var e *serverError
	if said := t.server.explain(context.Background(), err); errors.As(said, &e) {
		return said // the server refused
	}
	return t.afterLoss(err)
}

// afterLoss asks which table is there.
func (t *postgresTable) afterLoss(lost error) error {
	ctx, done := context.WithTimeout(context.Background(), patience)
	defer done()
	unknown := fmt.Errorf("%s: the connection was lost when the table was to appear (%v): %w. Look "+
		"whether table %s.%s is the new one", t.server.name, lost, rows.ErrUnknown, t.schema, t.table)
	for range 3 {
		again, err := t.opener.connect(ctx, t.to)
		if err != nil {
			time.Sleep(time.Second)
			continue
		}
		defer again.end()
		var found [][]string
		if err = again.begin(ctx, toLook); err == nil {
			found, err = again.rows(ctx, "SELECT coalesce(to_regclass($1)::oid, 0)",
				t.qualified(t.table))
		}
		switch {
		case err != nil:
			return unknown
		case found[0][0] == t.object:
			return nil
		}
		// the server may not have noticed yet: a transaction under way holds the new table
		busy, err := again.rows(ctx, "SELECT count(*) FROM pg_locks WHERE relation = $1::oid", t.object)
		if err == nil && busy[0][0] == "0" {
			return fmt.Errorf("%s: the connection was lost: %w", t.server.name, lost)
		}
		time.Sleep(time.Second)
	}
	return unknown
}

// Abort closes the connection, so that the server undoes everything.
func (t *postgresTable) Abort() {
	t.sink.finish(errAborted)
	if !t.server.IsClosed() {
		t.server.end()
	}
}

var errAborted = errors.New("the table is not wanted any more")
