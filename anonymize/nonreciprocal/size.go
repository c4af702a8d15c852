package nonreciprocal

import (
	"fmt"
	"math"

	"mingle/internal/memory"
)

// maxEdges is the most edges a generalization graph may have: their places are int32.
const maxEdges = math.MaxInt32

// bytesAnEdge is what is held for an edge while a graph is made: the lists of near neighbours (8
// bytes for each of listWidth), the edge with its cost at both its ends (16), the graph and its
// turned form (8), and what an assignment is drawn with (18).
const bytesAnEdge = 8*listWidth + 16 + 8 + 18

// edgesFit refuses, before any work, a graph of more edges than most, or than there is room for.
func (in Input) edgesFit(most int64) error {
	n, degree := int64(in.Data.Len()), int64(in.Promise.Matches())
	name := "k"
	if in.Promise.Diverse() {
		name = "l"
	}
	if n > most/degree { // their product may be beyond an int64
		return fmt.Errorf("%d records with %s = %d are %.4g matches, and at most %d are taken: "+
			"choose a smaller %s, or publish the records in parts",
			n, name, degree, float64(n)*float64(degree), most, name)
	}
	if need := bytesAnEdge * n * degree; in.Room > 0 && need > in.Room {
		return &memory.Short{
			What: fmt.Sprintf("%d records with %s = %d", n, name, degree), Least: need,
			Bound: in.Room,
		}
	}
	return nil
}
