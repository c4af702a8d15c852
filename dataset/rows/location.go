package rows

import (
	"encoding/hex"
	"errors"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Kind is a kind of database.
type Kind int

// The kinds of databases.
const (
	Postgres Kind = iota
	SQLite
)

// Location is where the rows of a database are, or shall be. It is written as one word, which
// stands wherever the name of a file may: postgres://user@host/database#schema.table,
// sqlite:file.db#table, or the name of a file with an extension of SQLite. A location never has a
// password.
type Location struct {
	Kind    Kind
	Address string // of a server: the URL without table and password; of SQLite: the file
	Table   string // with its schema, where one is named; "": none is named
}

// Extensions are those that mean a file of SQLite.
var Extensions = []string{".db", ".sqlite", ".sqlite3"}

const sqlitePrefix = "sqlite:"

// ErrPassword says that a password stands where it can be read by others. It does not repeat it.
var ErrPassword = errors.New("the address of the database has a password in it, which others can " +
	"read (in the list of processes, in a history, in a file under review): leave it out, and give " +
	"it by PGPASSWORD, ~/.pgpass or a service file; a release file or a plan may have ${NAME} there")

// errAddress does not repeat the address: where a password begins cannot be told.
var errAddress = errors.New("this is no address of a database, such as " +
	"postgres://user@host/database#schema.table")

// Is tells whether a word is a location, whether it can be read as one or not.
func Is(path string) bool {
	return isServer(path) || isSQLite(path) || isMisspelt(path) || foreign.MatchString(path) ||
		slices.Contains(Extensions, strings.ToLower(filepath.Ext(path)))
}

func isSQLite(path string) bool { return strings.HasPrefix(path, sqlitePrefix) }

func isServer(path string) bool {
	scheme, _, found := strings.Cut(path, "://")
	scheme = strings.ToLower(scheme)
	return found && (scheme == "postgres" || scheme == "postgresql")
}

// isMisspelt tells whether the address of a server was meant: as other programs write it, or with a
// slash too few. Taken for the name of a file it would be repeated, with the password in it.
func isMisspelt(path string) bool {
	return !isServer(path) && !isSQLite(path) && (misspelt.MatchString(path) || HasPassword(path))
}

var misspelt = regexp.MustCompile(`(?i)^postgres(ql)?(\+\w+)?:/`)

// foreign are addresses of databases that are not read.
var foreign = regexp.MustCompile(`(?i)^(jdbc|odbc|mysql|mysqlx|mariadb|mssql|sqlserver|oracle|` +
	`duckdb|mongodb|clickhouse|snowflake|redshift|bigquery|cockroachdb|db2)(\+\w+)?:`)

// errForeign does not repeat the address, either.
var errForeign = errors.New("this database is not read or written here: PostgreSQL " +
	"(postgres://user@host/database#schema.table) and SQLite (sqlite:FILE.db#TABLE) are; " +
	"or give a file")

// Parse reads a location. Its errors repeat nothing of it.
func Parse(path string) (Location, error) {
	switch {
	case isServer(path):
		return parseServer(path)
	case isSQLite(path):
		file, table, _ := cutLast(strings.TrimPrefix(path, sqlitePrefix), "#")
		if file == "" || strings.HasPrefix(file, ":memory:") {
			return Location{}, errors.New("no file is named: write sqlite:FILE.db#TABLE")
		}
		return Location{SQLite, file, unescapedTable.Replace(table)}, nil
	case isMisspelt(path) && HasPassword(path):
		return Location{}, ErrPassword
	case foreign.MatchString(path):
		return Location{}, errForeign
	case isMisspelt(path), path == "":
		return Location{}, errAddress
	}
	return Location{Kind: SQLite, Address: path}, nil
}

func parseServer(path string) (Location, error) {
	if HasPassword(path) {
		return Location{}, ErrPassword
	}
	address, table, _ := strings.Cut(path, "#")
	table, err := url.PathUnescape(table)
	if err != nil {
		return Location{}, errAddress
	}
	if _, err := url.Parse(address); err != nil {
		return Location{}, errAddress
	}
	return Location{Postgres, address, table}, nil
}

// secretParameters are those of an address that are passwords.
var secretParameters = []string{"password=", "sslpassword="}

// HasPassword tells whether a text has the address of a server with a password in it, also one that
// only other programs take. Where that cannot be told, because the address is broken, it does.
func HasPassword(text string) bool {
	lower := strings.ToLower(text)
	return serverHasPassword(lower) || slices.ContainsFunc(elsewhere, func(f foreignForm) bool {
		return strings.Contains(lower, f.has) && f.form.MatchString(lower)
	})
}

// foreignForm is a form of an address, of which a part is looked for first: that is faster.
type foreignForm struct {
	has  string
	form *regexp.Regexp
}

// elsewhere are the forms of an address with a password, in small letters, that other programs
// take, or that come of mistyping one: a URL of whatever scheme, with a user that no pattern of SQL
// is; the scheme without slashes; and words as libpq takes them, of which one is a password and one
// beside it is not, at the beginning of a text or behind the name of a flag or a field. Elsewhere
// such words are SQL.
var elsewhere = []foreignForm{
	{"://", regexp.MustCompile(
		`://(?:[^\s/:@?#%]|%[0-9a-f]{2})+:%*[^\s/@?#%][^\s/@?#]*@`,
	)},
	{"postgres", regexp.MustCompile(`\bpostgres(?:ql)?:[^\s/:@]+:[^\s@]+@`)},
	{"password", regexp.MustCompile(libpqStart + libpqWord + `+(?:ssl)?password\s*=\s*\S`)},
	{"password", regexp.MustCompile(libpqStart + `(?:ssl)?password\s*=\s*` + libpqValue + `\s+` +
		libpqName + `\s*=`)},
}

// The parts of what libpq takes.
const (
	libpqStart = `(?:\A|(?:\A|[^:])[=:]["']?)\s*`
	libpqName  = `(?:host|hostaddr|port|dbname|user|service|passfile|options|application_name|` +
		`client_encoding|connect_timeout|target_session_attrs|ssl[a-z_]+|gss[a-z]+|keepalives[a-z_]*)`
	libpqValue = `(?:'(?:[^'\\]|\\.)*'|\S*)`
	libpqWord  = `(?:` + libpqName + `\s*=\s*` + libpqValue + `\s+)`
)

// serverHasPassword looks at a text in small letters, from its first address of a server on.
func serverHasPassword(lower string) bool {
	if !strings.Contains(lower, "postgres") {
		return false
	}
	_, rest, found := cutServer(lower)
	if !found {
		return false
	}
	if before, _, has := cutLast(rest, "@"); has && strings.Contains(before, ":") {
		return true
	}
	rest = escaped.ReplaceAllStringFunc(rest, func(s string) string {
		b, _ := hex.DecodeString(s[1:]) // two digits, by the form
		return strings.ToLower(string(b))
	})
	return slices.ContainsFunc(secretParameters, func(name string) bool {
		return strings.Contains(rest, name)
	})
}

var escaped = regexp.MustCompile(`%[0-9a-f]{2}`)

var serverScheme = regexp.MustCompile(`(?i)postgres(ql)?(\+\w+)?:/+`)

// cutServer finds the first address of a server in a text.
func cutServer(text string) (before, rest string, found bool) {
	at := serverScheme.FindStringIndex(text)
	if at == nil {
		return text, "", false
	}
	return text[:at[0]], text[at[1]:], true
}

func cutLast(text, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(text, sep); i >= 0 {
		return text[:i], text[i+len(sep):], true
	}
	return text, "", false
}

// cutPassword takes the password out of an address such as postgres://user:password@host/database.
// It may have any characters but a colon before it and an at sign behind it.
func cutPassword(path string) (without, password string, err error) {
	if !isServer(path) {
		return path, "", nil
	}
	scheme, rest, _ := strings.Cut(path, "://")
	before, after, has := cutLast(rest, "@")
	user, password, secret := strings.Cut(before, ":")
	if !has || !secret {
		return path, "", nil
	}
	if strings.ContainsAny(user, "/?#") { // the sign stands in what follows the host
		return "", "", ErrPassword
	}
	return scheme + "://" + user + "@" + after, password, nil
}

// WithTable is the location with another table, in one word.
func WithTable(path, table string) (string, error) {
	l, err := Parse(path)
	if err != nil {
		return "", err
	}
	if l.Table != "" && l.Table != table {
		return "", errors.New("two tables are named: in the address " + quoted(l.Table) +
			", and beside it " + quoted(table))
	}
	l.Table = table
	return l.String(), nil
}

// String is the location in one word.
func (l Location) String() string {
	out := l.Address
	switch {
	case l.Kind == SQLite && (l.Table != "" || !Is(out) || isSQLite(out) || isServer(out) ||
		isMisspelt(out) || foreign.MatchString(out)):
		out = sqlitePrefix + out + "#" + escapedTable.Replace(l.Table)
	case l.Kind == Postgres && l.Table != "":
		out += "#" + (&url.URL{Path: l.Table}).EscapedPath()
	}
	return out
}

// The name of a table of SQLite may have the character that stands before it.
var (
	escapedTable   = strings.NewReplacer("%", "%25", "#", "%23")
	unescapedTable = strings.NewReplacer("%25", "%", "%23", "#")
)

// Within is a location of a file of SQLite that is relative, seen from a directory; others stay.
func Within(dir, path string) string {
	l, err := Parse(path)
	if err != nil || l.Kind != SQLite || filepath.IsAbs(l.Address) {
		return path
	}
	l.Address = filepath.Join(dir, l.Address)
	return l.String()
}

// File is the file that a location is in; "": it is on a server.
func File(path string) string {
	if l, err := Parse(path); err == nil && l.Kind == SQLite {
		return l.Address
	}
	return ""
}

func quoted(name string) string { return `"` + name + `"` }

// SameForSQLite finds the first two of some names of columns that differ, and that SQLite takes for
// one: it does not tell small letters of ASCII from capitals.
func SameForSQLite(names []string) (first, second string, found bool) {
	seen := map[string]string{}
	for _, name := range names {
		folded := strings.Map(func(r rune) rune {
			if 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
			return r
		}, name)
		if first, found = seen[folded]; found && first != name {
			return first, name, true
		}
		seen[folded] = name
	}
	return "", "", false
}
