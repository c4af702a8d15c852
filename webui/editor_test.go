package webui

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is saved takes the place of the hierarchy that was edited, and of no other: of two editors
// of the same one the second is refused, and nothing is left of what it sent.
func TestEditorOfAnotherHierarchy(t *testing.T) {
	s := newServing(t, Options{}).enter()
	p := s.addFile("a.dat", "1 2\n")
	s.work.Wait()
	path := filepath.Join(p.dir, "tree.csv")
	if err := os.WriteFile(path, []byte("1;all\n2;all\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.useTree(t.Context(), path, "file", "", nil); err != nil {
		t.Fatal(err)
	}
	at := s.guard.base + "p/" + p.id + "/hierarchy/"
	var loaded edited
	if err := json.Unmarshal(s.ask("GET", at+"tree.json", nil).Body.Bytes(), &loaded); err != nil {
		t.Fatal(err)
	}
	save := func(group string) int {
		text, err := json.Marshal(edited{
			Of: loaded.Of, Labels: []string{"all", group, "1", "2"}, Parents: []int32{-1, 0, 1, 0},
		})
		if err != nil {
			t.Fatal(err)
		}
		answer := s.ask("POST", at+"tree", url.Values{"tree": {string(text)}})
		said := strings.Contains(answer.Body.String(), "nothing was saved")
		if said != (answer.Code == http.StatusConflict) {
			t.Errorf("%d %s", answer.Code, answer.Body)
		}
		return answer.Code
	}
	if got := save("A"); got != http.StatusNoContent {
		t.Errorf("the first is answered by %d", got)
	}
	p.checkTree(t.Context()) // as when the data are read anew: it is the same hierarchy
	before, err := os.ReadDir(p.dir)
	if got := save("B"); got != http.StatusConflict || err != nil {
		t.Errorf("the second is answered by %d %v", got, err)
	}
	if after, err := os.ReadDir(p.dir); len(after) != len(before) || err != nil {
		t.Errorf("what was refused leaves %v %v", after, err)
	}
	saved := s.ask("GET", at+"file/arx", nil).Body.String()
	if !strings.Contains(saved, "A") || strings.Contains(saved, "B") {
		t.Errorf("the hierarchy is\n%s", saved)
	}
	loaded = edited{}
	if err := json.Unmarshal(s.ask("GET", at+"tree.json", nil).Body.Bytes(), &loaded); err != nil {
		t.Fatal(err)
	}
	if got := save("B"); got != http.StatusNoContent {
		t.Errorf("who loaded the new one is answered by %d", got)
	}
}
