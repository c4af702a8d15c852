package judge

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mingle/cluster/engine"
	"mingle/cluster/split"
	"mingle/hierarchy"
)

// Release is what is to be judged.
type Release struct {
	Engine    engine.Engine
	Version   string
	Layout    split.Layout // of both
	Tree      *hierarchy.Tree
	Published []string // files, in order
	Original  []string // nil: only what the published files show is judged
	// Placed are files of the same lines with the numbers and the persons of the originals, where
	// the unit is a person; without them local recodings of persons are not judged. See placed.go.
	Placed []string
	Salt   []byte // of the names of persons there
	K, M   int
	L      int // of the sensitive items of Layout, where there are any; 0: none is promised
	// PersonShare, if set, is n where no person may have more than 1/n of the lines with a set.
	PersonShare int
	// AllowUnknown lets Layout.Sensitive have items that neither the published lines nor the
	// hierarchy have.
	AllowUnknown bool
	Progress     func(stage string)

	recoding bool // see Recoding
}

// Finding is the judgement.
type Finding struct {
	Holds    bool
	Breaches []Breach // the first ones
	Broken   int64    // how many there are

	Lines    int64           // published
	Supports map[int32]int64 // of the published labels
	Sets     int64           // distinct sets of two and more labels that were looked at
	Persons  int64           // where they are the unit
	crossed  int64           // persons with a label above another of theirs, where it was looked at
	Local    bool            // some label is above another
	// Ascending tells, of persons, whether the published lines ascend: then their order says
	// nothing of whose they are.
	Ascending bool

	// Notes are what the published files show beside the sets of their lines, which is not judged.
	Notes []string

	Unlike bool // the lines are not what those of the original are published as

	// of the original; 0 where it was not given
	Occurrences int64
	NCP         float64
	At          map[int32]int64 // of these by the label they are published as, where Local
}

// Breach is a combination that too few lines have, or what else is wrong.
type Breach struct {
	Items   []string
	Support int64 // lines; 0: they are not told
	Text    string
}

// String is what is known of it.
func (b Breach) String() string {
	out := strings.Join(b.Items, " ")
	if b.Support > 0 {
		lines := fmt.Sprintf("%d lines", b.Support)
		if out != "" {
			lines = ": " + lines
		}
		out += lines
	}
	switch {
	case b.Text == "":
		return out
	case out == "":
		return b.Text
	}
	return fmt.Sprintf("%s (%s)", out, b.Text)
}

// Judge judges a release: no line has an item more than once, every set of at most m published
// labels that occurs is in at least k lines, the empty one included, each sensitive item is in at
// most 1/l of these lines, and each line is a recoding of the line of the original at its place,
// with its sensitive items. Where lines have labels above one another condition (c) is looked at,
// too, and with l the shares of what a set of items leaves (shares.go).
//
// Where the unit is a person (Layout.Person) the labels must be a cut, the sets must be in lines of
// at least k persons, each sensitive item is of at most 1/l of these, too, no person has more of
// the lines than may be, and the lines are those that the cut makes of the original, in any order.
func (r Release) Judge(ctx context.Context) (*Finding, error) {
	if r.Layout.Person != "" && r.Original == nil {
		return nil, errors.New("whose each line is stands in the original alone: give the original " +
			"before the published files")
	}
	if r.Placed != nil && r.Layout.Person == "" {
		return nil, errors.New("placed lines are judged of persons")
	}
	if (r.L > 0) != (len(r.Layout.Sensitive) > 0) {
		return nil, errors.New("l-diversity is judged of sensitive items: give both, or neither")
	}
	f := &Finding{}
	s, err := r.sets(ctx, f)
	if err != nil {
		return nil, err
	}
	r.levels(f, s)
	torn := slices.Sorted(maps.Keys(s.torn))
	if r.Placed != nil {
		if f.Broken == 0 {
			err = r.byPlaced(ctx, f, s, torn)
		}
		if err != nil {
			return nil, err
		}
		f.Holds = f.Broken == 0
		return f, nil
	}
	if !r.recoding {
		err = r.leftBySets(ctx, f, s, torn)
	}
	switch {
	case err != nil || f.Broken > 0 || r.Original == nil:
	case f.Local:
		err = r.pairs(ctx, f)
	default:
		err = r.lines(ctx, f)
	}
	if err != nil {
		return nil, err
	}
	f.Holds = f.Broken == 0
	return f, nil
}

