package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The checksums are signed by a key, and neither others of them nor another key's pass.
func TestSignature(t *testing.T) {
	program, err := exec.LookPath("ssh-keygen")
	if err != nil {
		t.Skip("there is no ssh-keygen here")
	}
	dir := t.TempDir()
	key := func(name string) (private string) {
		private = filepath.Join(dir, name)
		out, err := exec.Command(
			program, "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", private,
		).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return private
	}
	ours, others := key("ours"), key("others")
	public, err := os.ReadFile(ours + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	signers := filepath.Join(dir, "signers")
	if err := os.WriteFile(signers, append([]byte("mingle "), public...), 0o600); err != nil {
		t.Fatal(err)
	}
	sums := []byte("00  mingle-1-linux-amd64.tar.gz\n")
	if err := os.WriteFile(filepath.Join(dir, "SHA256SUMS"), sums, 0o600); err != nil {
		t.Fatal(err)
	}
	passes := func(sums []byte, domain string) bool {
		cmd := exec.Command(program, "-Y", "verify", "-f", signers, "-I", "mingle", "-n", domain,
			"-s", filepath.Join(dir, "SHA256SUMS.sig"))
		cmd.Stdin = bytes.NewReader(sums)
		return cmd.Run() == nil
	}
	for _, c := range []struct {
		key, domain string
		sums        []byte
		want        bool
	}{
		{ours, signed, sums, true},
		{ours, "file", sums, false},
		{ours, signed, append([]byte("1"), sums[1:]...), false},
		{others, signed, sums, false},
	} {
		if err := sign(t.Context(), dir, c.key); err != nil {
			t.Fatal(err)
		}
		if got := passes(c.sums, c.domain); got != c.want {
			t.Errorf("key %s, for %s, %q: passes %v", filepath.Base(c.key), c.domain, c.sums, got)
		}
	}
	if err := sign(t.Context(), dir, filepath.Join(dir, "none")); err == nil {
		t.Error("a key that is not there signs")
	}
}
