package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mingle/pipeline"
	"mingle/releasefile"
	"mingle/report"
)

// besideFields are flags that no field stands for: what they say has sections of its own, or is of
// one command line.
var besideFields = []string{"statements", "fail-if", "print-release", "help", "json", "quiet"}

func anonymizeCommand(t *testing.T, family string) *cobra.Command {
	t.Helper()
	cmd, _, err := (&app{}).command().Find([]string{"anonymize", family})
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.ParseFlags(nil); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// A new flag needs a line in the table of fields, and a new field a flag: this lists what is
// missing.
func TestEveryFlagHasAField(t *testing.T) {
	for _, flags := range families() {
		help := flags.help()
		cmd := anonymizeCommand(t, help.name)
		fields := map[string]releasefile.Field{}
		for _, f := range releasefile.Of(help.name) {
			if f.Argument {
				continue
			}
			if _, twice := fields[f.Flag]; twice {
				t.Errorf("anonymize %s: two fields are the flag --%s", help.name, f.Flag)
			}
			fields[f.Flag] = f
			flag := cmd.Flags().Lookup(f.Flag)
			if flag == nil {
				t.Errorf("%s is a field of %s, and anonymize %s has no flag --%s", f.Path(),
					help.name, help.name, f.Flag)
				continue
			}
			if want := kindsOf(flag); !slices.Contains(want, f.Kind) {
				t.Errorf("%s: the flag is a %s, which the kind does not fit", f.Path(),
					flag.Value.Type())
			}
			required := slices.Contains(slices.Concat(help.required, help.more), f.Flag)
			if f.Required != (required || f.Flag == "output") {
				t.Errorf("%s: required by the command: %v; by the file: %v", f.Path(), required,
					f.Required)
			}
		}
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			_, has := fields[flag.Name]
			if !has && !flag.Hidden && !slices.Contains(besideFields, flag.Name) {
				t.Errorf("anonymize %s --%s has no field: give it a line in releasefile.Fields",
					help.name, flag.Name)
			}
			list := values[flag.Name]
			if f := fields[flag.Name]; has && list != nil && f.Kind == releasefile.Choice {
				var names []string
				for _, name := range list(cmd) {
					names = append(names, strings.SplitN(name, "\t", 2)[0])
				}
				if !slices.Equal(names, f.Choices[help.name]) {
					t.Errorf("%s may be %v, and shells complete %v", f.Path(),
						f.Choices[help.name], names)
				}
			}
		})
	}
}

// kindsOf are the kinds that fit a flag.
func kindsOf(flag *pflag.Flag) []releasefile.Kind {
	switch flag.Value.Type() {
	case "bool":
		return []releasefile.Kind{releasefile.Yes}
	case "int":
		return []releasefile.Kind{releasefile.Whole}
	case "float64", "decimal":
		return []releasefile.Kind{releasefile.Number}
	case "duration":
		return []releasefile.Kind{releasefile.Time}
	case "1/N":
		return []releasefile.Kind{releasefile.Ratio}
	case "data|algorithm":
		return []releasefile.Kind{releasefile.Choice}
	case "stringSlice", "stringArray":
		return []releasefile.Kind{releasefile.List}
	}
	return []releasefile.Kind{
		releasefile.Text, releasefile.Path, releasefile.Target, releasefile.Char,
		releasefile.Choice, releasefile.Amount, releasefile.Size,
	}
}

// The schema in docs is that of the table.
func TestReleaseSchemaIsUpToDate(t *testing.T) {
	want, err := releaseSchema((&app{}).command())
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join("..", "..", "docs", "release.schema.json"))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/release.schema.json is not what the table makes (%v): "+
			"go run ./cmd/mingle run --schema > docs/release.schema.json", err)
	}
}

