package main

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The help of a command that makes or judges a release has each flag once, below what it is about.
func TestHelpIsBySubject(t *testing.T) {
	root := (&app{out: io.Discard, errs: io.Discard}).command()
	for _, verb := range []string{"anonymize", "verify"} {
		for _, family := range families() {
			cmd, _, err := root.Find([]string{verb, family.help().name})
			if err != nil {
				t.Fatal(err)
			}
			cmd.InitDefaultHelpFlag()
			var told, headings []string
			for _, line := range strings.Split(bySubject(cmd), "\n") {
				if len(line) > mostWidth {
					t.Errorf("%s: %d columns: %s", cmd.CommandPath(), len(line), line)
				}
				if name, is := strings.CutSuffix(line, " flags:"); is {
					headings = append(headings, name)
				} else if _, flag, is := strings.Cut(line[:min(len(line), 12)], "--"); is {
					at := strings.Index(line, "--"+flag)
					told = append(told, strings.Fields(line[at+2:])[0])
				}
			}
			var has []string
			cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
				if !f.Hidden {
					has = append(has, f.Name)
				}
			})
			if slices.Sort(told); !slices.Equal(told, has) {
				t.Errorf("%s: the help has %v, the command %v", cmd.CommandPath(), told, has)
			}
			if headings[0] != "Promise" || headings[len(headings)-1] != "Run" {
				t.Errorf("%s: %v", cmd.CommandPath(), headings)
			}
			ofMethod(t, cmd, family)
		}
	}
}

// What is said of a run on Spark is not of an algorithm.
func TestHelpOfSparkIsBySubject(t *testing.T) {
	root := (&app{out: io.Discard, errs: io.Discard}).command()
	for _, verb := range []string{"anonymize", "verify"} {
		cmd, _, err := root.Find([]string{"spark", verb, "km"})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"master", "conf", "spark-home", "spark-log", "worker-memory"} {
			if f := cmd.LocalFlags().Lookup(name); f != nil && subjectOf(f) != "Run" {
				t.Errorf("%s: --%s is of %s", cmd.CommandPath(), name, subjectOf(f))
			}
		}
	}
}

// Every flag of every command is given once, but those that are lists.
func TestFlagsAreGivenOnce(t *testing.T) {
	everyFlag(func(cmd *cobra.Command, f *pflag.Flag) {
		_, once := f.Value.(*onceFlag)
		kind := f.Value.Type()
		list := strings.HasSuffix(kind, "Slice") || strings.HasSuffix(kind, "Array") || kind == "shares"
		if once == list {
			t.Errorf("%s --%s, a %s: given once: %v", cmd.CommandPath(), f.Name, kind, once)
		}
	})
}

// A number is decimal in every flag of every command, whatever it begins with.
func TestNumbersAreDecimal(t *testing.T) {
	everyFlag(func(cmd *cobra.Command, f *pflag.Flag) {
		switch kind := f.Value.Type(); kind {
		case "int", "int64", "uint64", "float64", "decimal":
			for _, zeros := range []string{"010", "+010", "08", "000"} {
				want := strings.TrimLeft(zeros, "+0")
				if zeros[0] == '+' && (kind == "uint64" || kind == "decimal") { // have no sign
					continue
				}
				if want == "" {
					want = "0"
				}
				if err := f.Value.Set(zeros); err != nil || f.Value.String() != want {
					t.Errorf("%s --%s %s is %s (%v)", cmd.CommandPath(), f.Name, zeros,
						f.Value.String(), err)
				}
			}
			for _, other := range []string{"0x10", "0b11", "0o10", "1_0", "", "-", "--1"} {
				if f.Value.Set(other) == nil {
					t.Errorf("%s --%s %q is %s", cmd.CommandPath(), f.Name, other, f.Value.String())
				}
			}
		case "intSlice":
			if err := f.Value.Set("010,08"); err != nil || f.Value.String() != "[10,8]" {
				t.Errorf("%s --%s is %s (%v)", cmd.CommandPath(), f.Name, f.Value.String(), err)
			}
		case "int8", "int16", "int32", "uint", "uint8", "uint16", "uint32", "float32", "count":
			t.Errorf("%s --%s is a %s: see decimal", cmd.CommandPath(), f.Name, kind)
		}
	})
}

// everyFlag visits the flags of all commands.
func everyFlag(visit func(*cobra.Command, *pflag.Flag)) {
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { visit(cmd, f) })
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk((&app{out: io.Discard, errs: io.Discard}).command())
}

// ofMethod checks that a flag is said to be of the algorithm where it is.
func ofMethod(t *testing.T, cmd *cobra.Command, family familyFlags) {
	t.Helper()
	method := pflag.NewFlagSet("", pflag.ContinueOnError)
	family.method(method)
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && subjectOf(f) == algorithmSubject && method.Lookup(f.Name) == nil {
			t.Errorf("%s: --%s is in no list of subjects", cmd.CommandPath(), f.Name)
		}
	})
}

// The help of every command is wrapped, and has its flags.
func TestHelpIsWrapped(t *testing.T) {
	root := (&app{out: io.Discard, errs: io.Discard}).command()
	var look func(*cobra.Command)
	look = func(cmd *cobra.Command) {
		cmd.InitDefaultHelpFlag()
		help := cmd.UsageString()
		if !strings.Contains(help, " help for ") {
			t.Errorf("%s has no flags in its help:\n%s", cmd.CommandPath(), help)
		}
		_, flags, _ := strings.Cut(help, "lags:\n")
		for _, line := range strings.Split(cmd.Long+"\n"+flags, "\n") {
			if len(line) > mostWidth {
				t.Errorf("%s: %d columns: %s", cmd.CommandPath(), len(line), line)
			}
		}
		for _, below := range cmd.Commands() {
			look(below)
		}
	}
	look(root)
}
