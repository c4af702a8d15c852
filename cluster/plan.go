// Package cluster makes a release of data that lie on many machines, with an engine that works on
// all of them: the cut that aa finds on one machine, and the same lines.
//
// One job a size counts (worker_map.go, worker_merge.go): a worker counts a part of the data, by
// the same code as the algorithms on one machine, and sends blocks of sets with their counts;
// another adds up all blocks of one name and delivers the sets that are rare. The driver
// (release.go) finds the cut from these (anonymize/global.CutOf), has the lines written to a folder
// of their own, has package cluster/judge judge what is there, and only then gives the folder its
// name.
//
// Nothing an engine hands on is believed: what workers sent and what arrived is counted and summed
// on both sides (control.go), and whatever does not fit ends the run.
package cluster

import (
	"encoding/json"
	"fmt"
	"io"

	"mingle/cluster/split"
)

// Protocol is the version of what workers and drivers say to each other.
const Protocol = 6

// Plan is what a worker is to do.
type Plan struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"` // of the program
	split.Layout

	Cut     []int32 `json:"cut"`     // the node at the cut for every leaf
	Order   []int32 `json:"order"`   // map: rank -> node
	Size    int     `json:"size"`    // map, merge: of the sets
	Buckets int     `json:"buckets"` // map: how many names blocks are sent under
	K       int64   `json:"k"`       // merge: sets with fewer are delivered; 0: all
	// map, merge: sets that tell a sensitive item are delivered, too: one that is in more than 1/L
	// of what has the set; 0: they are not looked at
	L int64 `json:"l,omitempty"`
	// map, merge: of persons, sets of which one person has more than 1/Share of the lines are
	// delivered, too; 0: that is not looked at
	Share int64 `json:"share,omitempty"`
	// map: the supports of sensitive items are sent, too, or where the unit is a person in how many
	// lines each item is, and how many persons there are
	Told   bool `json:"told,omitempty"`
	Number bool `json:"number"` // merge: the sets are not delivered, but how many there are

	Deal *Deal `json:"deal,omitempty"` // sizes, deal, anonymize: see worker_parts.go

	Salt []byte `json:"salt,omitempty"` // whose: secret, of the names of persons

	Frequencies *frequencies `json:"frequencies,omitempty"` // attack-sum

	// map: nodes; sets with none of them are not counted; none: all are
	With []int32 `json:"with,omitempty"`

	// map: the leaves that are counted, from From up to To, without To; both 0: all
	From int32 `json:"from"`
	To   int32 `json:"to"`
}

// number is what is sent behind the ranks of a set with L or Share: the number of the sensitive
// item that its lines have. The support of the set itself, with noItem, comes first. Where supports
// are of persons, those of lines follow (ofLines), and then how many lines one person has (ofOne).
func (p *Plan) number(sensitive int32) int32 { return int32(len(p.Order)) + 1 + sensitive }

// ofLines stands for a sensitive item where lines are counted, not persons.
func (p *Plan) ofLines(sensitive int32) int32 { return int32(len(p.Sensitive)) + 1 + sensitive }

// ofOne stands for a sensitive item where n lines of one person are told of.
func (p *Plan) ofOne(n int32) int32 { return 2*int32(len(p.Sensitive)) + 1 + n }

// noItem stands for a sensitive item where lines may have any, or none.
const noItem int32 = -1

// width is how many numbers are sent of a set.
func (p *Plan) width() int {
	if p.L > 0 || p.Share > 0 {
		return p.Size + 1
	}
	return p.Size
}

// encode is the plan as workers read it.
func (p Plan) encode() []byte {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // there is nothing in it that cannot be written
	}
	return text
}

// ReadPlan reads a plan of a driver of the same version.
func ReadPlan(r io.Reader, version string) (*Plan, error) {
	p := &Plan{}
	if err := json.NewDecoder(r).Decode(p); err != nil {
		return nil, fmt.Errorf("the plan cannot be read: %w", err)
	}
	if p.Protocol != Protocol || p.Version != version {
		return nil, fmt.Errorf("the driver is mingle %s (protocol %d), this worker %s (%d): they "+
			"must be the same", p.Version, p.Protocol, version, Protocol)
	}
	return p, nil
}
