package webui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"mingle/hierarchy"
	"mingle/pipeline"
)

// tree is the hierarchy of a project.
type tree struct {
	Path  string // of its file; "": there is none yet
	How   string // how it came: file, fanout, prefix, icd, edited
	Says  string // what was chosen for that
	Err   error  // that its file could not be read again
	Check *hierarchy.CheckResult
	args  []string // flags besides -H that say how it is read
	opts  hierarchy.ReadOptions
}

// Name is that of the file.
func (t tree) Name() string { return filepath.Base(t.Path) }

// shownItems are as many as are listed of items without a place.
const shownItems = 200

// Missing are some of the items that have no place in the tree.
func (t tree) Missing() []hierarchy.MissingItem {
	if t.Check == nil {
		return nil
	}
	return t.Check.Missing[:min(len(t.Check.Missing), shownItems)]
}

// More is how many of these are not listed.
func (t tree) More() int { return len(t.Check.Missing) - len(t.Missing()) }

// treeView is the page of the hierarchy.
type treeView struct {
	Tree  tree
	Items int
	Err   error // of what was asked for last
	Fan   string
	Codes string // lengths of prefixes
	Flags string
}

// Groups is the number of inner nodes.
func (v treeView) Groups() int { return v.Tree.Check.Nodes - v.Tree.Check.Leaves }

func showHierarchy(a *asked) error { return a.showTree(nil) }

func (a *asked) showTree(err error) error {
	v := treeView{Fan: "5", Codes: "3,1", Err: err}
	a.p.locked(func() {
		v.Tree = a.p.tree
		if a.p.data.Profile != nil {
			v.Items = a.p.data.Profile.Items
		}
	})
	v.Flags = strings.Join(v.Tree.args, " ")
	status := 200
	if err != nil {
		status = 422
	}
	a.showWith(status, "hierarchy", v)
	return nil
}

// useTree reads a hierarchy, and sets it beside the data.
func (p *project) useTree(ctx context.Context, path, how, says string, args []string) error {
	t := tree{Path: path, How: how, Says: says, args: args}
	return p.useTreeIf(ctx, t, func() bool { return true })
}

// useTreeIf is useTree, unless it is no longer wanted when it was read. That is asked under the
// lock.
func (p *project) useTreeIf(ctx context.Context, t tree, wanted func() bool) error {
	ctx, work := p.server.memory.Open(ctx)
	defer work.End(nil)
	plan := append([]string{
		"anonymize", "km", p.path, "-k", "2", "-m", "1", "-o", "-", "-H", t.Path,
	}, t.args...)
	job, err := p.server.Plan(ctx, plan)
	if err != nil {
		return err
	}
	t.opts = job.Family.(pipeline.KM).HierarchyOptions
	made, err := t.read(ctx)
	if err != nil {
		return err
	}
	p.takeTree(t, made, wanted)
	return nil
}

// read reads the file of a hierarchy.
func (t tree) read(ctx context.Context) (*hierarchy.Tree, error) {
	files := pipeline.Files{}
	made, err := files.Hierarchy(ctx, t.Path, t.opts)
	return made, tooMuch(ctx, err)
}

// takeTree compares a hierarchy with the data, and takes it if it is wanted then, under the lock.
// Data may come meanwhile, and who read them saw the hierarchy before: then it compares again.
func (p *project) takeTree(t tree, made *hierarchy.Tree, wanted func() bool) {
	for upToDate := false; !upToDate; {
		sets := p.sets()
		check := hierarchy.Check(made, sets)
		t.Check = &check
		p.change(func() {
			if upToDate = p.data.sets == sets; !upToDate || !wanted() {
				return
			}
			if p.tree.Path != t.Path {
				p.forgetTable()
			}
			p.tree = t
		})
	}
}

// checkTree compares the hierarchy with data that were read after it. What is wrong with its file
// is kept, unless these data are no longer asked for.
func (p *project) checkTree(ctx context.Context) {
	_, t, _ := p.chosen()
	if t.Path == "" {
		return
	}
	made, err := t.read(ctx)
	same := func() bool { return p.tree.Path == t.Path }
	if t.Err = err; err == nil {
		p.takeTree(t, made, same)
		return
	}
	t.Check = nil
	p.change(func() {
		if ctx.Err() == nil && same() {
			p.tree = t
		}
	})
}

