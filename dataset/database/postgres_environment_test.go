package database

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"mingle/dataset/rows"
)

// refusedAt is what is said when a table is read.
func refusedAt(t *testing.T, address string) string {
	t.Helper()
	in, err := Opener{}.Read(t.Context(), rows.Location{
		Kind: rows.Postgres, Address: address, Table: "t",
	}, "")
	if err == nil {
		in.Close()
		t.Fatal("connected")
	}
	return err.Error()
}

const nobody = "postgres://ann@127.0.0.1:1/x"

// A setting that libpq would heed and the driver would not is refused, unless it asks for nothing.
func TestWhatTheDriverDoesNotHeedIsRefused(t *testing.T) {
	for variable, value := range map[string]string{
		"PGSSLCRL": "crl.pem", "PGSSLCRLDIR": "crls", "PGHOSTADDR": "127.0.0.2",
		"PGREQUIREPEER": "postgres", "PGGSSENCMODE": "require", "PGSSLMINPROTOCOLVERSION": "TLSv1.3",
	} {
		t.Run(variable, func(t *testing.T) {
			t.Setenv(variable, value)
			if text := refusedAt(t, nobody); !strings.Contains(text, variable+" is set") {
				t.Error(text)
			}
		})
	}
	for _, parameter := range []string{"sslcrl=x", "hostaddr=::1", "ssl_min_protocol_version=TLSv1.3"} {
		if text := refusedAt(t, nobody+"?"+parameter); !strings.Contains(text, " is set") {
			t.Errorf("%s: %s", parameter, text)
		}
	}
	t.Setenv("PGSSLMINPROTOCOLVERSION", "TLSv1.2")
	t.Setenv("PGGSSENCMODE", "prefer")
	t.Setenv("PGSSLCRL", "")
	if text := refusedAt(t, nobody); !strings.Contains(text, "no server answers") {
		t.Error(text)
	}
}

// A password of a file that others may read is not used.
func TestPasswordsOfOpenFilesAreRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no mode there")
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	file := filepath.Join(home, ".pgpass")
	if err := os.WriteFile(file, []byte("*:*:*:ann:Geh31m\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const refused = "others may read the file of the password"
	if text := refusedAt(t, nobody); strings.Contains(text, refused) {
		t.Error(text)
	}
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{nobody, nobody + "?sslmode=disable"} {
		text := refusedAt(t, address)
		if !strings.Contains(text, refused) || strings.Contains(text, home) {
			t.Error(text)
		}
	}
	for _, address := range []string{
		"postgres://bob@127.0.0.1:1/x", nobody + "?passfile=" + os.DevNull,
	} {
		if text := refusedAt(t, address); strings.Contains(text, refused) {
			t.Errorf("%s: %s", address, text)
		}
	}
	t.Setenv("PGPASSWORD", "Geh31m")
	if text := refusedAt(t, nobody); strings.Contains(text, refused) {
		t.Error(text)
	}
}

// What is wrong with the certificate of a server is said, with what to do, and without the user.
func TestFaultsOfTLSAreTold(t *testing.T) {
	for name, c := range map[string]struct {
		ip      string
		until   time.Duration
		trusted bool
		mode    string
		says    []string
	}{
		"authority": {"127.0.0.1", time.Hour, false, "verify-full", []string{"sslrootcert"}},
		"ca":        {"127.0.0.1", time.Hour, false, "verify-ca", []string{"PGSSLROOTCERT"}},
		"host":      {"127.0.0.9", time.Hour, true, "verify-full", []string{"another host"}},
		"expired":   {"127.0.0.1", -time.Hour, true, "verify-full", []string{"out of date"}},
	} {
		t.Run(name, func(t *testing.T) {
			cert := certificate(t, c.ip, c.until)
			root := cert
			if !c.trusted {
				root = certificate(t, "127.0.0.3", time.Hour)
			}
			file := filepath.Join(t.TempDir(), "root.crt")
			text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate[0]})
			if err := os.WriteFile(file, text, 0o600); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PGSSLROOTCERT", file)
			why := refusedAt(t, "postgres://ann@"+speaksTLS(t, cert)+"/x?sslmode="+c.mode)
			for _, want := range append(c.says, "certificate of the server") {
				if !strings.Contains(why, want) {
					t.Errorf("%q is not said: %s", want, why)
				}
			}
			if strings.Contains(why, "ann") {
				t.Errorf("the user is named: %s", why)
			}
		})
	}
}

// certificate is one that signed itself, of a host, valid from two hours ago.
func certificate(t *testing.T, ip string, until time.Duration) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	what := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.ParseIP(ip)}, IsCA: true,
		BasicConstraintsValid: true, NotBefore: time.Now().Add(-2 * time.Hour),
		NotAfter: time.Now().Add(until),
	}
	text, err := x509.CreateCertificate(rand.Reader, what, what, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{text}, PrivateKey: key}
}

// speaksTLS is the address of a server that takes the request for TLS, and shakes hands.
func speaksTLS(t *testing.T, cert tls.Certificate) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			io.ReadFull(conn, make([]byte, 8))
			io.WriteString(conn, "S")
			tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{cert}}).Handshake()
			conn.Close()
		}
	}()
	return l.Addr().String()
}

// A server that refuses somebody says who it was; what is passed on does not.
func TestRefusalsDoNotNameTheUser(t *testing.T) {
	for _, c := range []struct{ code, message, says string }{
		{"28P01", `password authentication failed for user "ann"`, "PGPASSWORD"},
		{"28000", `role "ann" does not exist`, "PGPASSWORD"},
		{
			"28000", `no pg_hba.conf entry for host "::1", user "ann", database "shop", no encryption`,
			"sslmode=require in the address",
		},
		{"3D000", `database "shop" does not exist`, `"shop"`},
	} {
		why := connectFault(errors.Join(&pgconn.PgError{Code: c.code, Message: c.message}), "ann")
		if !strings.Contains(why, c.says) || strings.Contains(why, "ann") {
			t.Errorf("%s: %s", c.message, why)
		}
	}
}