// leftBySets looks at the lines that a set of items leaves, where lines have labels above others.
func (r Release) leftBySets(ctx context.Context, f *Finding, s *sums, torn []int32) (err error) {
	if f.Broken == 0 && len(torn) > 0 {
		err = r.compatibleIn(ctx, f, torn)
	}
	if err == nil && f.Broken == 0 && s.nested > 0 && r.L > 0 && r.Layout.Person == "" {
		err = r.unevenIn(ctx, f, s)
	}
	return err
}

func (f *Finding) breach(b Breach) {
	f.Broken++
	if len(f.Breaches) < 20 {
		f.Breaches = append(f.Breaches, b)
	}
}

// unlike says that lines are not what those of the original are published as.
func (f *Finding) unlike(format string, args ...any) {
	f.Unlike = true
	f.breach(Breach{Text: fmt.Sprintf(format, args...)})
}

func (r Release) tell(stage string) {
	if r.Progress != nil {
		r.Progress(stage)
	}
}

func (r Release) plan(what string) plan {
	return plan{
		Protocol: Protocol, Version: r.Version, Layout: r.Layout, What: what, M: r.M, L: r.L,
	}
}

// setsPlan is of the sets of published lines: of labels alone where persons are counted.
func (r Release) setsPlan() plan {
	p := r.plan(ofSets)
	if r.Layout.Person != "" {
		p.M, p.L, p.Share = 1, 0, r.PersonShare
	}
	return p
}

func encode(p plan) []byte {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // there is nothing in it that cannot be written
	}
	return text
}

// sums is what adding up the sets of published lines tells.
type sums struct {
	workers, lines, all  int64
	above, below         int64 // the sums of the counts of sets without a breach, and with one
	aboveSets, belowSets int64
	named                []Breach        // of the latter
	labels, check        int64           // of what is a group of its own
	with                 map[int]int64   // by sensitive item: the lines that have it
	torn                 map[int32]int64 // by torn child: the lines in which it is
	impossible           map[int32]int64 // by label: the lines in which no item may be at it
	split, lower         map[int32]int64 // what the sets of shares.go have one of
	nested               int64           // lines that have a label above another
	repeats              int64           // items that lines have more than once
	unsorted             int64           // more than 0: some line is not sorted
	empty                int64           // fields without an item
	groups               map[string]bool // that were told
}

// sets looks at all sets of published labels.
func (r Release) sets(ctx context.Context, f *Finding) (*sums, error) {
	r.tell("verifying the sets of published labels")
	p := r.setsPlan()
	told, err := r.Engine.Run(ctx, engine.Job{
		Name: "verify sets", Input: r.Published, Plan: encode(p),
		Map: "verify", Below: int64(r.K), Share: int64(p.L),
	})
	if err != nil {
		return nil, err
	}
	f.Supports = map[int32]int64{}
	s := &sums{
		groups: map[string]bool{}, with: map[int]int64{}, torn: map[int32]int64{},
		impossible: map[int32]int64{}, split: map[int32]int64{}, lower: map[int32]int64{},
	}
	slices.Sort(told) // the first breaches are the same in every run
	for _, line := range told {
		if err := r.sum(line, f, s); err != nil {
			return nil, err
		}
	}
	if err := r.look(f, s); err != nil || r.AllowUnknown {
		return s, err
	}
	return s, r.Layout.Known(func(x int) bool { return s.with[x] > 0 })
}

