package database

import (
	"context"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// far is a connection with another computer.
type far struct {
	net.Conn
	ip string
}

func (f far) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.ParseIP(f.ip), Port: 5432} }

// A server on another computer that asks for a password as it is does not get it without TLS,
// whatever its address says. One on this computer does.
func TestPasswordsAreNotSentInClear(t *testing.T) {
	for _, c := range []struct {
		ip, more string
		sent     bool
	}{
		{"203.0.113.9", "", false},
		{"203.0.113.9", "&require_auth=password", false},
		{"203.0.113.9", "&require_auth=!md5", false},
		{"203.0.113.9", "&require_auth=password,md5", false},
		{"127.0.0.1", "", true},
		{"::1", "", true},
	} {
		config, err := pgconn.ParseConfig("postgres://u@h/d?sslmode=disable" + c.more)
		if err != nil {
			t.Fatal(err)
		}
		config.Password = "Geh31m"
		config.LookupFunc = func(context.Context, string) ([]string, error) {
			return []string{c.ip}, nil
		}
		here, there := net.Pipe()
		config.DialFunc = func(context.Context, string, string) (net.Conn, error) {
			return far{here, c.ip}, nil
		}
		said := make(chan string, 1)
		go func() {
			defer there.Close()
			said <- asksInClear(there)
		}()
		neverClear(config)
		_, err = pgconn.ConnectConfig(t.Context(), config)
		if err == nil {
			t.Fatalf("%s: connected", c.ip)
		}
		if got := <-said; (got == "Geh31m") != c.sent {
			t.Errorf("%s%s: %q was sent", c.ip, c.more, got)
		}
		if why := connectFault(err, "u"); !c.sent && !strings.Contains(why, "sslmode=require") {
			t.Errorf("%s%s: %s", c.ip, c.more, why)
		}
	}
}

// asksInClear is a server that wants the password as it is, and then has an end; it tells it.
func asksInClear(conn net.Conn) string {
	b := pgproto3.NewBackend(conn, conn)
	if _, err := b.ReceiveStartupMessage(); err != nil {
		return err.Error()
	}
	b.Send(&pgproto3.AuthenticationCleartextPassword{})
	if err := b.Flush(); err != nil {
		return err.Error()
	}
	if err := b.SetAuthType(pgproto3.AuthTypeCleartextPassword); err != nil {
		return err.Error()
	}
	switch m, err := b.Receive(); m := m.(type) {
	case *pgproto3.PasswordMessage:
		return m.Password
	default:
		return "none: " + err.Error()
	}
}
