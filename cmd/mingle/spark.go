package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mingle/anonymize/global"
	"mingle/cluster"
	"mingle/cluster/judge"
	"mingle/cluster/place"
	"mingle/cluster/spark"
	"mingle/cluster/split"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/disk"
	"mingle/internal/publish"
	"mingle/pipeline"
	"mingle/privacy"
	"mingle/report"
)

// sparkFlags say which Spark is to work, and on what.
type sparkFlags struct {
	options spark.Options
	log     string
	layout  struct{ format, delimiter string }
	tree    hierarchyFlags
	promise privacy.KM

	sensitive    string // the list; "": there is none
	allowUnknown bool

	person string // field; "": transactions are counted
}

func (s *sparkFlags) register(f *pflag.FlagSet) {
	s.on(f)
	f.IntVarP(&s.promise.K, "k", "k", 0, "every combination that occurs does so in at least k transactions (at least 2)")
	f.IntVarP(&s.promise.M, "m", "m", 0, "items an adversary may know of a person (at least 1)")
}

// on registers the flags of the cluster, and of what lies there.
func (s *sparkFlags) on(f *pflag.FlagSet) {
	o := &s.options
	f.StringVar(&o.Master, "master", "", "the master, as spark-submit has it: spark://host:7077, yarn, k8s://https://host:443, local[2]")
	f.StringVar(&o.Home, "spark-home", "", "the folder of Apache Spark (default: SPARK_HOME, or where spark-sql is found)")
	f.StringArrayVar(&o.Conf, "conf", nil, "a setting of Spark, key=value; may be given several times")
	f.StringVar(&s.log, "spark-log", "", "write what Spark says of its work to this file")
	s.tree.register(f)
	f.StringVar(&s.layout.format, "input-format", "", "fimi or basket, one transaction a line, or with persons jsonl, one object a line (default: by the extension)")
	f.StringVar(&s.layout.delimiter, "delimiter", "", "basket: between the items (default: a comma)")
}

// who registers the flags of sensitive items, and of persons.
func (s *sparkFlags) who(f *pflag.FlagSet) {
	f.StringVar(&s.sensitive, "sensitive", "", "file with the sensitive items, one a line: published as they are, not taken as known, and with -l not to be inferred")
	f.IntVarP(&s.promise.L, "l", "l", 0, "no such combination implies a sensitive item with more than 1/l (at least 2)")
	f.StringVar(&s.person, "person-column", "", "field of jsonl that says whose each transaction is, where a person has several: k counts distinct persons then. It is never published, and the lines are published in ascending order")
	f.Var((*personShareFlag)(&s.promise.PersonShare), "max-person-share", "with --person-column: no person has more than this share of the lines with any such combination, such as 1/5")
	f.BoolVar(&s.allowUnknown, "allow-unknown-sensitive", false, "the list may have items that neither the data nor the hierarchy has, as one that serves many data sets")
}

// read checks the flags and reads the hierarchy, which is sent to the workers as it is.
func (s *sparkFlags) read(input string) (layout split.Layout, err error) {
	for _, c := range s.options.Conf {
		if !strings.Contains(c, "=") {
			return layout, usagef("--conf (%s) must be key=value", c)
		}
	}
	var bad faults
	layout.Delimiter = bad.rune("--delimiter", s.layout.delimiter)
	if err := bad.err(); err != nil {
		return layout, err
	}
	if layout.Format = dataset.Format(s.layout.format); layout.Format == "" {
		if layout.Format, _, err = dataset.FormatOf(input); err != nil {
			layout.Format = "" // a folder: Check says what to do
		}
		if layout.Format == dataset.Parquet {
			layout.Format = dataset.Fimi // as its lists are read
		}
	}
	if s.sensitive != "" {
		if layout.Sensitive, err = listed(s.sensitive); err != nil {
			return layout, err
		}
	}
	layout.Person, s.promise.Persons = s.person, s.person != ""
	if err := layout.Check(); err != nil {
		return layout, usagef("%w", err)
	}
	if layout.Reading, err = s.tree.options(); err != nil {
		return layout, err
	}
	layout.Reading.Name = filepath.Base(s.tree.path)
	if layout.Hierarchy, err = disk.ReadFile(s.tree.path); err != nil {
		return layout, fmt.Errorf("the hierarchy cannot be read: %w", err)
	}
	return layout, nil
}

