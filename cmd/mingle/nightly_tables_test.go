package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/internal/pgtest"
)

// tablesJob is examples/nightly-tables in a folder of its own, with the files changed as a user
// would change them.
type tablesJob struct {
	dir string
	env []string
}

func newTablesJob(t *testing.T, change ...string) *tablesJob {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the job is a POSIX shell script")
	}
	examples, j := filepath.Join("..", "..", "examples"), &tablesJob{dir: t.TempDir(), env: os.Environ()}
	for _, name := range []string{"nightly.sh", "postgres.yaml", "parquet.yaml"} {
		text, err := os.ReadFile(filepath.Join(examples, "nightly-tables", name))
		if err == nil {
			text = []byte(strings.NewReplacer(change...).Replace(string(text)))
			err = os.WriteFile(filepath.Join(j.dir, name), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	copyFile(t, filepath.Join(examples, "shop", "catalogue.csv"), filepath.Join(j.dir, "catalogue.csv"))
	return j
}

// night runs the job.
func (j *tablesJob) night(release string) (code int, said string) {
	cmd := exec.Command("sh", filepath.Join(j.dir, "nightly.sh"), release)
	cmd.Env = j.env
	out, _ := cmd.CombinedOutput()
	return cmd.ProcessState.ExitCode(), string(out)
}

// secretFiles counts the audit files.
func (j *tablesJob) secretFiles() int {
	files, _ := filepath.Glob(filepath.Join(j.dir, "secret", "*.json"))
	return len(files)
}

func TestNightlyTables(t *testing.T) {
	s := pgtest.Start(t)
	socket := strings.TrimPrefix(s.URL[strings.Index(s.URL, "host="):], "host=")
	j := newTablesJob(t, "@shop-db/shop", "@/postgres?host="+socket)
	j.env = append(j.env, "SHOP_PASSWORD=Geh31m")
	set := func(statements string) string {
		t.Helper()
		text, err := ask(s.URL, statements)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(text)
	}
	set(`CREATE ROLE night LOGIN PASSWORD 'Geh31m'; CREATE ROLE partner; CREATE SCHEMA sales; CREATE SCHEMA public_data;
		CREATE TABLE sales.line (basket int, product text, sold_on date);
		GRANT USAGE ON SCHEMA sales TO night; GRANT SELECT ON sales.line TO night;
		GRANT USAGE, CREATE ON SCHEMA public_data TO night`)
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", "shop", "baskets.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	for i, basket := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		for _, product := range strings.Split(basket, ",") {
			values = append(values, fmt.Sprintf("(%d, '%s', current_date - 1)", i+1,
				strings.ReplaceAll(product, "'", "''")))
		}
	}
	set("INSERT INTO sales.line VALUES " + strings.Join(values, ", "))
	if code, said := j.night("postgres.yaml"); code != 0 {
		t.Fatalf("exit code %d: %s", code, said)
	}
	set("GRANT SELECT ON public_data.baskets TO partner")
	state := func() string {
		return set("SELECT count(*), sum(hashtext(b::text)), has_table_privilege('partner', "+
			"'public_data.baskets', 'SELECT') FROM public_data.baskets b") + treeOf(t, j.dir)
	}
	before := state()
	if !strings.Contains(before, "|t") || j.secretFiles() != 1 {
		t.Errorf("the state is %s", before)
	}
	if strings.Contains(before, "Geh31m") {
		t.Error("the password is in a name")
	}
	j.holdsNo(t, "Geh31m")
	for _, stopped := range []struct {
		change, back string
		code         int
		says         string
	}{
		{"DELETE FROM sales.line WHERE basket > 500", "", 3, "transactions is 500, which is <1000"},
		{"INSERT INTO sales.line VALUES (1, 'unheard of', current_date - 1)", "", 2, "unheard of"},
		{"REVOKE SELECT ON sales.line FROM night", "", 2, "permission denied for table line"},
		{"ALTER ROLE night NOLOGIN", "ALTER ROLE night LOGIN", 2, "not permitted to log in"},
	} {
		set(stopped.change)
		code, said := j.night("postgres.yaml")
		if stopped.back != "" {
			set(stopped.back)
		}
		if code != stopped.code || !strings.Contains(said, stopped.says) || strings.Contains(said, "Geh31m") {
			t.Errorf("%s: exit code %d, want %d: %s", stopped.change, code, stopped.code, said)
		}
		if after := state(); after != before {
			t.Errorf("%s changed what is there:\n%s\nbefore:\n%s", stopped.change, after, before)
		}
	}
}

// holdsNo makes sure that no file of the job has a text in it.
func (j *tablesJob) holdsNo(t *testing.T, secret string) {
	t.Helper()
	err := filepath.Walk(j.dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), secret) {
			t.Errorf("%s has the password in it", filepath.Base(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestNightlyParquet(t *testing.T) {
	j := newTablesJob(t)
	if err := os.Mkdir(filepath.Join(j.dir, "in"), 0o755); err != nil {
		t.Fatal(err)
	}
	// the original is made of csv as the tills would write it: by a release that loses nothing
	fill := func(lines int) {
		t.Helper()
		text, err := os.ReadFile(filepath.Join("..", "..", "examples", "shop", "baskets.csv"))
		if err == nil {
			err = writeParquet(filepath.Join(j.dir, "in", "baskets.parquet"),
				strings.SplitAfterN(string(text), "\n", lines+1)[:lines])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	fill(4000)
	if code, said := j.night("parquet.yaml"); code != 0 {
		t.Fatalf("exit code %d: %s", code, said)
	}
	published := filepath.Join(j.dir, "public", "baskets.parquet")
	before, err := os.ReadFile(published)
	if err != nil {
		t.Fatal(err)
	}
	fill(500)
	code, said := j.night("parquet.yaml")
	if code != 3 || !strings.Contains(said, "transactions is 500, which is <1000") {
		t.Errorf("exit code %d: %s", code, said)
	}
	if after, err := os.ReadFile(published); err != nil || string(after) != string(before) {
		t.Errorf("what is published changed: %v", err)
	}
}

// writeParquet writes baskets, one a line, as a column of lists.
func writeParquet(path string, lines []string) error {
	var all [][]string
	for _, line := range lines {
		all = append(all, strings.Split(strings.TrimSuffix(line, "\n"), ","))
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return dataset.Write(f, dataset.FromLabels(all), dataset.Options{Format: dataset.Parquet})
}
