package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mingle/dataset"
	"mingle/dataset/profile"
	"mingle/dataset/rows"
	"mingle/hierarchy"
	"mingle/internal/disk"
	"mingle/internal/publish"
	"mingle/pipeline"
	"mingle/releasefile"
	"mingle/report"
)

// beginning is a release file that is being written for somebody who has data and no command yet.
type beginning struct {
	data, family  string
	person, label string
	k, m, l       int
	layout        layoutFlags
	tree          hierarchyFlags
	out           outputFlags
	yes           bool

	opts  dataset.Options
	sets  *dataset.Dataset // nil: of numbers, which init does not look into
	notes []string
}

// initialize is "mingle init".
func (a *app) initialize() *cobra.Command {
	var b beginning
	cmd := &cobra.Command{
		Use:   "init DATA [-o release.yaml]",
		Short: "Look at the data, ask what is to be promised, and write a release file",
		Long: `Looks at a file of transactions, asks what is to be promised of it and how the release is made,
and writes a release file with a comment for each field, for mingle run. With --yes it asks
nothing: what no flag says is guessed, and what was guessed is told. Where standard input is no
terminal it needs --yes. A flag that does not go with the others or with the data is refused.
No figure of the data gets into the file.`,
		Example: `  mingle generate shop -o shop.jsonl --catalogue catalogue.csv
  mingle init shop.jsonl
  mingle init shop.jsonl -H catalogue.csv -k 5 -m 2 --yes -o nightly.yaml`,
		Args: arguments(1, 1, "one file of transactions"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if b.data = args[0]; b.data == pipeline.Stdin {
				return usagef("a release file names its data: give a file, not standard input")
			}
			asks := &asker{out: a.errs}
			if in, is := a.in.(*os.File); is && !b.yes && term.IsTerminal(int(in.Fd())) {
				asks.in = bufio.NewScanner(in)
			} else if !b.yes {
				return usagef("standard input is no terminal to ask at: say --yes, and flags for " +
					"what is not to be guessed")
			}
			return a.begin(cmd, &b, asks)
		},
	}
	f := cmd.Flags()
	f.StringVar(&b.family, "family", "", "the kind of the promise: "+strings.Join(pipeline.Families(), ", ")+" (default km)")
	b.tree.register(f)
	f.Lookup("hierarchy").Usage += " (default: a file beside the data that has them all)"
	personFlag(f, &b.person)
	f.IntVarP(&b.k, "k", "k", 0, "hide everybody among at least so many (default 5)")
	f.IntVarP(&b.m, "m", "m", 0, "items that an adversary may know (default 2)")
	f.IntVarP(&b.l, "l", "l", 0, "diversity in place of k, of nonreciprocal releases; it needs --label")
	f.StringVar(&b.label, "label", "", "column of the sensitive label of each record, of nonreciprocal releases")
	f.BoolVar(&b.yes, "yes", false, "ask nothing")
	b.layout.register(f, false)
	b.out.register(f, "the release file (default release.yaml)")
	return cmd
}

