package main

import (
	"bufio"
	"os"
	"strings"
	"testing"
)

// At a terminal init asks, says what cannot be, and asks again; without answers it writes nothing.
func TestInitAsks(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"d.dat": "a b\na c\nb c\n", "t.csv": "a;X;*\nb;X;*\nc;Y;*\n", "u.csv": "a;*\nb;*\nc;*\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(b *beginning, answers string) (said string, err error) {
		var out strings.Builder
		a := &app{out: &out, errs: &out}
		a.console.out, a.console.errs = &out, &out
		cmd, _, err := a.command().Find([]string{"init"})
		if err != nil {
			t.Fatal(err)
		}
		cmd.SetContext(t.Context())
		q := &asker{in: bufio.NewScanner(strings.NewReader(answers)), out: &out}
		err = a.begin(cmd, b, q)
		return out.String(), err
	}
	said, err := ask(&beginning{data: "d.dat"}, "kn\nkm\n1\n3\n\nu.csv\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"What is promised (km, continuous, nonreciprocal, coherence) [km]: There is no kn.",
		"Hide everybody among at least how many (k) [5]: It must be a whole number of at least 2.",
		"How many items may an adversary know [2]: The file of the hierarchy [t.csv]: ",
		"release.yaml is written",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said in\n%s", want, said)
		}
	}
	text, err := os.ReadFile("release.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"  family: km\n", "  k: 3\n", "  m: 2\n", "  file: u.csv\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	rows := "stay,day,code\n1,mon,a\n1,mon,b\n2,tue,c\n"
	if err := os.WriteFile("rows.csv", []byte(rows), 0o644); err != nil {
		t.Fatal(err)
	}
	b := &beginning{data: "rows.csv"}
	b.out.path = "rows.yaml"
	said, err = ask(b, "km\n\nwhat\ncode\n2\n1\nt.csv\n")
	if err != nil || !strings.Contains(said, "rows.csv is a table of rows: its first line is stay, "+
		"day, code") || !strings.Contains(said, "There is no what.") {
		t.Errorf("%v\n%s", err, said)
	}
	b = &beginning{data: "d.dat"}
	b.out.path = "other.yaml"
	if _, err := ask(b, "km\n"); err == nil || !strings.Contains(err.Error(), "were not answered") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat("other.yaml"); err == nil {
		t.Error("a file was written without answers")
	}
}
