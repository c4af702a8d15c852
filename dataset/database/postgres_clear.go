package database

import (
	"context"
	"crypto/tls"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// neverClear keeps a password from being sent as it is over a network: a server that asks for it so
// gets it through TLS, or on this computer. The address of the server, which may be somebody else's
// in a release file, cannot allow it.
func neverClear(config *pgconn.Config) {
	asked := config.RequireAuth
	config.AfterNetConnect = func(
		_ context.Context, c *pgconn.Config, conn net.Conn,
	) (net.Conn, error) {
		c.RequireAuth = asked // the driver looks at it next, for each host anew
		if !private(conn) {
			c.RequireAuth = withoutClear(asked)
		}
		return conn, nil
	}
}

// private tells whether nobody else hears what is said.
func private(conn net.Conn) bool {
	if _, is := conn.(*tls.Conn); is {
		return true
	}
	switch at := conn.RemoteAddr().(type) {
	case *net.UnixAddr:
		return true
	case *net.TCPAddr:
		return at.IP.IsLoopback()
	}
	return false
}

// noClear is how libpq's require_auth says that a password is not sent as it is.
const noClear = "!password"

// withoutClear are the ways in that are asked for, in the form of require_auth, but for that one.
func withoutClear(asked string) string {
	var kept []string
	for _, way := range strings.Split(asked, ",") {
		if way = strings.TrimSpace(way); way != "" && way != "password" {
			kept = append(kept, way)
		}
	}
	if len(kept) == 0 || strings.HasPrefix(kept[0], "!") && !slices.Contains(kept, noClear) {
		kept = append(kept, noClear)
	}
	return strings.Join(kept, ",")
}
