package verify

import (
	"cmp"
	"context"
	"slices"
)

// assignment places units of sources on targets that they may be placed on: the records of a kind
// on published records of a kind. It is built up by shortest augmenting paths, all of a length at
// once (Hopcroft and Karp 1973). Nothing of how a release was made is known here.
type assignment struct {
	adj    [][]int32 // of each source: the targets it may be placed on
	supply []int32   // of each source: units that are not placed yet
	room   []int32   // of each target: units that it can still take
	placed [][]units // of each target: what is placed on it
	// told hears before each round how many units are not placed; nil: nobody listens
	told func(left int)

	// of one round
	level, targetLevel []int32 // distance from the sources with supply, in sources; -1: not reached
	next, targetNext   []int32 // what has been tried
}

// units are n units of a source.
type units struct{ source, n int32 }

// newAssignment is one of nothing yet. supply and room are taken over.
func newAssignment(adj [][]int32, supply, room []int32) *assignment {
	return &assignment{
		adj: adj, supply: supply, room: room, placed: make([][]units, len(room)),
		level: make([]int32, len(adj)), targetLevel: make([]int32, len(room)),
		next: make([]int32, len(adj)), targetNext: make([]int32, len(room)),
	}
}

// complete places as many units as can be placed, and says how many are left.
func (a *assignment) complete(ctx context.Context) (left int, err error) {
	a.begin()
	for a.layers() {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		if a.told != nil {
			a.told(a.left())
		}
		for s := range a.adj {
			for a.supply[s] > 0 && a.level[s] == 0 {
				got := a.place(int32(s), a.supply[s])
				if got == 0 {
					break
				}
				a.supply[s] -= got
			}
		}
		for t, on := range a.placed {
			a.placed[t] = slices.DeleteFunc(on, func(u units) bool { return u.n == 0 })
		}
	}
	return a.left(), nil
}

// left is how many units are not placed.
func (a *assignment) left() (n int) {
	for _, s := range a.supply {
		n += int(s)
	}
	return n
}

// begin places what can be placed at once, sources with few targets first, each on the targets that
// the fewest sources may be placed on: most of what is to be done on the graphs of releases.
func (a *assignment) begin() {
	degree := make([]int32, len(a.room))
	order := make([]int32, len(a.adj))
	for s, targets := range a.adj {
		order[s] = int32(s)
		for _, t := range targets {
			degree[t]++
		}
	}
	slices.SortStableFunc(order, func(x, y int32) int { return len(a.adj[x]) - len(a.adj[y]) })
	fewest := func(x, y int32) int {
		return cmp.Or(cmp.Compare(degree[x], degree[y]), cmp.Compare(x, y))
	}
	var free []int32
	for _, s := range order {
		free = free[:0]
		for _, t := range a.adj[s] {
			if a.room[t] > 0 {
				free = append(free, t)
			}
		}
		if a.supply[s] > 1 {
			slices.SortFunc(free, fewest)
		} else if len(free) > 0 {
			free[0] = slices.MinFunc(free, fewest)
		}
		for i := 0; i < len(free) && a.supply[s] > 0; i++ {
			a.supply[s] -= a.take(s, free[i], a.supply[s])
		}
	}
}

// take places units of a source on a target with room, and says how many.
func (a *assignment) take(s, t, n int32) int32 {
	n = min(n, a.room[t])
	a.room[t] -= n
	a.placed[t] = append(a.placed[t], units{s, n})
	return n
}

// layers finds the distances of all sources and targets up to the nearest target with room, and
// tells whether there is one.
func (a *assignment) layers() bool {
	clear(a.next)
	clear(a.targetNext)
	var front []int32
	for s := range a.level {
		if a.level[s] = -1; a.supply[s] > 0 {
			a.level[s] = 0
			front = append(front, int32(s))
		}
	}
	for t := range a.targetLevel {
		a.targetLevel[t] = -1
	}
	for depth, found := int32(0), false; len(front) > 0; depth++ {
		var beyond []int32
		for _, s := range front {
			for _, t := range a.adj[s] {
				if a.targetLevel[t] >= 0 {
					continue
				}
				a.targetLevel[t] = depth
				found = found || a.room[t] > 0
				for _, u := range a.placed[t] {
					if u.n > 0 && a.level[u.source] < 0 {
						a.level[u.source] = depth + 1
						beyond = append(beyond, u.source)
					}
				}
			}
		}
		if found {
			return true
		}
		front = beyond
	}
	return false
}

