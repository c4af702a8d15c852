package nonreciprocal_test

import (
	"errors"
	"strconv"
	"testing"

	"mingle/anonymize/nonreciprocal"
	"mingle/dataset"
	"mingle/internal/soak"
	"mingle/privacy"
	"mingle/verify"
)

// TestSoakReleasesHaveAssignments: releases of random records keep the promise when they are judged
// by assignments of all records, with their labels.
func TestSoakReleasesHaveAssignments(t *testing.T) {
	made := map[string]int{}
	for seed := range soak.Rounds(t, soak.Share(300, 20_000)) {
		rng := soak.Rand(16, uint64(seed))
		n, kinds := 2+rng.IntN(60), 2+rng.IntN(12)
		lines, labels := make([][]string, n), make([]string, n)
		for u := range lines {
			for it := range 8 {
				if rng.IntN(1+it) == 0 {
					lines[u] = append(lines[u], strconv.Itoa(it))
				}
			}
			labels[u] = strconv.Itoa(rng.IntN(kinds))
		}
		in := nonreciprocal.Input{
			Data: dataset.FromLabels(lines), Labels: labels, Seed: new([32]byte),
			Promise: privacy.Nonreciprocal{K: 2 + rng.IntN(4)},
		}
		name := []string{nonreciprocal.RingGraph, nonreciprocal.NearestGraph, "cahd"}[rng.IntN(3)]
		if in.Graph = name; name == "cahd" {
			in.Graph, in.Algorithm = "", nonreciprocal.CAHD
		}
		in.Seed[0], in.Seed[1] = byte(seed), byte(seed>>8)
		if seed%2 == 1 {
			in.Promise = privacy.Nonreciprocal{
				L: in.Promise.K, GroupsSeeLabels: in.Algorithm == nonreciprocal.CAHD,
			}
			name += ", l"
		}
		result, err := nonreciprocal.Anonymize(t.Context(), in)
		if infeasible := (*privacy.Infeasible)(nil); errors.As(err, &infeasible) {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d, %s: %v", seed, name, err)
		}
		f, err := verify.Nonreciprocal(t.Context(), verify.NonreciprocalInput{
			Original: in.Data, Labels: labels, Published: result.Release, Promise: in.Promise,
		})
		if err != nil || !f.Holds || !f.Matches.Assigned {
			t.Fatalf("seed %d, %s, %v: %v %+v", seed, name, in.Promise, err, f)
		}
		made[name]++
	}
	t.Log(made)
	if len(made) != 6 {
		t.Errorf("releases made: %v", made)
	}
}