// listed reads a list of sensitive items.
func listed(path string) ([]string, error) {
	list, err := disk.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the list of sensitive items cannot be read: %w", err)
	}
	defer list.Close()
	return pipeline.ReadItems(list, filepath.Base(path))
}

// reads is what a command reads, with inputs.
func (s *sparkFlags) reads(inputs ...string) []place.Named {
	out := []place.Named{
		{What: "--hierarchy", Path: s.tree.path}, {What: "--sensitive", Path: s.sensitive},
	}
	for _, in := range inputs {
		out = append(out, place.Named{What: "the input", Path: in})
	}
	return out
}

// open starts a session; close ends it, and the file of Spark's messages.
func (s *sparkFlags) open(cmd *cobra.Command) (e *spark.Engine, closing func(), err error) {
	written := place.Named{What: "--spark-log", Path: s.log}
	if err := place.Apart(written, s.reads(cmd.Flags().Args()...)...); err != nil {
		return nil, nil, usagef("%w", err)
	}
	if s.options.Worker, err = os.Executable(); err != nil {
		return nil, nil, err
	}
	var log *disk.File
	if s.log != "" {
		if log, err = openLog(s.log); err != nil {
			return nil, nil, err
		}
		s.options.Log = log.File // which a process can write to by itself
	}
	s.options.Hurry = askSlowEnd(cmd.Context())
	if e, err = spark.Open(cmd.Context(), s.options); err != nil {
		return nil, nil, err
	}
	return e, func() {
		e.Close() // all work is done, or has an error of its own
		if log != nil {
			log.Close()
		}
	}, nil
}

// openLog opens a file for what Spark says, which is its owner's also where it was there.
func openLog(path string) (*disk.File, error) {
	log, err := disk.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := log.Stat()
	if err == nil && info.Mode().IsRegular() { // and not a terminal, say
		err = log.Chmod(0o600)
	}
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return log, nil
}

// sparkLook is what looks at files begins with: what they are, and a session.
type sparkLook struct {
	*sparkProgress
	layout split.Layout
	tree   *hierarchy.Tree
	engine *spark.Engine
	close  func() // ends the session
}

// sparkLook checks the flags for looking at the files of a path before it starts a session.
func (a *app) sparkLook(cmd *cobra.Command, f *sparkFlags, path string) (*sparkLook, error) {
	if err := required(cmd, "hierarchy", "k", "m", "master"); err != nil {
		return nil, err
	}
	f.promise.Persons = f.person != ""
	if err := f.promise.Validate(); err != nil {
		return nil, err
	}
	l := &sparkLook{sparkProgress: &sparkProgress{console: &a.console}}
	var err error
	if l.layout, err = f.read(path); err != nil {
		return nil, err
	}
	if err := cluster.Check(f.promise, len(l.layout.Sensitive)); err != nil {
		return nil, err
	}
	if l.tree, err = l.layout.Tree(); err != nil {
		return nil, err
	}
	f.options.Tasks = l.tasks
	l.engine, l.close, err = f.open(cmd)
	return l, err
}

// spark is "mingle spark".
func (a *app) spark() *cobra.Command {
	root := a.group("spark", "The same on Apache Spark, for data past one machine")
	anonymize := a.group("anonymize", "Make a release that keeps a promise")
	verify := a.group("verify", "Check whether published files keep a promise")
	anonymize.AddCommand(a.sparkAnonymize())
	verify.AddCommand(a.sparkVerify())
	root.AddCommand(anonymize, verify, a.sparkInspect(), a.sparkMeasure(), a.sparkAttack())
	return root
}

