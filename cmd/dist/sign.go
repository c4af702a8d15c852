package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// signed is what a signature of ours is for, so that it stands for nothing else.
const signed = "mingle-release"

// sign signs the checksums with a key of OpenSSH, by its own program: SHA256SUMS.sig. Nearly every
// system has the program that checks it, ssh-keygen -Y verify.
func sign(ctx context.Context, out, key string) error {
	sums := filepath.Join(out, "SHA256SUMS")
	if err := os.Remove(sums + ".sig"); err != nil && !os.IsNotExist(err) {
		return err
	}
	if _, err := run(ctx, nil, "ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", signed, sums); err != nil {
		return fmt.Errorf("the checksums could not be signed: %w", err)
	}
	return nil
}
