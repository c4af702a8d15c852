package database

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// connectFault says why there is no connection, and what to do. It does not name the user.
func connectFault(err error, user string) string {
	if why := tlsFault(err); why != "" {
		return why
	}
	var said *pgconn.PgError
	if errors.As(err, &said) {
		return refusal(said.Code, strings.ReplaceAll(said.Message, ` "`+user+`"`, ""))
	}
	var net1 *net.OpError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("the server did not answer within %v", patience)
	case errors.As(err, &net1):
		return "no server answers (" + net1.Err.Error() + "): is the address right, and does it run?"
	}
	var lookup *net.DNSError
	if errors.As(err, &lookup) {
		return "the host is not known (" + lookup.Err + ")"
	}
	var outer *pgconn.ConnectError
	if errors.As(err, &outer) {
		err = outer.Unwrap() // without the user
	}
	lines := strings.Split(err.Error(), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	if strings.Contains(last, "require_auth") {
		return "the server lets nobody in by a way that is allowed: a password is not sent in clear " +
			"over a network (sslmode=require in the address encrypts it), and require_auth allows " +
			"what it names"
	}
	if strings.Contains(last, "password") {
		return "the server wants a password: give it by PGPASSWORD, ~/.pgpass or a service file"
	}
	return "there is no connection: " + last
}

// refusal says why a server lets nobody in, by its code and its message.
func refusal(code, message string) string {
	if code != "28P01" && code != "28000" {
		return message
	}
	if strings.HasSuffix(message, "no encryption") {
		return "the server lets nobody in without TLS (" + message + "): sslmode=require in the " +
			"address, or PGSSLMODE, encrypts the connection"
	}
	return "the server lets nobody in by this user and password (" + message + "): give the " +
		"password by PGPASSWORD, ~/.pgpass or a service file"
}

// tlsFault says what is wrong with TLS, and what to do; "": nothing.
func tlsFault(err error) string {
	var nobody x509.UnknownAuthorityError
	var other x509.HostnameError
	var invalid x509.CertificateInvalidError
	var any1 *tls.CertificateVerificationError
	switch {
	case errors.As(err, &nobody):
		return "the certificate of the server is by an authority that is not trusted here: name " +
			"the file with that of the authority by PGSSLROOTCERT, or by sslrootcert in the address"
	case errors.As(err, &other):
		return "the certificate of the server is one of another host (" + plainX509(other) +
			"): is the host in the address right?"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the certificate of the server is out of date (" + plainX509(invalid) + "): it needs " +
			"a new one, unless the clock of this computer is wrong"
	case errors.As(err, &invalid):
		return "the certificate of the server is not accepted (" + plainX509(invalid) + ")"
	case errors.As(err, &any1):
		return "the certificate of the server is not accepted (" + plainX509(any1.Err) + ")"
	case strings.Contains(err.Error(), "server refused TLS connection"):
		return "the server has no TLS, which sslmode asks for"
	}
	return ""
}

func plainX509(err error) string { return strings.TrimPrefix(err.Error(), "x509: ") }
