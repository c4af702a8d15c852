package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// beside is a row of bench/others.csv that another program stands for, and what is run here for it.
type beside struct {
	what string // the row's data, k, m and tool, as there
	data set
	args func(b *bench, data, tree string) ([]string, error)
}

var besides = []beside{
	{"wv2,5,2,ARX transactions branch AA", sets[1], aaWith("5", "2")},
	{"wv2,10,2,ARX transactions branch AA", sets[1], aaWith("10", "2")},
	{"wv2,5,3,ARX transactions branch AA", sets[1], aaWith("5", "3")},
	{
		"groceries,10,2,coherence in Python",
		set{name: "groceries", file: "groceries/groceries.dat.gz"},
		coherenceWith("0.4", "10", "2"),
	},
	{
		"t40i10d10k,10,3,coherence in Python",
		set{name: "t40i10d10k", file: "t40i10d10k/t40i10d10k.dat.gz"},
		coherenceWith("0.8", "10", "3"),
	},
	{"wv1 (20000),10,,CAHD in C++", sets[0], cahd},
}

func aaWith(k, m string) func(b *bench, data, tree string) ([]string, error) {
	return func(b *bench, data, tree string) ([]string, error) {
		return []string{
			"anonymize", "km", data, "-H", tree, "-k", k, "-m", m, "--algorithm", "aa",
			"-o", filepath.Join(b.dir, "beside.dat"), "--seed", "1",
		}, nil
	}
}

// coherenceWith has every fifth item of the data as a private one.
func coherenceWith(h, k, p string) func(b *bench, data, tree string) ([]string, error) {
	return func(b *bench, data, _ string) ([]string, error) {
		text, err := os.ReadFile(data)
		if err != nil {
			return nil, err
		}
		var private strings.Builder
		seen := map[string]bool{}
		for _, item := range strings.Fields(string(text)) {
			if n, err := strconv.Atoi(item); err == nil && n%5 == 0 && !seen[item] {
				seen[item] = true
				private.WriteString(item + "\n")
			}
		}
		list := filepath.Join(b.dir, "private.txt")
		if err := os.WriteFile(list, []byte(private.String()), 0o644); err != nil {
			return nil, err
		}
		return []string{
			"anonymize", "coherence", data, "--private", list, "--h", h, "-k", k, "-p", p,
			"--nugget-support", "1%", "-o", filepath.Join(b.dir, "beside.dat"),
		}, nil
	}
}

// cahd gives the first 20,000 records one of twenty labels each.
func cahd(b *bench, data, _ string) ([]string, error) {
	in, err := os.Open(data)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var out strings.Builder
	write, lines := json.NewEncoder(&out), bufio.NewScanner(in)
	for i := 0; i < 20_000 && lines.Scan(); i++ {
		err := write.Encode(map[string]any{
			"items": strings.Fields(lines.Text()), "label": fmt.Sprint("s", i*7%20),
		})
		if err != nil {
			return nil, err
		}
	}
	labelled := filepath.Join(b.dir, "labelled.jsonl")
	if err := os.WriteFile(labelled, []byte(out.String()), 0o644); err != nil {
		return nil, err
	}
	return []string{
		"anonymize", "nonreciprocal", labelled, "--algorithm", "cahd", "-l", "10", "--label",
		"label", "-o", filepath.Join(b.dir, "beside.jsonl"), "--seed", "1",
	}, nil
}

// runBeside runs what stands beside other programs and prints both, with the ratio.
func (b *bench) runBeside(file string) error {
	if err := b.build(); err != nil {
		return err
	}
	theirs, err := readOthers(file)
	if err != nil {
		return err
	}
	fmt.Println("| data | k | m, p | program | its processor s | here | MB here | its MB | times |")
	fmt.Println("| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: |")
	for _, x := range besides {
		if err := b.prepare(x.data); err != nil {
			fmt.Fprintf(os.Stderr, "%s is left out: %v\n", x.what, err)
			continue
		}
		at := filepath.Join(b.dir, x.data.name)
		args, err := x.args(b, at+".dat", at+".csv")
		if err != nil {
			return err
		}
		var least took
		for turn := range b.turns {
			t, err := start(b.mingle, append(args, "--force", "--quiet")...)
			if err != nil {
				return err
			}
			if turn == 0 || t.processor < least.processor {
				least = t
			}
		}
		its := theirs[x.what]
		other, err := strconv.ParseFloat(its[0], 64)
		if err != nil {
			return fmt.Errorf("%s has no row %s: %w", file, x.what, err)
		}
		fmt.Printf("| %s | %s | %.2f | %.0f | %s | %.0f |\n",
			strings.ReplaceAll(x.what, ",", " | "), its[0], least.processor, least.megabytes,
			its[1], other/least.processor)
	}
	return nil
}

// readOthers has processor seconds and MB of every row, by its data, k, m and tool.
func readOthers(path string) (map[string][2]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, err
	}
	out := map[string][2]string{}
	for _, r := range rows[1:] {
		out[strings.Join(r[:4], ",")] = [2]string{r[5], r[6]}
	}
	return out, nil
}
