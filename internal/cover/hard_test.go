package cover

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"testing"
	"time"
)

func read(name string) *Program {
	f, _ := os.Open(name)
	b := bufio.NewScanner(f)
	b.Scan()
	var n, c int
	fmt.Sscan(b.Text(), &n, &c)
	parent := make([]int32, n)
	weight := make([]int64, n)
	for v := range n {
		b.Scan()
		fmt.Sscan(b.Text(), &parent[v], &weight[v])
	}
	p := New(parent, weight)
	for range c {
		b.Scan()
		p.Add(fields(b.Text())...)
	}
	return p
}

func fields(s string) (out []int32) {
	n, in := int32(0), false
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			n = n*10 + int32(s[i]-'0')
			in = true
		} else if in {
			out = append(out, n)
			n, in = 0, false
		}
	}
	if in {
		out = append(out, n)
	}
	return
}

func TestHard(t *testing.T) {
	name := os.Getenv("HARD")
	if name == "" {
		t.Skip()
	}
	p := read(name)
	for _, n := range []int{1, 10, 30, 0} {
		t0 := time.Now()
		r := p.Solve(context.Background(), Options{Nodes: n})
		fmt.Println(n, r.Cost, r.Lower, float64(r.Cost)/float64(r.Lower), r.Nodes, time.Since(t0))
	}
}