// look makes a finding of the sums.
func (r Release) look(f *Finding, s *sums) error {
	whole := s.lines + s.all + s.labels + s.workers
	s.lines, s.all = s.lines-s.workers, s.all-s.workers // see counter
	s.nested, s.repeats = s.nested-s.workers, s.repeats-s.workers
	s.unsorted, s.empty = s.unsorted-s.workers, s.empty-s.workers
	if s.workers == 0 || s.check != whole || s.above+s.below != s.all {
		return fmt.Errorf("the judge was not told of all sets: %d counted, %d added up", s.all,
			s.above+s.below)
	}
	f.Lines, f.Sets = s.lines, s.aboveSets+s.belowSets
	f.Notes = r.surplus(s)
	if s.repeats > 0 && !r.recoding {
		f.breach(Breach{Text: fmt.Sprintf("items are in a line more than once, %d times, which "+
			"tells how many items the person had", s.repeats)})
	}
	if s.lines > 0 && s.lines < int64(r.K) {
		f.breach(Breach{Support: s.lines, Text: "the file has fewer lines than k"})
	}
	for _, u := range slices.Sorted(maps.Keys(f.Supports)) {
		n := f.Supports[u]
		if n < int64(r.K) && r.L == 0 && r.Layout.Person == "" { // else they are among the sets
			f.breach(Breach{Items: []string{r.Tree.Label(u)}, Support: n})
		}
	}
	for x, item := range r.Layout.Sensitive {
		if n := s.with[x]; n*int64(r.L) > s.lines {
			f.breach(Breach{Items: []string{item}, Support: n, Text: fmt.Sprintf(
				"more than 1/%d of all %d", r.L, s.lines)})
		}
	}
	for _, b := range s.named {
		f.breach(b)
	}
	f.Broken += s.belowSets - int64(len(s.named))
	if r.L > 0 && r.Layout.Person == "" {
		f.Sets -= int64(len(f.Supports))
	}
	slices.SortFunc(f.Breaches, func(a, b Breach) int {
		if c := int(a.Support - b.Support); c != 0 {
			return c
		}
		return slices.Compare(a.Items, b.Items)
	})
	return nil
}

// ofLines is the sum of a name that says how many lines, or items, are like something; nil: it is
// another one.
func (s *sums) ofLines(name string) *int64 {
	return map[string]*int64{
		"@nested": &s.nested, "@repeats": &s.repeats, "@unsorted": &s.unsorted, "@empty": &s.empty,
	}[name]
}

// surplus says what the published files show beside the sets of their lines. Of a recoding items
// that are more than once in a line are not judged, either.
func (r Release) surplus(s *sums) (out []string) {
	if s.repeats > 0 && r.recoding {
		out = append(out, fmt.Sprintf("the published files have items more than once in a line (%d "+
			"in all): such items were passed over here, and tell whoever has the files how many "+
			"items a person had", s.repeats))
	}
	if s.unsorted > 0 {
		out = append(out, "what is in a line of the published files is not always sorted: its order "+
			"may tell more, such as what came first, and was not judged")
	}
	if s.empty > 0 {
		out = append(out, fmt.Sprintf("the published files have fields without an item (%d): they "+
			"may tell how many items were left out, and were not judged", s.empty))
	}
	return out
}

// sum takes one group of what was added up.
func (r Release) sum(line string, f *Finding, s *sums) error {
	group, n, names, least, err := readGroup(line)
	if err != nil {
		return err
	}
	if s.groups[group] {
		return fmt.Errorf("the judge was told of group %q twice", group)
	}
	s.groups[group] = true
	name, rest, _ := strings.Cut(group, " ")
	switch {
	case name == "@lines", name == "@check", name == "@sum":
		*map[string]*int64{"@lines": &s.lines, "@check": &s.check, "@sum": &s.all}[name] = n
	case name == "@version":
		s.workers = n
		if rest != r.Version {
			return fmt.Errorf("a worker is of version %q, the driver of %q", rest, r.Version)
		}
	case slices.Contains([]string{"@label", "@torn", "@impossible", "@split", "@lower"}, name):
		u, err := r.nodes(rest)
		if err != nil {
			return err
		}
		of := map[string]map[int32]int64{
			"@label": f.Supports, "@torn": s.torn, "@impossible": s.impossible, "@split": s.split,
			"@lower": s.lower,
		}[name]
		of[u[0]] = n
		s.labels += n
	case s.ofLines(name) != nil:
		*s.ofLines(name) = n
		s.labels += n
	case name == "@with":
		x, err := strconv.Atoi(rest)
		if err != nil || x < 0 || x >= len(r.Layout.Sensitive) {
			return errPart
		}
		s.with[x] = n
		s.labels += n
	case group == ">":
		s.above, s.aboveSets = n, names
	case strings.HasPrefix(group, "<"), strings.HasPrefix(group, "/"):
		s.below, s.belowSets = s.below+n, s.belowSets+names
		set, err := r.nodes(least)
		if err != nil {
			return err
		}
		b := Breach{Text: fmt.Sprintf("in fewer than %d lines", r.K)}
		if group[0] == '/' {
			b.Text = fmt.Sprintf("a sensitive item is in more than 1/%d of their lines", r.L)
		}
		for _, u := range set {
			b.Items = append(b.Items, r.Tree.Label(u))
		}
		s.named = append(s.named, b)
	default:
		return errPart
	}
	return nil
}

