package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// eleven are the public data sets of transactions.
var eleven = slices.Concat(
	sets[:4],
	[]set{
		{name: "groceries", file: "groceries/groceries.dat.gz"},
		{name: "foodmart", file: "foodmart/foodmart.dat.gz"},
		{name: "chess", file: "chess/chess.dat.gz"},
		{name: "mushroom", file: "mushroom/mushroom.dat.gz"},
		{name: "pumsb", file: "pumsb/pumsb.dat.gz"},
		{name: "t40i10d10k", file: "t40i10d10k/t40i10d10k.dat.gz"},
		{name: "online-retail-ii", file: "online-retail-ii/online-retail-ii-invoices.dat.gz"},
	},
)

// defaults are runs of what users meet who name no algorithm, beside aa.
var defaults = []struct {
	name string
	args []string
}{
	{"aa", []string{"--algorithm", "aa"}},
	{"local", []string{"--algorithm", "local"}},
	{"auto", nil},
	{"auto 30s", []string{"--time-limit", "30s"}},
}

// released is a release, by what it took and the share that it lost.
type released struct {
	took
	ncp float64
}

// runDefaults compares aa, local, and auto without and with a time limit, once each.
func (b *bench) runDefaults(only []string) error {
	if err := b.build(); err != nil {
		return err
	}
	fmt.Println("| data | aa, s | local, s | times aa | MB | auto, s | times local " +
		"| NCP of local | of auto | of auto in 30 s |")
	fmt.Println("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, set := range eleven {
		if only[0] != "" && !slices.Contains(only, set.name) {
			continue
		}
		if err := b.prepare(set); err != nil {
			fmt.Fprintf(os.Stderr, "%s is left out: %v\n", set.name, err)
			continue
		}
		runs := map[string]released{}
		for _, d := range defaults {
			r, err := b.anonymize(set.name, d.args)
			if err != nil {
				return err
			}
			runs[d.name] = r
		}
		aa, local, auto := runs["aa"], runs["local"], runs["auto"]
		fmt.Printf("| %s | %.2f | %.2f | %.1f | %.0f | %.2f | %.1f | %.6f | %.6f | %.6f |\n",
			set.name, aa.processor, local.processor, local.processor/aa.processor,
			local.megabytes, auto.processor, auto.clock/local.clock,
			local.ncp, auto.ncp, runs["auto 30s"].ncp)
	}
	return nil
}

// anonymize makes a release of a data set, and reads what was lost from the result.
func (b *bench) anonymize(name string, more []string) (released, error) {
	at := filepath.Join(b.dir, name)
	args := append([]string{
		"anonymize", "km", at + ".dat", "-H", at + ".csv", "-k", b.k, "-m", b.m, "--seed", "1",
		"--force", "--json", "-o", filepath.Join(b.dir, "default.dat"),
	}, more...)
	c, from := exec.Command(b.mingle, args...), time.Now()
	text, err := c.Output()
	if err != nil {
		return released{}, fmt.Errorf("mingle %s: %w", strings.Join(args, " "), err)
	}
	clock := time.Since(from)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	var end struct {
		Result struct {
			Custodian struct {
				Losses []struct {
					Name  string
					Value float64
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &end); err != nil {
		return released{}, err
	}
	losses := end.Result.Custodian.Losses
	if len(losses) == 0 || losses[0].Name != "NCP" {
		return released{}, errors.New("the result does not say what was lost")
	}
	s := c.ProcessState
	return released{took{
		(s.UserTime() + s.SystemTime()).Seconds(), clock.Seconds(), peak(s) / 1e6,
	}, losses[0].Value}, nil
}
