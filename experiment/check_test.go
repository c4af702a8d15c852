package experiment

import (
	"bytes"
	"testing"
)

func TestVerdicts(t *testing.T) {
	c := &Chart{Plot: Plot{X: "k", Y: "ncp"}, Lines: []Line{
		{"aa", []Point{{5, 0.02}, {10, 0.04}, {20, 0.03}}},
		{"vpa", []Point{{5, 0.01}, {10, 0.05}}},
	}}
	for _, k := range []struct {
		check          Check
		held, compared int
	}{
		{Check{Less: texts{"vpa", "aa"}}, 1, 2},
		{Check{Less: texts{"vpa", "aa"}, Factor: 3}, 0, 2},
		{Check{Near: texts{"vpa", "aa"}}, 1, 2},
		{Check{Near: texts{"vpa", "aa"}, Factor: 2}, 2, 2},
		{Check{Near: texts{"vpa", "lra"}}, 0, 0},
		{Check{Rising: "*"}, 2, 3},
		{Check{Rising: "vpa"}, 1, 1},
		{Check{Falling: "aa"}, 1, 2},
		{Check{Below: 0.045}, 4, 5},
		{Check{Below: 0.045, To: 5}, 2, 2},
		{Check{Less: texts{"vpa", "aa"}, From: 6}, 0, 1},
		{Check{Rising: "aa", From: 10}, 0, 1},
		{Check{Above: 0.015}, 4, 5},
	} {
		c.Check = []Check{k.check}
		v := c.Verdict()
		if v.Held != k.held || v.Compared != k.compared || len(v.Against) != k.compared-k.held {
			t.Errorf("%+v: %+v, want %d of %d", k.check, v, k.held, k.compared)
		}
	}
}

// Charts of nothing, of one point and of values that a logarithm does not have can be drawn.
func TestChartsOfLittle(t *testing.T) {
	for _, points := range [][]Point{nil, {{1, 1}}, {{0, 0}}, {{1, 0}, {2, 0.5}}, {{-1, -2}}} {
		for _, log := range []bool{false, true} {
			for _, nominal := range [][]string{nil, {"a", "b", "c"}} {
				c := &Chart{
					Plot: Plot{LogX: log, LogY: log}, Nominal: nominal,
					Lines: []Line{{"l", points}},
				}
				var b bytes.Buffer
				if err := c.WriteSVG(&b); err != nil || !bytes.Contains(b.Bytes(), []byte("<svg")) {
					t.Errorf("%v %v: %v", points, log, err)
				}
			}
		}
	}
}
