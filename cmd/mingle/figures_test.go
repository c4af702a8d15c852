package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"mingle/report"
)

// figureRuns is a release of each family, on data of a few hundred lines.
var figureRuns = map[string][]string{
	"km": {
		"shop.csv", "--input-format", "basket", "-H", "tree.csv", "-k", "5", "-m", "2",
		"--algorithm", "aa", "--gap",
	},
	"continuous":    {"income.csv", "-k", "5", "-m", "2"},
	"nonreciprocal": {"shop.csv", "--input-format", "basket", "-k", "3", "--seed", "x"},
	"coherence": {
		"shop.csv", "--input-format", "basket", "--h", "0.5", "-k", "5", "-p", "2",
		"--nugget-support", "2%",
	},
}

// Every figure that the report or the audit file of a family has can be named in a threshold: all
// thresholds on all figures fail, and tell the values of all losses and of all attempts.
func TestEveryFigureHasAName(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	command := func(want int, args ...string) string {
		t.Helper()
		var out, errs strings.Builder
		if code := program(args, strings.NewReader(""), &out, &errs); code != want {
			t.Fatalf("%v: exit code %d: %s", args, code, errs.String())
		}
		return errs.String()
	}
	command(0, "generate", "shop", "--transactions", "300", "--items", "50", "--seed", "3", "-o",
		"shop.csv", "--catalogue", "tree.csv", "--quiet")
	command(0, "generate", "income", "--records", "100", "--seed", "3", "-o", "income.csv",
		"--quiet")
	for family, args := range figureRuns {
		args = append([]string{"anonymize", family}, args...)
		command(0, append(args, "-o", family+".out.jsonl", "--report", family+".json", "--audit",
			family+".audit.json", "--quiet")...)
		var all []string
		for _, f := range report.Figures(family) {
			names := []string{f.Name}
			if f.Known {
				names = []string{f.Name + "_m1", f.Name + "_m2", f.Name + "_m3"}
			}
			for _, name := range names {
				all = append(all, "--fail-if", name+">=0")
			}
		}
		args = append(append(args, "-o", "other.jsonl", "--report", "other.json"), all...)
		said := valuesSaid(command(3, args...))
		for what, value := range figuresIn(t, family) {
			if !said[strconv.FormatFloat(value, 'g', 6, 64)] {
				t.Errorf("%s: %s is %v, and no figure has that value", family, what, value)
			}
		}
	}
}

var valueSaid = regexp.MustCompile(` is ([0-9.e+-]+)[ ,]`)

func valuesSaid(errs string) map[string]bool {
	said := map[string]bool{}
	for lines := bufio.NewScanner(strings.NewReader(errs)); lines.Scan(); {
		if m := valueSaid.FindStringSubmatch(lines.Text()); m != nil {
			said[m[1]] = true
		}
	}
	return said
}

// figuresIn are the losses and attempts of a report and its audit file.
func figuresIn(t *testing.T, family string) map[string]float64 {
	t.Helper()
	var public struct {
		Losses []report.Loss
		Attack *report.Attack
	}
	var secret struct {
		Custodian struct {
			Losses []report.Loss
			Attack *report.Attack
		}
	}
	for path, into := range map[string]any{
		family + ".json": &public, family + ".audit.json": &secret,
	} {
		text, err := os.ReadFile(filepath.Clean(path))
		if err == nil {
			err = json.Unmarshal(text, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	out := map[string]float64{}
	for _, l := range public.Losses {
		out["public "+l.Name] = l.Value
	}
	for _, l := range secret.Custodian.Losses {
		out[l.Name] = l.Value
	}
	for where, a := range map[string]*report.Attack{
		"public ": public.Attack, "": secret.Custodian.Attack,
	} {
		if a == nil {
			continue
		}
		for _, one := range a.Attempts {
			out[fmt.Sprintf("%s%s, %d known", where, one.Figure, one.Known)] = one.After.Value
		}
	}
	return out
}