// sparkRelease is a release to be made.
type sparkRelease struct {
	sparkFlags
	output, algorithm, report string
	query, format             string
	force                     bool
	vertical                  global.VPA
	parts                     sparkParts
}

func (a *app) sparkAnonymize() *cobra.Command {
	var r sparkRelease
	cmd := &cobra.Command{
		Use:   "km [INPUT] -H HIERARCHY -k K -m M --master MASTER -o FOLDER",
		Short: "k^m-anonymity (and l^m-diversity) by generalization over a hierarchy",
		Long: `Publishes a file, or the files of a folder, as "mingle anonymize km --algorithm aa" (or exact,
or vpa) does on one machine: the published files one after another are the same bytes, or with
--person-column the same lines, in ascending order. local and partition are made in parts, each by
one worker: where there is one part alone, it is the release of one machine; several lose more.
Spark reads and writes the files, the program itself is the worker. What is about to be published is
judged by a job of its own; if it finds a breach, or a job returns less than all, nothing is
published.`,
		Example: `  mingle spark anonymize km baskets.dat -H tree.csv -k 5 -m 2 --master spark://host:7077 -o published
  mingle spark anonymize km baskets.dat -H tree.csv -k 5 -m 2 --algorithm local --worker-memory 4GB --master yarn -o published
  mingle spark anonymize km shop.jsonl --person-column customer -H tree.csv -k 5 -m 2 --master yarn -o published
  mingle spark anonymize km stays.dat -H icd9.csv -k 5 -m 2 --sensitive hiv.txt -l 3 --master yarn -o published
  mingle spark anonymize km --query "SELECT array_join(items, ' ') FROM parquet.` + "`/lake/baskets`" + `" --input-format fimi -H tree.csv -k 5 -m 2 --master yarn -o published`,
		Args: arguments(0, 1, "one file or folder of transactions, or --query"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.sparkRun(cmd, args, &r) },
	}
	f := cmd.Flags()
	r.register(f)
	r.who(f)
	f.StringVar(&r.algorithm, "algorithm", "aa", "aa; exact, which loses least of all global recodings and takes some times the jobs; vpa, which takes some more; or local or partition, each in parts")
	r.parts.register(f)
	f.IntVar(&r.vertical.PartitionLevel, "partition-level", 0, "vpa: the height of the subtrees that stay together")
	f.StringVar(&r.query, "query", "", "read the rows of this query of Spark SQL in place of files: one column of text, a transaction each; it is asked once, and its rows lie beside the output until the end")
	f.StringVarP(&r.output, "output", "o", "", "the folder of the published files, which must not be there")
	f.StringVar(&r.format, "output-format", "", "parquet: a table of one column, items, that has lists of text; for fimi (default: as the input)")
	f.BoolVar(&r.force, "force", false, "replace a release that is there, or an empty folder")
	f.StringVar(&r.report, "report", "", "write a report that is safe to publish: JSON, or by its extension the page (.html, .pdf) or text (.txt); the published files are read for it, which must fit in memory")
	writes(f, "report")
	return cmd
}

// apart refuses what would be written over what is read, or over something else that is written.
func (r *sparkRelease) apart(input string) error {
	read := r.reads(input)
	for _, at := range place.Quoted(r.query) {
		read = append(read, place.Named{What: "a path of --query", Path: at})
	}
	for _, w := range []place.Named{
		{What: "--output", Path: r.output},
		{What: "--spark-log", Path: r.log},
		{What: "--report", Path: r.report},
	} {
		if w.Path == publish.Stdout {
			continue
		}
		if err := place.Apart(w, read...); err != nil {
			return usagef("%w", err)
		}
		read = append(read, w)
	}
	return nil
}

