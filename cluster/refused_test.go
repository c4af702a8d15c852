package cluster_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mingle/cluster"
	"mingle/privacy"
)

// What is read to be judged is not what was published: the message says what may have happened, and
// of no items and no lines.
func TestInputThatChangesMeanwhile(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 93))
	for tried := 0; tried < 4; {
		p, _ := feasible(t, rng)
		if p.release.Query != "" { // its rows are read once
			continue
		}
		tried++
		p.fake.Before = func(step string) error {
			if step != "verify sets" {
				return nil
			}
			files, err := filepath.Glob(filepath.Join(p.release.Input, "part*"))
			if err != nil {
				return err
			}
			for _, f := range files {
				text, err := os.ReadFile(f)
				if err == nil {
					err = os.WriteFile(f, append(text, text...), 0o666)
				}
				if err != nil {
					return err
				}
			}
			return nil
		}
		_, err := p.release.Make(t.Context())
		var refused *cluster.BreachError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), "did the input change") ||
			strings.Contains(err.Error(), " 0 lines some") {
			t.Errorf("%v", err)
		}
	}
}

// Without lines it is refused as in one process.
func TestWithoutLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 94))
	for _, algorithm := range []string{"aa", "local"} {
		p, _ := feasible(t, rng)
		p.release.Algorithm, p.release.Query = algorithm, ""
		files, err := filepath.Glob(filepath.Join(p.release.Input, "part*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if err := os.Truncate(f, 0); err != nil {
				t.Fatal(err)
			}
		}
		_, err = p.release.Make(t.Context())
		var infeasible *privacy.Infeasible
		if !errors.As(err, &infeasible) || !strings.Contains(err.Error(), "(0)") {
			t.Errorf("%s: %v", algorithm, err)
		}
	}
}