// makeHierarchy makes one of the items of the data.
func makeHierarchy(a *asked) error {
	items := a.p.items()
	how := a.PostForm.Get("how")
	made, says, err := builtTree(how, items, a.PostForm.Get)
	if err != nil {
		return a.showTree(err)
	}
	path, err := a.p.treeFile()
	if err == nil {
		err = write(path, func(w io.Writer) error {
			return hierarchy.Write(w, made, hierarchy.ARX)
		})
	}
	if err == nil {
		err = a.p.useTree(a.Context(), path, how, says, nil)
	}
	if err != nil {
		return a.showTree(err)
	}
	return a.to("hierarchy")
}

// treeFile is a file for a new hierarchy: runs that have begun read the one before.
func (p *project) treeFile() (string, error) {
	dir, err := p.directory()
	return filepath.Join(dir, distinct("hierarchy.csv", p.path)), err
}

// builtTree builds a hierarchy over items in one of the known ways.
func builtTree(
	how string, items []string, field func(string) string,
) (t *hierarchy.Tree, says string, err error) {
	switch how {
	case "fanout":
		fan, err := strconv.Atoi(strings.TrimSpace(field("fan")))
		if err != nil {
			return nil, "", fmt.Errorf("the number of members (%s) must be a number", field("fan"))
		}
		t, err = hierarchy.Fanout(items, fan)
		return t, strconv.Itoa(fan), err
	case "prefix":
		var lengths []int
		for _, text := range strings.Split(field("lengths"), ",") {
			n, err := strconv.Atoi(strings.TrimSpace(text))
			if err != nil {
				return nil, "", fmt.Errorf("the lengths (%s) must be numbers, such as 3,1", field("lengths"))
			}
			lengths = append(lengths, n)
		}
		t, err = hierarchy.Prefix(items, lengths, "")
		return t, field("lengths"), err
	case "icd":
		ranges, err := hierarchy.ReadCodeRanges(strings.NewReader(field("ranges")), "the table of ranges")
		if err != nil {
			return nil, "", err
		}
		if len(ranges) == 0 {
			return nil, "", errors.New("the codes are grouped by a table of chapters and blocks: paste one")
		}
		edition, _ := strconv.Atoi(field("edition")) // 0: by the table
		t, err = hierarchy.ICD(items, ranges, hierarchy.ICDOptions{
			Version: hierarchy.ICDVersion(edition), Other: field("other"),
			Titles: field("titles") != "",
		})
		return t, "", err
	}
	return nil, "", errors.New("there is no such way to make a hierarchy")
}

// uploadHierarchy takes one from a file.
func uploadHierarchy(a *asked) error {
	dir, err := a.p.directory()
	if err != nil {
		return err
	}
	path, err := a.store(dir)
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	flags, err := words(a.URL.Query().Get("flags"))
	if err == nil {
		path, err = renamed(path, distinct(filepath.Base(path), a.p.path))
	}
	if err == nil {
		err = a.p.useTree(a.Context(), path, "file", "", flags)
	}
	if err != nil {
		return errors.Join(a.showTree(err), os.RemoveAll(dir))
	}
	return a.to("hierarchy")
}

// renamed gives a file another name, where it is not its own.
func renamed(path, name string) (string, error) {
	to := filepath.Join(filepath.Dir(path), name)
	if to == path {
		return path, nil
	}
	return to, os.Rename(path, to)
}

var errNoTree = &fault{
	http.StatusNotFound, errors.New("there is no hierarchy yet: take one, or make one"),
}

// current reads the hierarchy again.
func (p *project) current(ctx context.Context) (*hierarchy.Tree, error) {
	_, t, _ := p.chosen()
	if t.Path == "" {
		return nil, errNoTree
	}
	return t.read(ctx)
}

// downloadTree sends the hierarchy in one of its formats.
func downloadTree(a *asked) error {
	format, err := hierarchy.ParseFormat(a.PathValue("format"))
	if err != nil {
		return err
	}
	t, err := a.p.current(a.Context())
	if err != nil {
		return err
	}
	name, kind := "hierarchy.csv", "text/csv; charset=utf-8"
	switch format {
	case hierarchy.JSON:
		name, kind = "hierarchy.json", "application/json"
	case hierarchy.Amnesia:
		name, kind = "hierarchy.txt", "text/plain; charset=utf-8"
	}
	return a.send(name, kind, func(w io.Writer) error { return hierarchy.Write(w, t, format) })
}
