package spark

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mingle/cluster/engine"
)

// The plans that Spark is given do not tell their secrets, and the key is in the environment, but
// on no command line. It is in a file of its owner's, with the settings of the installation, until
// Spark has read that.
func TestPlansAreSealed(t *testing.T) {
	said, conf := filepath.Join(t.TempDir(), "said"), t.TempDir()
	t.Setenv("SAID", said)
	t.Setenv("SPARK_CONF_DIR", conf)
	const usual = "spark.usual yes" // and no line end
	err := os.WriteFile(filepath.Join(conf, "spark-defaults.conf"), []byte(usual), 0o666)
	if err != nil {
		t.Fatal(err)
	}
	e, err := pretend(t.Context(), t,
		`echo "$* $MINGLE_SECRET" >"$SAID"; printf "%%s\tone\n" $row`)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	plan := []byte(`{"seed":"the secret of the run"}`)
	_, err = e.Run(t.Context(), engine.Job{
		Name: "count", Input: []string{"/x/y.dat"}, Plan: plan, Map: "map",
	})
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(e.session.dir, "plan-*"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	text, err := os.ReadFile(found[0])
	if err != nil || bytes.Contains(text, []byte("secret")) {
		t.Errorf("%q, %v", text, err)
	}
	line, err := os.ReadFile(said)
	if err != nil {
		t.Fatal(err)
	}
	arguments, key, _ := cutLast(strings.TrimSpace(string(line)), " ")
	if got, err := Unseal(key, text); !bytes.Equal(got, plan) {
		t.Errorf("%q, %v", got, err)
	}
	if key == "" || strings.Contains(arguments, key) {
		t.Error("the key is on the command line, or there is none")
	}
	_, file, _ := strings.Cut(arguments, "--properties-file ")
	file, _, _ = strings.Cut(file, " ")
	if _, err := os.Lstat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the key lies beside the plans still: %v", err)
	}
	file, err = settings("", t.TempDir(), key)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := os.ReadFile(file)
	want := usual + "\nspark.executorEnv.MINGLE_SECRET " + key + "\n"
	if err != nil || string(settings) != want {
		t.Errorf("settings are %q, %v", settings, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("they are %v, %v", info, err)
	}
}

// cutLast cuts at the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	at := strings.LastIndex(s, sep)
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+len(sep):], true
}

// Who has another key, or none, does not read a plan; one that is not sealed is itself.
func TestUnseal(t *testing.T) {
	key, plan := newKey(), []byte("a plan")
	text, err := seal(key, plan)
	if err != nil {
		t.Fatal(err)
	}
	again, err := seal(key, plan)
	if err != nil || bytes.Equal(text, again) {
		t.Errorf("it is sealed alike twice, %v", err)
	}
	for _, one := range []struct{ key, fault string }{
		{"", "has not handed on its key"},
		{"no digits", "cannot be read"},
		{newKey(), "another key"},
		{key, ""},
	} {
		got, err := Unseal(one.key, text)
		switch {
		case one.fault == "" && (err != nil || !bytes.Equal(got, plan)):
			t.Errorf("%q, %v", got, err)
		case one.fault != "" && (err == nil || !strings.Contains(err.Error(), one.fault)):
			t.Errorf("%q: %q, %v", one.key, got, err)
		}
	}
	text[len(text)-1] ^= 1
	if _, err := Unseal(key, text); err == nil {
		t.Error("a plan that was changed is read")
	}
	if got, err := Unseal("", plan); err != nil || !bytes.Equal(got, plan) {
		t.Errorf("%q, %v", got, err)
	}
}