// begin looks, asks and writes.
func (a *app) begin(cmd *cobra.Command, b *beginning, asks *asker) error {
	b.out.path = cmp.Or(b.out.path, "release.yaml")
	set, err := b.out.set(a, "release file", b.data, b.tree.path)
	if err != nil {
		return err
	}
	if b.family != "" && !slices.Contains(pipeline.Families(), b.family) {
		return usagef("--family: %w", pipeline.UnknownFamily(b.family))
	}
	b.family = asks.choice("What is promised", pipeline.Families(), cmp.Or(b.family, "km"),
		b.family != "")
	if err := cmp.Or(asks.err, b.usable(cmd)); err != nil {
		return err
	}
	if b.layout.input == "" && b.family != (pipeline.Continuous{}).Name() && ragged(b.data) {
		b.layout.input = string(dataset.Basket)
		b.notes = append(b.notes, "guessed: "+b.data+" has a transaction a line (format basket)")
	}
	if err := a.look(cmd.Context(), b, asks); err != nil {
		return err
	}
	if err := a.fits(cmd.Context(), cmd, b); err != nil {
		return err
	}
	a.promises(cmd.Context(), b, asks)
	if asks.err != nil {
		return asks.err
	}
	text, err := b.write(cmd.Root())
	if err == nil {
		err = b.refusal(cmd.Context(), text)
	}
	if err != nil {
		return err
	}
	err = a.writeFile(set, b.out.path, publish.Public, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	if err != nil {
		return err
	}
	said := b.out.path + " is written. Next: mingle run " + b.out.path + " --dry\n"
	if len(b.notes) > 0 {
		said = strings.Join(b.notes, "\n") + "\n" + said
	}
	return a.console.print(said, map[string]any{"written": b.out.path, "notes": b.notes})
}

// look reads the data, and shows what is in it.
func (a *app) look(ctx context.Context, b *beginning, asks *asker) (err error) {
	if b.family == (pipeline.Continuous{}).Name() {
		if b.onServer() {
			return nil
		}
		_, err := disk.Stat(b.data)
		return readable(b.data, err)
	}
	if err := a.read(ctx, b); err != nil {
		if b.onServer() {
			return err
		}
		names := header(b.data)
		if len(names) < 2 || b.layout.input != "" || b.layout.item != "" || b.layout.set != "" {
			return err
		}
		columns := "its first line is " + brief(strings.Join(names, ", "))
		if asks.in == nil {
			return fmt.Errorf("%w\n%s: %s", err, b.data, columns)
		}
		fmt.Fprintf(asks.out, "%s is a table of rows: %s\n", report.Visible(b.data),
			report.Visible(columns))
		b.layout.transaction = asks.choice("Which says the transaction", names, names[0], false)
		b.layout.item = asks.choice("Which has the item", names, names[1], false)
		if err := cmp.Or(asks.err, a.read(ctx, b)); err != nil {
			return err
		}
	}
	p, err := profile.Of(ctx, b.sets, 2, profile.Options{Progress: a.console.progress})
	if err != nil {
		return err
	}
	if b.layout.input == "" && !b.onServer() {
		b.layout.input = string(b.opts.Format)
		b.notes = append(b.notes, fmt.Sprintf("guessed: %s is of the format %s", b.data,
			b.opts.Format))
	}
	seen := fmt.Sprintf("%s: %s, %s", b.shown(), count(p.Transactions, "transaction"),
		count(p.Items, "item"))
	for i, unique := range p.Unique {
		seen += fmt.Sprintf("; %s known %s %s of them out", count(i+1, "item"),
			[]string{"singles", "single"}[min(i, 1)],
			report.Percent(float64(unique)/float64(max(1, p.Transactions))))
	}
	b.notes = append([]string{seen}, b.notes...)
	if b.family == (pipeline.KM{}).Name() && b.person == "" {
		beside, err := a.files(0).ColumnsBeside(ctx, b.data, b.opts, b.sets)
		if err != nil {
			return err
		}
		if found := pipeline.PersonColumns(beside); len(found) > 0 {
			b.person = found[0].Name
			b.notes = append(b.notes, "guessed: "+found[0].String())
		}
	}
	return nil
}

// header is the first line of a file, as columns; nil: it is no text.
func header(path string) []string {
	names, err := dataset.FirstRecord(path)
	if err != nil || rows.Is(path) || slices.ContainsFunc(names, isBinary) {
		return nil
	}
	return names
}

// isBinary tells whether a field holds what no text does.
func isBinary(field string) bool {
	return !utf8.ValidString(field) || strings.ContainsFunc(field, unicode.IsControl)
}

// brief is the beginning of a line that is quoted.
func brief(line string) string {
	const most = 100
	if runes := []rune(line); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return line
}

// onServer tells whether the data are in a database that is no file.
func (b *beginning) onServer() bool { return rows.Is(b.data) && rows.File(b.data) == "" }

// shown is what messages call the data.
func (b *beginning) shown() string {
	if b.onServer() {
		return rows.Shown(b.data)
	}
	return b.data
}

// beside is the folder in which a hierarchy is looked for: that of the data, or of the release.
func (b *beginning) beside() string {
	if b.onServer() {
		return filepath.Dir(b.out.path)
	}
	return filepath.Dir(b.data)
}

// read reads the data as the flags say.
func (a *app) read(ctx context.Context, b *beginning) (err error) {
	if b.opts, err = b.layout.options(); err == nil {
		b.sets, b.opts, err = a.files(0).Transactions(ctx, "transactions", b.data, b.opts)
	}
	return err
}

// ragged tells whether the lines of a csv file have different numbers of fields, as only baskets
// have.
func ragged(path string) bool {
	if dataset.Extension(path) != ".csv" || filepath.Ext(path) != ".csv" {
		return false
	}
	file, err := disk.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	lines, lengths := bufio.NewScanner(file), map[int]bool{}
	for n := 0; n < looked && lines.Scan(); n++ {
		most := 0
		for _, delimiter := range []string{",", ";", "\t", "|"} {
			most = max(most, strings.Count(lines.Text(), delimiter))
		}
		lengths[most] = true
	}
	return len(lengths) > 2
}

// looked is how many lines are looked at for that.
const looked = 100

// promises asks for the parameters of the promise, and for the hierarchy.
func (a *app) promises(ctx context.Context, b *beginning, asks *asker) {
	nonreciprocal := b.family == (pipeline.Nonreciprocal{}).Name()
	if b.l == 0 || b.k != 0 {
		b.k = asks.number("Hide everybody among at least how many (k)", cmp.Or(b.k, 5), 2, b.k != 0)
	}
	if !nonreciprocal {
		b.m = asks.number("How many items may an adversary know", cmp.Or(b.m, 2), 1, b.m != 0)
	}
	if b.family != (pipeline.KM{}).Name() {
		return
	}
	guess := ""
	if b.tree.path == "" {
		if guess = a.findHierarchy(ctx, b); guess != "" {
			b.notes = append(b.notes, "guessed: "+guess+" is the hierarchy: it has all the items")
		}
	}
	b.tree.path = asks.text("The file of the hierarchy", cmp.Or(b.tree.path, guess),
		b.tree.path != "")
	if b.tree.path == "" {
		b.tree.path = filepath.Join(b.beside(), "hierarchy.csv")
		b.notes = append(b.notes, "no file beside the data has all its items as a hierarchy: "+
			"make "+b.tree.path+", with mingle hierarchy or by hand (docs/hierarchies.md)")
	}
	if b.person != "" && asks.in != nil &&
		!asks.yes("Column "+strconv.Quote(b.person)+" says whose a transaction is: count persons") {
		b.person = ""
	}
}

// What is looked at for a hierarchy.
const (
	mostBeside    = 50       // files
	largestBeside = 16 << 20 // bytes
)

// findHierarchy finds a file beside the data that is a hierarchy of all its items.
func (a *app) findHierarchy(ctx context.Context, b *beginning) string {
	dir := b.beside()
	names, err := disk.List(dir)
	if err != nil {
		return ""
	}
	looked := 0
	for _, name := range names {
		switch filepath.Ext(name) {
		case ".csv", ".txt", ".json", ".tsv":
		default:
			continue
		}
		path := filepath.Join(dir, name)
		info, err := disk.Lstat(path)
		if err != nil || !info.Mode().IsRegular() || info.Size() > largestBeside ||
			filepath.Clean(path) == filepath.Clean(b.data) || ctx.Err() != nil {
			continue
		}
		if looked++; looked > mostBeside {
			return ""
		}
		tree, err := a.files(0).Hierarchy(ctx, path, hierarchy.ReadOptions{})
		if err != nil {
			continue
		}
		if _, err := tree.Encode(b.sets); err == nil {
			return path
		}
	}
	return ""
}

// write makes the text of the file.
func (b *beginning) write(root *cobra.Command) ([]byte, error) {
	d := releasefile.Draft{
		Family: b.family, Values: b.input(),
		About: func(f releasefile.Field) string { return flagHelp(root, b.family, f) },
		Head: "A release of mingle. Paths are relative to this file.\n" +
			"mingle run THIS_FILE --dry checks it, mingle run THIS_FILE makes the release.",
		Offered: offered, Tail: tail(b.family),
	}
	set := func(path string, values ...string) { d.Values[path] = values }
	number := func(path string, n int) {
		if n > 0 {
			set(path, strconv.Itoa(n))
		}
	}
	number("promise.k", b.k)
	switch b.family {
	case pipeline.KM{}.Name():
		number("promise.m", b.m)
		if b.person != "" {
			set("promise.person_column", b.person)
		}
	case pipeline.Continuous{}.Name():
		number("promise.m", b.m)
	case pipeline.Coherence{}.Name():
		set("promise.h", "0.5")
		number("promise.p", b.m)
		set("algorithm.nugget_support", "1%")
	case pipeline.Nonreciprocal{}.Name():
		number("promise.l", b.l)
		if b.label != "" {
			set("promise.label", b.label)
		}
	}
	set("output.release", "published"+b.extension())
	set("output.report", "report.json")
	set("output.page", "page.html")
	set("output.audit", "audit.json")
	return releasefile.Write(d)
}

// input is what the file says of the data and of the hierarchy.
func (b *beginning) input() map[string][]string {
	out := map[string][]string{}
	for path, value := range map[string]string{
		"input.file": b.relative(b.data), "input.format": b.layout.input,
		"input.delimiter": b.layout.delimiter, "input.inner_delimiter": b.layout.inner,
		"input.header": b.layout.header, "input.transaction_column": b.layout.transaction,
		"input.table": b.layout.tables.table, "input.query": b.layout.tables.query,
		"input.item_column": b.layout.item, "input.set_column": b.layout.set,
		"input.encoding": b.layout.encoding, "input.sheet": b.layout.sheet,
		"input.record_column": b.layout.transaction,
		"input.value_column":  cmp.Or(b.layout.item, b.layout.set),
	} {
		if value != "" {
			out[path] = []string{value}
		}
	}
	for path, list := range map[string][]string{
		"input.clean": b.layout.clean, "input.null_tokens": b.layout.null,
	} {
		if len(list) > 0 {
			out[path] = list
		}
	}
	for path, is := range map[string]bool{
		"input.skip_incomplete": b.layout.incomplete, "input.sequences": b.layout.sequences,
	} {
		if is {
			out[path] = []string{"true"}
		}
	}
	if b.family != (pipeline.KM{}).Name() {
		return out
	}
	for path, value := range map[string]string{
		"hierarchy.file": b.relative(b.tree.path), "hierarchy.format": b.tree.format,
		"hierarchy.separator": b.tree.separator, "hierarchy.add_root": b.tree.root,
	} {
		if value != "" {
			out[path] = []string{value}
		}
	}
	if len(b.tree.columns) > 0 {
		out["hierarchy.columns"] = b.tree.columns
	}
	return out
}

// offered are fields that many releases need, as comments.
var offered = map[string]string{
	"promise.sensitive": "FILE", "promise.private": "FILE", "promise.label": "COLUMN",
	"algorithm.suppress": "items", "algorithm.max_suppressed": "2%",
	"limits.time": "10m", "limits.memory": "2GB",
	"output.keep_columns": "[age, sex]", "output.replace": "true",
}

// tail shows how statements and thresholds are written.
func tail(family string) string {
	var s strings.Builder
	s.WriteString("\n# What humans say on the page to sign; the names of all statements are in\n" +
		"# what \"mingle report REPORT.json -o statements.yaml\" writes.\n# statements:\n")
	for _, f := range report.Top {
		if f.Default == nil {
			fmt.Fprintf(&s, "#   %s: \"\"  # %s\n", f.Name, f.Hint)
		}
	}
	example := map[string]string{
		"km":            "ncp: \">0.2\"\n#   singled_out_m2: \">0%\"",
		"continuous":    "ncp: \">0.2\"",
		"coherence":     "nuggets_kept: \"<0.5\"",
		"nonreciprocal": "error_rate: \">0.5\"",
	}[family]
	s.WriteString("\n# Nothing is published where a figure is so (exit code 3); docs/release-file.md\n" +
		"# lists the figures.\n# fail_if:\n#   " + example + "\n#   transactions: \"<1000\"\n")
	return s.String()
}

// extension is that of the published file.
func (b *beginning) extension() string {
	if b.family == (pipeline.Nonreciprocal{}).Name() {
		return ".jsonl"
	}
	if rows.Is(b.data) { // a table would need a name
		return ".csv"
	}
	return cmp.Or(dataset.Extension(b.data), ".csv")
}

// relative is a path as the release file has it.
func (b *beginning) relative(path string) string {
	if path == "" || filepath.IsAbs(path) || path == b.data && b.onServer() {
		return path
	}
	rel, err := filepath.Rel(filepath.Dir(b.out.path), path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// asker asks at a terminal; in is nil: it takes what is proposed.
type asker struct {
	in  *bufio.Scanner
	out io.Writer
	err error
}

// text asks unless that is known.
func (q *asker) text(what, proposed string, known bool) string {
	if q.in == nil || known || q.err != nil {
		return proposed
	}
	fmt.Fprintf(q.out, "%s [%s]: ", what, report.Visible(proposed))
	if !q.in.Scan() {
		q.err = usagef("the questions were not answered: nothing was written")
		return proposed
	}
	return cmp.Or(strings.TrimSpace(q.in.Text()), proposed)
}

func (q *asker) choice(what string, names []string, proposed string, known bool) string {
	for {
		answer := q.text(what+" ("+brief(strings.Join(names, ", "))+")", proposed, known)
		if q.err != nil || slices.Contains(names, answer) {
			return answer
		}
		fmt.Fprintf(q.out, "There is no %s.\n", report.Visible(answer))
	}
}

func (q *asker) number(what string, proposed, least int, known bool) int {
	for {
		n, err := strconv.Atoi(q.text(what, strconv.Itoa(proposed), known))
		if q.err != nil || known || err == nil && n >= least {
			return n
		}
		fmt.Fprintf(q.out, "It must be a whole number of at least %d.\n", least)
	}
}

func (q *asker) yes(what string) bool {
	return strings.HasPrefix(strings.ToLower(q.text(what, "yes", false)), "y")
}
