package rows

import (
	"cmp"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Shown is what messages and reports call a location: host, database and table, nothing else. A
// directory would tell of the machine, a user of the house.
func Shown(path string) string {
	l, err := Parse(path)
	if err != nil {
		return "the database"
	}
	var parts []string
	if l.Kind == SQLite {
		parts = append(parts, filepath.Base(l.Address))
	} else if u, err := url.Parse(l.Address); err == nil {
		parts = shownServer(u)
	}
	parts = append(parts, l.Table)
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	if len(parts) == 0 {
		return "the database"
	}
	return strings.Join(parts, "/")
}

// shownServer is the host and the database of an address. What the address does not have comes from
// a service, of which the name is shown, or from the variables that libpq reads.
func shownServer(u *url.URL) []string {
	query := u.Query()
	host, port := query.Get("host"), query.Get("port")
	if u.Host != "" {
		host, port = u.Hostname(), u.Port()
		if strings.Contains(u.Host, ",") || strings.Contains(host, ":") { // several, or a number
			host = strings.TrimSuffix(u.Host, ":"+port)
		}
	}
	database := cmp.Or(strings.Trim(u.Path, "/"), query.Get("dbname"), query.Get("database"))
	if service := cmp.Or(query.Get("service"), os.Getenv("PGSERVICE")); service != "" {
		if host == "" && database == "" {
			return []string{service}
		}
	} else {
		host, port = cmp.Or(host, os.Getenv("PGHOST")), cmp.Or(port, os.Getenv("PGPORT"))
		database = cmp.Or(database, os.Getenv("PGDATABASE"))
	}
	if strings.HasPrefix(host, "/") { // a directory of this machine
		host = ""
	}
	if host != "" && port != "" {
		host += ":" + port
	}
	return []string{host, database}
}