// made checks the flags and is the release that they ask for, without its engine.
func (r *sparkRelease) made(args []string) (*cluster.Release, error) {
	input := ""
	if len(args) == 1 {
		input = args[0]
	}
	switch {
	case !slices.Contains(cluster.Algorithms, r.algorithm):
		return nil, usagef("--algorithm %s is not made on Spark: %s are", r.algorithm,
			strings.Join(cluster.Algorithms, ", "))
	case (input == "") == (r.query == ""):
		return nil, usagef("name one file or folder of transactions, or give --query")
	case r.format != "" && r.format != "parquet":
		return nil, usagef("--output-format %s is not written on Spark: parquet is, or, without it, "+
			"the format of the input", r.format)
	case r.format != "" && r.report != "":
		return nil, usagef("--report is made of published lines: leave out --output-format parquet")
	case r.person != "" && r.format != "":
		return nil, usagef("with --person-column lines of jsonl are written: leave out --output-format")
	}
	if err := r.apart(input); err != nil {
		return nil, err
	}
	r.promise.Persons = r.person != ""
	release := &cluster.Release{
		Version: pipeline.Version, Input: input, Query: r.query,
		Promise: r.promise, Algorithm: r.algorithm, Vertical: r.vertical,
		Output: r.output, Force: r.force, Table: r.format != "", AllowUnknown: r.allowUnknown,
	}
	err := release.Promise.Validate()
	if err == nil {
		release.Layout, err = r.read(input)
		release.Promise = r.promise
	}
	if err == nil {
		err = r.parts.ask(release)
	}
	if err == nil {
		err = cluster.Check(release.Promise, len(release.Layout.Sensitive))
	}
	return release, err
}

// sparkRun makes a release and prints what the judge found.
func (a *app) sparkRun(cmd *cobra.Command, args []string, r *sparkRelease) error {
	if err := required(cmd, "hierarchy", "k", "m", "master", "output"); err != nil {
		return err
	}
	release, err := r.made(args)
	if err != nil {
		return err
	}
	if place.Scheme(r.output) == "" { // before a session is started, which takes long
		if _, err := cluster.Free(cmd.Context(), spark.Here(), r.output, r.force); err != nil {
			return err
		}
	}
	told, err := a.sparkReport(cmd, args, release, r)
	if err != nil {
		return err
	}
	defer told.Abort()
	shown := &sparkProgress{console: &a.console}
	r.options.Tasks, release.Progress = shown.tasks, shown.begin
	engine, closing, err := r.open(cmd)
	if err != nil {
		return err
	}
	defer closing()
	if r.report != "" && release.Input != "" { // before the work, where that is known
		if err := a.fitsReport(cmd.Context(), engine, release.Input); err != nil {
			return err
		}
	}
	release.Engine = engine
	made, err := release.Make(cmd.Context())
	if err != nil {
		return err
	}
	text, result := sparkText(made.Finding, r.output), sparkResult(made.Finding)
	if made.Parts > 0 {
		result["parts"] = made.Parts
		text += fmt.Sprintf("made in %d parts\n", made.Parts)
	}
	if b := made.Bound; b != nil {
		result["lowerBound"], result["optimal"] = b.NCP, b.Optimal
		text += fmt.Sprintf("no global recoding that keeps the promise has an NCP below %.6f\n", b.NCP)
		if release.Promise.Diverse() {
			text += "  (by the supports of what is published alone: l may make the true bound higher)\n"
		}
	}
	return a.console.print(text, result)
}

