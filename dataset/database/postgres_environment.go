package database

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"mingle/internal/disk"
)

// unread are settings of libpq that the driver does not know: variables of the environment, with
// their names in an address, and the values that ask for nothing. Each is a check, or another
// server: without it the connection would be another one than psql makes, without a word.
var unread = []struct {
	variable, parameter string
	harmless            []string // in small letters
}{
	{"PGHOSTADDR", "hostaddr", nil},
	{"PGREQUIREPEER", "requirepeer", nil},
	{"PGGSSENCMODE", "gssencmode", []string{"disable", "prefer"}},
	{"PGSSLCRL", "sslcrl", nil},
	{"PGSSLCRLDIR", "sslcrldir", nil},
	{
		"PGSSLMINPROTOCOLVERSION", "ssl_min_protocol_version",
		[]string{"tlsv1", "tlsv1.1", "tlsv1.2"}, // Go takes 1.2 at least
	},
}

// checkUnread refuses what libpq would heed and the driver would not. What it does not know in an
// address, or in a service file, it would send to the server.
func checkUnread(config *pgconn.Config) error {
	for _, u := range unread {
		name, value := u.parameter, config.RuntimeParams[u.parameter]
		if value == "" {
			name, value = u.variable, os.Getenv(u.variable)
		}
		if value != "" && !slices.Contains(u.harmless, strings.ToLower(value)) {
			return fmt.Errorf("%s is set, which is not heeded here: unset it, if the connection "+
				"may be made without it", name)
		}
		delete(config.RuntimeParams, u.parameter)
	}
	return nil
}

// checkPasswordFile refuses a password that comes from a file which others may read, as libpq does.
func checkPasswordFile(config *pgconn.Config, address string) error {
	file := passwordFile(address)
	if config.Password == "" || file == "" || runtime.GOOS == "windows" {
		return nil
	}
	info, err := disk.Stat(file)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	sep := "?"
	if strings.Contains(address, "?") {
		sep = "&"
	}
	without, err := pgconn.ParseConfig(address + sep + "passfile=" + url.QueryEscape(os.DevNull))
	if err == nil && without.Password == config.Password {
		return nil // it comes from elsewhere
	}
	return fmt.Errorf("others may read the file of the password, %s, so that it is not used: "+
		"chmod 600 takes that from them", filepath.Base(file))
}

// passwordFile is the file in which a password is looked for; "": none is known.
func passwordFile(address string) string {
	if u, err := url.Parse(address); err == nil && u.Query().Get("passfile") != "" {
		return u.Query().Get("passfile")
	}
	if file := os.Getenv("PGPASSFILE"); file != "" {
		return file
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".pgpass")
}