// place finds room for up to n units of a source, by moving units of others where it must, and says
// for how many.
func (a *assignment) place(s, n int32) int32 {
	for ; int(a.next[s]) < len(a.adj[s]); a.next[s]++ {
		t := a.adj[s][a.next[s]]
		if a.targetLevel[t] != a.level[s] {
			continue
		}
		if a.room[t] > 0 {
			return a.take(s, t, n)
		}
		for ; int(a.targetNext[t]) < len(a.placed[t]); a.targetNext[t]++ {
			at := a.targetNext[t]
			u := a.placed[t][at]
			if u.n == 0 || a.level[u.source] != a.level[s]+1 {
				continue
			}
			if got := a.place(u.source, min(n, u.n)); got > 0 {
				a.placed[t][at].n -= got
				a.placed[t] = append(a.placed[t], units{s, got})
				return got
			}
		}
	}
	return 0
}

// crowded are the sources that the last round reached, and the targets that they may be placed on:
// where something is left, more units than those targets can take (Hall).
func (a *assignment) crowded() (sources, targets []int32) {
	for s, l := range a.level {
		if l >= 0 {
			sources = append(sources, int32(s))
		}
	}
	for t, l := range a.targetLevel {
		if l >= 0 {
			targets = append(targets, int32(t))
		}
	}
	return sources, targets
}

// components numbers the strongly connected components of the residual graph, in which each source
// leads to its targets and each target to the sources that are placed on it: first those of the
// sources, then those of the targets. Where all is placed and nothing has room, a source and its
// target are in one component if and only if some complete assignment places a unit of the one on
// the other (Dulmage and Mendelsohn 1958): it is an edge that a cycle of exchanges can bring in.
func (a *assignment) components() (sources, targets []int32) {
	n := len(a.adj)
	c := &tarjan{
		degree: func(v int32) int {
			if int(v) < n {
				return len(a.adj[v])
			}
			return len(a.placed[int(v)-n])
		},
		to: func(v int32, i int) int32 {
			if int(v) < n {
				return int32(n) + a.adj[v][i]
			}
			return a.placed[int(v)-n][i].source
		},
	}
	of := c.components(n + len(a.room))
	return of[:n], of[n:]
}

// tarjan finds strongly connected components (Tarjan 1972), without recursion: paths are as long as
// a file.
type tarjan struct {
	degree func(v int32) int
	to     func(v int32, i int) int32

	number, low, of []int32 // number: 0 where a node is not visited
	open            []int32 // visited nodes of no component yet
	path            []visit
	visited, count  int32
}

// visit is a node on the path and how many of its edges were followed.
type visit struct {
	node int32
	done int
}

// components is the component of each of n nodes, numbered from 0.
func (c *tarjan) components(n int) []int32 {
	c.number, c.low, c.of = make([]int32, n), make([]int32, n), make([]int32, n)
	for v := range c.of {
		c.of[v] = -1
	}
	for v := range int32(n) {
		if c.number[v] == 0 {
			c.enter(v)
			c.follow()
		}
	}
	return c.of
}

func (c *tarjan) enter(v int32) {
	c.visited++
	c.number[v], c.low[v] = c.visited, c.visited
	c.open, c.path = append(c.open, v), append(c.path, visit{node: v})
}

func (c *tarjan) follow() {
	for len(c.path) > 0 {
		at := &c.path[len(c.path)-1]
		v := at.node
		if at.done < c.degree(v) {
			w := c.to(v, at.done)
			at.done++
			if c.number[w] == 0 {
				c.enter(w)
			} else if c.of[w] < 0 {
				c.low[v] = min(c.low[v], c.number[w])
			}
			continue
		}
		c.path = c.path[:len(c.path)-1]
		if len(c.path) > 0 {
			above := c.path[len(c.path)-1].node
			c.low[above] = min(c.low[above], c.low[v])
		}
		if c.low[v] == c.number[v] {
			c.close(v)
		}
	}
}

// close makes a component of the open nodes from v on.
func (c *tarjan) close(v int32) {
	for {
		w := c.open[len(c.open)-1]
		c.open = c.open[:len(c.open)-1]
		c.of[w] = c.count
		if w == v {
			break
		}
	}
	c.count++
}
