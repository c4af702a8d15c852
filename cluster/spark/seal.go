package spark

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Plans hold secrets: the seed of what is left to chance, and the salts of names. Spark leaves
// what it was sent on every machine, where everybody may read it, and hands it to whoever asks the
// driver. So plans are sealed by a key of the session, which goes to the workers in their
// environment. That is read by the owner of a process alone, and the name of the variable is one
// that Spark blots out where it shows its settings.

// SecretVariable is the variable with the key, in hexadecimal digits.
const SecretVariable = "MINGLE_SECRET"

// sealed is how a sealed plan begins.
var sealed = []byte("mingle sealed plan\n")

// newKey draws a key.
func newKey() string {
	key := make([]byte, 32)
	rand.Read(key)
	return hex.EncodeToString(key)
}

// cipherOf is AES-GCM with random nonces, each before what it seals.
func cipherOf(key string) (cipher.AEAD, error) {
	raw, err := hex.DecodeString(key)
	if err != nil || len(raw) != 32 {
		return nil, errors.New("the key of the plans cannot be read")
	}
	block, err := aes.NewCipher(raw)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

func seal(key string, plan []byte) ([]byte, error) {
	c, err := cipherOf(key)
	if err != nil {
		return nil, err
	}
	return c.Seal(bytes.Clone(sealed), nil, plan, nil), nil
}

// Unseal is the plan of a worker with the key that it was given. What is not sealed is the plan.
func Unseal(key string, plan []byte) ([]byte, error) {
	text, is := bytes.CutPrefix(plan, sealed)
	switch {
	case !is:
		return plan, nil
	case key == "":
		return nil, fmt.Errorf("the plan is sealed, and the engine has not handed on its key, "+
			"spark.executorEnv.%s", SecretVariable)
	}
	c, err := cipherOf(key)
	if err != nil {
		return nil, err
	}
	if text, err = c.Open(nil, nil, text, nil); err != nil {
		return nil, errors.New("the plan is sealed by another key")
	}
	return text, nil
}

// settings writes the file of settings of a session, which has the key: it must not stand in the
// list of processes. Spark reads that file in place of the one of its installation, which is put
// before it.
func settings(home, dir, key string) (path string, err error) {
	conf := os.Getenv("SPARK_CONF_DIR")
	if conf == "" {
		conf = filepath.Join(home, "conf")
	}
	text, err := os.ReadFile(filepath.Join(conf, "spark-defaults.conf"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	text = fmt.Appendf(text, "\nspark.executorEnv.%s %s\n", SecretVariable, key)
	path = filepath.Join(dir, "settings.conf")
	return path, os.WriteFile(path, text, 0o600)
}
