package pbproof_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"mingle/hierarchy"
	"mingle/release"
	"mingle/release/pbproof"
)

// The proofs themselves are tested where there are certificates: anonymize/global/exact.

func certificate(t *testing.T) (*hierarchy.Tree, *release.Program, *release.Certificate) {
	t.Helper()
	tree, err := hierarchy.Fanout([]string{"a", "b", "c", "d"}, 2)
	if err != nil {
		t.Fatal(err)
	}
	c := &release.Certificate{
		K: 3, M: 2, Scale: 1, Bound: 2,
		Clauses: []release.Clause{{Nodes: []int32{0, 3}, Support: 1}},
		Proof:   &release.Proof{Rows: []release.ProofRow{{Nodes: []int32{4, 5}, Need: 1, Y: 2}}},
	}
	return tree, release.NewProgram(tree, []int{5, 0, 0, 1}, c), c
}

func TestWrite(t *testing.T) {
	tree, p, c := certificate(t)
	var out bytes.Buffer
	b, err := pbproof.Write(t.Context(), &out, tree, p, c, []int32{0, 1, 5, 5})
	if err != nil || b != (pbproof.Bounds{Lower: 2, Upper: 2, Solved: true}) {
		t.Fatalf("%+v %v", b, err)
	}
	if claimed, err := pbproof.Claimed(&out); err != nil || claimed != 2 {
		t.Errorf("it claims %d, %v", claimed, err)
	}
	b, err = pbproof.Write(t.Context(), &out, tree, p, c, nil)
	if err != nil || b.Solved || !strings.Contains(out.String(), "INF;") {
		t.Errorf("no cut: %+v %v", b, err)
	}
}

func TestWriteFaults(t *testing.T) {
	tree, p, _ := certificate(t)
	for name, spoil := range map[string]func(*release.Certificate){
		"bound":      func(c *release.Certificate) { c.Bound++ },
		"row":        func(c *release.Certificate) { c.Proof.Rows[0].Nodes[0] = 6 },
		"need":       func(c *release.Certificate) { c.Proof.Rows[0].Need = 2 },
		"multiplier": func(c *release.Certificate) { c.Proof.Rows[0].Y = -1 },
		"leaf":       func(c *release.Certificate) { c.Proof.Rows[0].Nodes[0] = 0 },
		"no proof":   func(c *release.Certificate) { c.Proof = nil },
		"threshold":  func(c *release.Certificate) { c.Bound, c.Proof.Threshold = 9, 1 },
	} {
		_, _, c := certificate(t)
		spoil(c)
		_, err := pbproof.Write(t.Context(), &bytes.Buffer{}, tree, p, c, nil)
		if !errors.Is(err, pbproof.ErrUnproven) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, p, c := certificate(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	if _, err := pbproof.Write(ctx, &bytes.Buffer{}, tree, p, c, nil); !errors.Is(err, cause) {
		t.Errorf("ended: %v", err)
	}
}

func TestClaimed(t *testing.T) {
	for text, want := range map[string]int64{
		"": -1, "conclusion NONE;\n": -1, "conclusion BOUNDS INF INF;": -1,
		"pol 1;\nconclusion BOUNDS 17 : 2 18 : x1;\n": 17, "conclusion BOUNDS 0 0;": 0,
		strings.Repeat("x", 1<<17) + "\nconclusion BOUNDS 5 : 1 INF;": 5,
	} {
		if got, err := pbproof.Claimed(strings.NewReader(text)); err != nil || got != want {
			t.Errorf("%.40q: %d, %v", text, got, err)
		}
	}
}
