package cluster_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mingle/cluster/fake"
	"mingle/cluster/judge"
	"mingle/cluster/split"
	"mingle/dataset"
)

// The judge counts persons as the definition has it: not lines, not all items of a person together,
// and nobody as nobody. A line is its person, a colon and its items.
func TestJudgeOfPersonsByExample(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 61))
	for _, one := range []struct {
		what, original, published string // published: "": as the original
		m                         int
		breach                    string
		ascending                 bool
		l, share                  int
	}{
		{"lines are of one person", "p:a p:ab q:b", "", 2, "[a]", false, 0, 0},
		{"items are not in one line", "p:a p:b q:ab q:a q:b", "", 2, "[a b]", false, 0, 0},
		{"they need not be", "p:a p:b q:ab q:a q:b", "", 1, "", false, 0, 0},
		{"nobody hides nobody", "p:a q:a :b :b", "", 1, "[b]", true, 0, 0},
		{"nobody is hidden", "p:a q:a :a", "", 1, "", true, 0, 0},
		{"a person with empty lines", "p: p:", "", 1, "the lines are of 1 persons", true, 0, 0},
		{"any order", "p:a q:b q:a p:b", "a a b b", 1, "", true, 0, 0},
		{"another line", "p:a q:b q:a p:b", "a a b a", 1, "not what its original is", false, 0, 0},
		{"a line too few", "p:a q:a r:a", "a a", 1, "the original has 3 lines", true, 0, 0},
		{"another label", "p:a q:a r:a", "b b b", 1, "not what its original is", true, 0, 0},
		{
			"half of the persons, most lines", "p:as p:as p:as p:as p:as q:a r:b r:b r:b r:b t:b", "", 1,
			"[a]", false, 2, 0,
		},
		{
			"a third of the lines, all persons", "p:as p:a p:a q:as q:a q:a r: t:", "", 1,
			"of their persons have a sensitive item", false, 2, 0,
		},
		{"half of both", "p:as p:a q:a", "", 1, "", true, 2, 0},
		{"nobody has none", "p:as q:a :a :a", "", 1, "", true, 2, 0},
		{
			"all persons, of the empty set", "p:s q:s p: q: r:a t:a r:a t:a p:a", "", 1, "", false, 2, 0,
		},
		{"two of three persons, of the empty set", "p:s q:s p: q: r:a r:a p:a q:a", "", 1, "[]", true, 2, 0},
		{"lines of one", "p:a p:a q:a", "", 1, "one person has more than 1/2", true, 0, 2},
		{"half of the lines", "p:a p:a q:a r:a", "", 1, "", true, 0, 2},
		{"nobody has lines", "p:a :a :a q:a", "", 1, "", true, 0, 4},
		{"one of three", "p:a q:a r:a", "", 1, "one person has more than 1/4", true, 0, 4},
		{
			"of all lines", "p:a p:b p:a p:b q:a q:b r:a r:b p:", "", 1, "[] 0", true, 0, 2,
		},
	} {
		dir := t.TempDir()
		var original, published strings.Builder
		lines := strings.Fields(one.published)
		for _, line := range strings.Fields(one.original) {
			who, items, _ := strings.Cut(line, ":")
			fmt.Fprintf(&original, `{"who":%q,%s`, who, object(items)[1:])
			if one.published == "" {
				lines = append(lines, items)
			}
		}
		for _, items := range lines {
			published.WriteString(object(items))
		}
		for name, text := range map[string]string{"o": original.String(), "p": published.String()} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		layout := split.Layout{
			Format: dataset.JSONL, Person: "who", Hierarchy: []byte("a;*\nb;*\n"),
		}
		if one.l > 0 {
			layout.Sensitive = []string{"s"}
		}
		tree, err := layout.Tree()
		if err != nil {
			t.Fatal(err)
		}
		f, err := judge.Release{
			Engine:  &fake.Engine{Work: work, Rng: fake.Own(rng), Lines: 3},
			Version: version, Layout: layout,
			Tree: tree, Published: []string{filepath.Join(dir, "p")},
			Original: []string{filepath.Join(dir, "o")}, K: 2, M: one.m,
			L: one.l, PersonShare: one.share,
		}.Judge(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		type parts judge.Breach // without its String
		var all []parts
		for _, b := range f.Breaches {
			all = append(all, parts(b))
		}
		told := fmt.Sprint(all)
		if f.Holds != (one.breach == "") || !strings.Contains(told, one.breach) {
			t.Errorf("%s: the judge finds %s", one.what, told)
		}
		if f.Ascending != one.ascending && f.Holds {
			t.Errorf("%s: ascending is %v", one.what, f.Ascending)
		}
	}
}

// object is a line of items of one letter each.
func object(items string) string {
	letters := strings.Split(items, "")
	for i, s := range letters {
		letters[i] = fmt.Sprintf("%q", s)
	}
	return `{"items":[` + strings.Join(letters, ",") + "]}\n"
}