func (a *app) sparkVerify() *cobra.Command {
	var flags sparkFlags
	cmd := &cobra.Command{
		Use:   "km [ORIGINAL] PUBLISHED -H HIERARCHY -k K -m M --master MASTER",
		Short: "Do published files keep k^m-anonymity (and l^m-diversity)?",
		Long: `Judges published files from the definition: of a global recoding, or of a local one, whose lines
are also read child by child. With the original it also checks that line i of the published files is
the recoding of line i of the original. With --person-column persons are counted: then the recoding
must be a global one (a local one is judged only while it is made), the original is needed, and the
published lines, in any order, must be the recodings of its lines. The exit code is 0 when the
promise holds and 3 when it does not.`,
		Example: `  mingle spark verify km baskets.dat published -H tree.csv -k 5 -m 2 --master spark://host:7077`,
		Args:    arguments(1, 2, "the published files, with the original before them where it is at hand"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.person != "" && len(args) == 1 {
				return usagef("whose each line is stands in the original alone: name it before the " +
					"published files")
			}
			look, err := a.sparkLook(cmd, &flags, args[0])
			if err != nil {
				return err
			}
			defer look.close()
			r := judge.Release{
				Engine: look.engine, Version: pipeline.Version, Layout: look.layout,
				Tree: look.tree, K: flags.promise.K, M: flags.promise.M, L: flags.promise.L,
				PersonShare: flags.promise.PersonShare, AllowUnknown: flags.allowUnknown,
				Progress: look.begin,
			}
			files := func(at string) ([]string, error) {
				return cluster.Files(cmd.Context(), look.engine, look.layout, at)
			}
			r.Published, err = files(args[len(args)-1])
			if err == nil && len(args) == 2 {
				r.Original, err = files(args[0])
			}
			if err != nil {
				return err
			}
			finding, err := r.Judge(cmd.Context())
			if err != nil {
				return err
			}
			return a.sparkVerdict(finding)
		},
	}
	flags.register(cmd.Flags())
	flags.who(cmd.Flags())
	return cmd
}

// sparkVerdict prints what the judge found.
func (a *app) sparkVerdict(f *judge.Finding) error {
	return a.console.judged(f.Holds, sparkText(f, ""), sparkResult(f))
}

// sparkText says what the judge found, and where the release is.
func sparkText(f *judge.Finding, output string) string {
	var s strings.Builder
	if f.Holds {
		of := ""
		if f.Persons > 0 {
			of = fmt.Sprintf(" of %d persons", f.Persons)
		}
		fmt.Fprintf(&s, "the promise holds: %d lines%s, %d labels, %d larger sets of labels were "+
			"looked at\n", f.Lines, of, len(f.Supports), f.Sets)
	} else {
		fmt.Fprintf(&s, "the promise does not hold: %d breaches\n", f.Broken)
	}
	for _, b := range f.Breaches {
		fmt.Fprintf(&s, "  %s\n", b)
	}
	for _, note := range f.Notes {
		fmt.Fprintf(&s, "note: %s\n", note)
	}
	if f.Occurrences > 0 {
		fmt.Fprintf(&s, "NCP %s\n", report.LossText(f.NCP))
	}
	if output != "" {
		fmt.Fprintf(&s, "published: %s\n", output)
	}
	return s.String()
}

// sparkResult is the same for programs.
func sparkResult(f *judge.Finding) map[string]any {
	result := map[string]any{
		"holds": f.Holds, "breaches": f.Breaches, "broken": f.Broken, "lines": f.Lines,
		"labels": len(f.Supports), "sets": f.Sets, "ncp": f.NCP, "local": f.Local,
	}
	if f.Persons > 0 {
		result["persons"] = f.Persons
	}
	if len(f.Notes) > 0 {
		result["notes"] = f.Notes
	}
	return result
}

// worker is "mingle worker", which Spark runs on the machines of a cluster.
func (a *app) worker() *cobra.Command {
	return &cobra.Command{
		Use: "worker VERB PLAN", Hidden: true,
		Short: "What mingle spark has other machines run",
		Args:  arguments(2, 2, "what is to be done, and the plan"),
		RunE: func(cmd *cobra.Command, args []string) error {
			plan, err := disk.ReadFile(args[1])
			if err == nil {
				plan, err = spark.Unseal(os.Getenv(spark.SecretVariable), plan)
			}
			if err != nil {
				return err
			}
			runtime.GOMAXPROCS(1) // Spark runs one worker a core
			return cluster.Work(
				cmd.Context(), args[0], bytes.NewReader(plan), pipeline.Version, a.in, a.out)
		},
	}
}