// compiledSchema is the schema that the test above compares with docs.
func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := releaseSchema((&app{}).command())
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("release.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("release.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// randomValue is a value of any kind; most are of the field's own.
func randomValue(rnd *rand.Rand, family string, f releasefile.Field) any {
	odd := []any{
		"", "text", 0, 1, 2, -1, 1.5, 0.25, true, false, nil,
		[]any{},
		[]any{"a", "b"},
		[]any{1},
		map[string]any{"a": 1},
		"${HOME}", "$${HOME}", "2%", "10m", "1/5", "2GB", ";", "tab",
		"yes", 5.0, 1e300, "1/1", "é", "auto", "-", "a: b", "\n", "null",
	}
	if rnd.IntN(8) == 0 {
		return odd[rnd.IntN(len(odd))]
	}
	one := func(list ...any) any { return list[rnd.IntN(len(list))] }
	switch f.Kind {
	case releasefile.Choice:
		return f.Choices[family][rnd.IntN(len(f.Choices[family]))]
	case releasefile.Yes:
		return one(true, false)
	case releasefile.Whole:
		return f.Least + rnd.IntN(5)
	case releasefile.Number:
		return one(0.5, 1, 0, 0.29)
	case releasefile.Amount:
		return one("2%", 0.02, 100, "2.5%", "1e-1")
	case releasefile.Size:
		return one("2GB", "500MB", 1000, "1.5 g")
	case releasefile.Time:
		return one("10m", "1h30m", "0", "500ms")
	case releasefile.Ratio:
		return one("1/2", "1/50")
	case releasefile.Char:
		return one(";", "tab", "|", "é", `\t`)
	case releasefile.List:
		return one([]any{"a"}, []any{"a", "b,c"}, "a")
	}
	return one("a", "a b", "no", "12", "# x", "x.csv", "*", "- a", "a'b\"c", "$${X}",
		randomServer(rnd))
}

// secretNames are of variables that a release file may take for passwords, and of some that it may
// not.
var secretNames = []string{
	"PGPASSWORD", "MINGLE_SEED", "Mingle_PASSWD", "a_Passwd_2", "pgpassfile", "HOME", "AWS_SECRET",
	"X_MINGLE_", "PASS", "PASSWORD2",
}

// randomServer is the address of a database with a variable for its password.
func randomServer(rnd *rand.Rand) string {
	return "postgres://u:${" + secretNames[rnd.IntN(len(secretNames))] + "}@h/d"
}

// randomDocument is a release file, valid more often than not.
func randomDocument(rnd *rand.Rand) map[string]any {
	family := pipeline.Families()[rnd.IntN(4)]
	doc := map[string]any{"release": 1}
	promise := map[string]any{"family": family}
	doc["promise"] = promise
	share := []float64{0.05, 0.3, 0.9}[rnd.IntN(3)]
	fields := releasefile.Of(family)
	if rnd.IntN(10) == 0 {
		fields = releasefile.Fields // of other families, too
	}
	for _, f := range fields {
		if rnd.Float64() > share && (!f.Required || rnd.IntN(40) == 0) {
			continue
		}
		section, is := doc[f.Section].(map[string]any)
		if !is {
			section = map[string]any{}
			doc[f.Section] = section
		}
		if !slices.Contains(f.Families, family) && f.Kind == releasefile.Choice {
			continue
		}
		if rnd.IntN(30) > 0 || f.Required {
			f.Choices = map[string][]string{family: append([]string{}, f.Choices[family]...)}
			section[f.Name] = randomSane(rnd, family, f)
		} else {
			section[f.Name] = randomValue(rnd, family, f)
		}
	}
	if rnd.IntN(2) == 0 {
		doc["fail_if"] = randomConditions(rnd, family)
	}
	if rnd.IntN(2) == 0 {
		doc["statements"] = map[string]any{"owner": []any{"somebody", "", 1, nil}[rnd.IntN(4)]}
	}
	switch rnd.IntN(40) {
	case 0:
		doc["release"] = []any{2, "1", 1.0, nil}[rnd.IntN(4)]
	case 1:
		doc["relaese"] = 1
	case 2:
		promise["family"] = []any{"kn", nil, 1}[rnd.IntN(3)]
	case 3:
		doc["limits"] = []any{nil, []any{}, "x", map[string]any{}}[rnd.IntN(4)]
	case 4:
		delete(doc, "input")
	}
	return doc
}

// randomSane is a value of the field's own kind.
func randomSane(rnd *rand.Rand, family string, f releasefile.Field) any {
	if rnd.IntN(60) == 0 {
		return randomValue(rnd, family, f)
	}
	for {
		v := randomValue(rand.New(rand.NewPCG(rnd.Uint64(), 1)), family, f)
		switch v.(type) {
		case nil, map[string]any:
			continue
		}
		return v
	}
}

func randomConditions(rnd *rand.Rand, family string) any {
	names := []string{"npc", "singled_out", "singled_out_m0", "singled_out_m12"}
	for _, f := range report.Figures(family) {
		name := f.Name
		if f.Known {
			name += fmt.Sprintf("_m%d", 1+rnd.IntN(4))
		}
		for range 3 {
			names = append(names, name)
		}
	}
	out := map[string]any{}
	for range rnd.IntN(3) {
		conditions := []any{
			">0.05", ">= 1 %", "<3", []any{">1", "<=0.5"}, ">1", "<2%", ">", "1", 1, []any{}, nil,
		}
		if rnd.IntN(4) > 0 {
			conditions = conditions[:6]
		}
		out[names[rnd.IntN(len(names))]] = conditions[rnd.IntN(len(conditions))]
	}
	return out
}

// The reader and the schema say the same of random documents, as JSON is YAML.
func TestReaderAgreesWithTheSchema(t *testing.T) {
	schema := compiledSchema(t)
	for _, name := range secretNames {
		t.Setenv(name, "x")
	}
	rnd := rand.New(rand.NewPCG(22, 1))
	valid := 0
	const documents = 3000
	for range documents {
		doc := randomDocument(rnd)
		text, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		_, read := releasefile.Read(bytes.NewReader(text), "f", os.LookupEnv)
		judged := schema.Validate(plain)
		if (read == nil) != (judged == nil) {
			t.Fatalf("%s\nthe reader: %v\nthe schema: %v", text, read, judged)
		}
		if read == nil {
			valid++
		}
	}
	if valid < documents/10 || valid > documents*9/10 {
		t.Errorf("%d of %d documents are valid: both kinds must be tried", valid, documents)
	}
}

// What a command is given, its release file gives: flag by flag, for random commands.
func TestPrintedReleaseGivesTheSameFlags(t *testing.T) {
	rnd := rand.New(rand.NewPCG(22, 2))
	parses := map[string]*pflag.FlagSet{}
	for _, family := range pipeline.Families() {
		parses[family] = anonymizeCommand(t, family).Flags()
	}
	for i := range 200 {
		family := pipeline.Families()[i%4]
		given := anonymizeCommand(t, family)
		for _, f := range releasefile.Of(family) {
			if f.Argument || !f.Required && rnd.IntN(3) > 0 {
				continue
			}
			var texts []string
			for _, v := range asList(randomPlain(rnd, family, f, parses[family])) {
				texts = append(texts, fmt.Sprint(v))
			}
			if err := setFlag(given.Flags(), f.Flag, texts); err != nil {
				t.Fatalf("%s %q: %v", f.Path(), texts, err)
			}
		}
		var out bytes.Buffer
		a := &app{out: &out}
		err := a.printRelease(given, []string{"in put.csv"}, family, &anonymizeFlags{})
		if err != nil {
			t.Fatal(err)
		}
		file, err := releasefile.Read(&out, "f", os.LookupEnv)
		if err != nil {
			t.Fatal(err)
		}
		again := anonymizeCommand(t, family)
		input, err := setFlags(again, file)
		if err != nil || input != "in put.csv" {
			t.Fatalf("%q, %v", input, err)
		}
		if want, got := recipeOf(given), recipeOf(again); want != got {
			t.Fatalf("given %s\nagain %s", want, got)
		}
	}
}

// randomPlain is a value as a flag takes it.
func randomPlain(
	rnd *rand.Rand, family string, f releasefile.Field, parses *pflag.FlagSet,
) any {
	for {
		v := randomValue(rnd, family, f)
		text, _ := json.Marshal(map[string]any{"v": v})
		switch v.(type) {
		case nil, map[string]any:
			continue
		}
		switch f.Kind {
		case releasefile.Yes, releasefile.Whole, releasefile.Number:
			if parses.Set(f.Flag, fmt.Sprint(v)) != nil {
				continue
			}
		}
		if valid(family, f, text) {
			return v
		}
	}
}

// valid tells whether a file may have the value.
func valid(family string, f releasefile.Field, text []byte) bool {
	var v map[string]any
	if json.Unmarshal(text, &v) != nil {
		return false
	}
	doc, err := json.Marshal(map[string]any{
		"release": 1, "promise": map[string]any{"family": family}, f.Section: v,
	})
	if err != nil {
		return false
	}
	doc = bytes.Replace(doc, []byte(`"v":`), []byte(`"`+f.Name+`":`), 1)
	if f.Section == "promise" {
		inner := map[string]any{"family": family, f.Name: v["v"]}
		doc, _ = json.Marshal(map[string]any{"release": 1, "promise": inner})
	}
	_, err = releasefile.Read(bytes.NewReader(doc), "f", os.LookupEnv)
	return err == nil || !strings.Contains(err.Error(), f.Path()+" ") &&
		!strings.Contains(err.Error(), f.Path()+":")
}

func asList(v any) []any {
	if list, is := v.([]any); is {
		return list
	}
	return []any{v}
}

// recipeOf is all flags that a command was given, with their values.
func recipeOf(cmd *cobra.Command) string {
	var out []string
	cmd.Flags().Visit(func(f *pflag.Flag) { out = append(out, f.Name+"="+f.Value.String()) })
	return strings.Join(out, " ")
}

// Every release file that is shown, in examples and in docs, is one: for the reader and for the
// schema.
func TestShownReleaseFiles(t *testing.T) {
	schema := compiledSchema(t)
	root := filepath.Join("..", "..")
	shown, err := filepath.Glob(filepath.Join(root, "examples", "*", "release*.yaml"))
	if err != nil || len(shown) == 0 {
		t.Fatal("there are no examples: ", err)
	}
	texts := map[string][]byte{}
	for _, path := range shown {
		if texts[path], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "release-file.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(page, -1)
	if len(blocks) == 0 {
		t.Error("docs/release-file.md shows no file")
	}
	for i, block := range blocks {
		texts[fmt.Sprintf("docs/release-file.md, block %d", i+1)] = block[1]
	}
	for name, text := range texts {
		if _, err := releasefile.Read(bytes.NewReader(text), name, os.LookupEnv); err != nil {
			t.Error(err)
		}
		plain, err := yaml.YAMLToJSON(text)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(plain))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