// nodes reads a set of nodes.
func (r Release) nodes(text string) ([]int32, error) {
	var out []int32
	for _, s := range strings.Fields(text) {
		u, err := strconv.Atoi(s)
		if err != nil || u < 0 || u >= r.Tree.Nodes() {
			return nil, errPart
		}
		out = append(out, int32(u))
	}
	if len(out) == 0 {
		return nil, errPart
	}
	return out, nil
}

func readGroup(line string) (group string, sum, names int64, least string, err error) {
	f := strings.Split(line, "\t")
	if len(f) != 4 {
		return "", 0, 0, "", errPart
	}
	if sum, err = strconv.ParseInt(f[1], 10, 64); err == nil {
		names, err = strconv.ParseInt(f[2], 10, 64)
	}
	if err != nil || sum < 0 || names < 1 {
		return "", 0, 0, "", errPart
	}
	return f[0], sum, names, f[3], nil
}

// levels looks for labels above others: those of a cut are not, and where persons are counted they
// must not be.
func (r Release) levels(f *Finding, s *sums) {
	persons := r.Layout.Person != ""
	for _, u := range slices.Sorted(maps.Keys(f.Supports)) {
		for v := r.Tree.Parent(u); v >= 0; v = r.Tree.Parent(v) {
			if _, both := f.Supports[v]; both {
				if f.Local = true; persons && r.Placed == nil {
					f.breach(Breach{
						Items: []string{r.Tree.Label(u), r.Tree.Label(v)},
						Text: "one is above the other: this is no global recoding, and with persons others " +
							"are judged on a cluster while they are made alone, as it is not known whose " +
							"each line is",
					})
				}
			}
		}
	}
	for _, u := range slices.Sorted(maps.Keys(s.impossible)) {
		f.breach(Breach{
			Items: []string{r.Tree.Label(u)}, Support: s.impossible[u],
			Text: "no item can be there beside labels at or below each of its children",
		})
	}
}

// otherLines says that there are as many lines.
const otherLines = "the original has %d lines, the published files have %d"

// lines compares every published line with what its original must be published as.
func (r Release) lines(ctx context.Context, f *Finding) error {
	p := r.plan(ofPublished)
	var secret [32]byte
	if _, err := rand.Read(secret[:]); err != nil {
		return err
	}
	p.Salt = secret[16:]
	for i := range p.At {
		p.At[i] = binary.LittleEndian.Uint64(secret[8*i:]) % field
		if r.Layout.Person != "" {
			p.At[i] = 1 // where every order has the same digest
		}
	}
	published, err := r.digest(ctx, p, r.Published)
	if err != nil {
		return err
	}
	for u := range f.Supports {
		p.Nodes = append(p.Nodes, u)
	}
	slices.Sort(p.Nodes)
	f.Ascending = published.ascend
	p.What = ofOriginal
	original, err := r.digest(ctx, p, r.Original)
	if err != nil {
		return err
	}
	switch {
	case published.lines != f.Lines:
		return fmt.Errorf("the published files had %d lines when their sets were counted, and now "+
			"have %d", f.Lines, published.lines)
	case published.lines != original.lines:
		f.unlike(otherLines, original.lines, published.lines)
	case published.digest != original.digest:
		f.unlike("some line is not what its original is published as")
	}
	f.Occurrences = original.occurrences
	if n := float64(original.occurrences) * float64(r.Tree.Leaves()); n > 0 {
		f.NCP = float64(original.penalty) / n
	}
	if f.Broken == 0 && r.Layout.Person != "" && !r.recoding {
		return r.persons(ctx, f, p)
	}
	return nil
}

func (r Release) digest(ctx context.Context, p plan, files []string) (*whole, error) {
	r.tell("verifying the lines of the " + p.What + " files")
	told, err := r.Engine.Run(ctx, engine.Job{
		Name: "verify " + p.What, Input: files, Origin: true, Plan: encode(p), Map: "verify",
	})
	if err != nil {
		return nil, err
	}
	return join(told, files, p.At, r.Version)
}
