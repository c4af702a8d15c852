package release_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mingle/hierarchy"
	"mingle/internal/soak"
	"mingle/release"
)

func certificateTree(t testing.TB) *hierarchy.Tree {
	t.Helper()
	tree, err := hierarchy.Fanout([]string{"a", "b", "c", "d"}, 2)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestCertificateRoundTrip(t *testing.T) {
	tree := certificateTree(t)
	bounds := func(y int64) *release.Proof {
		return &release.Proof{
			Rows: []release.ProofRow{{Nodes: []int32{4, 5}, Need: 1, Y: y}}, Threshold: 7,
		}
	}
	want := &release.Certificate{
		K: 3, M: 2, Scale: 5, Bound: 17,
		Clauses: []release.Clause{
			{Nodes: []int32{0, 2}, Support: 1},
			{Nodes: []int32{3}, Support: 2},
		},
		Proof: &release.Proof{
			Branch: 5,
			Sides: [2]*release.Proof{
				bounds(3),
				{Parts: []release.ProofPart{{Nodes: []int32{4}, Bound: 2, Proof: bounds(9)}}},
			},
		},
	}
	var file bytes.Buffer
	if err := want.Write(&file, tree); err != nil {
		t.Fatal(err)
	}
	got, err := release.ReadCertificate(&file, tree)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
}

func TestReadCertificateFaults(t *testing.T) {
	tree := certificateTree(t)
	for name, text := range map[string]string{
		"not JSON":     `certificate`,
		"format":       `{"format":"mingle-certificate/9"}`,
		"unknown node": `{"format":"mingle-certificate/1","scale":1,"nodes":["x"]}`,
		"scale":        `{"format":"mingle-certificate/1","scale":0}`,
		"place": `{"format":"mingle-certificate/1","scale":1,"nodes":["a"],` +
			`"clauses":[{"nodes":[1],"support":1}]}`,
		"sides": `{"format":"mingle-certificate/1","scale":1,"proof":{"sides":[{}]}}`,
		"field": `{"format":"mingle-certificate/1","scale":1,"trust":"me"}`,
	} {
		if _, err := release.ReadCertificate(bytes.NewReader([]byte(text)), tree); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func FuzzReadCertificate(f *testing.F) {
	tree := certificateTree(f)
	f.Add(
		[]byte(
			`{"format":"mingle-certificate/1","k":2,"m":2,"scale":5,"bound":3,"nodes":["a","c"],` +
				`"clauses":[{"nodes":[0,1],"support":1}],` +
				`"proof":{"rows":[{"nodes":[0],"need":1,"y":2}],"sides":[{},{}]}}`,
		),
	)
	soak.Fuzz(f, func(t *testing.T, text []byte) {
		c, err := release.ReadCertificate(bytes.NewReader(text), tree)
		if err != nil {
			return
		}
		var file bytes.Buffer
		if err := c.Write(&file, tree); err != nil {
			t.Fatal(err)
		}
		if again, err := release.ReadCertificate(&file, tree); err != nil || !cmp.Equal(c, again) {
			t.Fatalf("read %+v, read again %+v, %v", c, again, err)
		}
	})
}
