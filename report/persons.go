package report

import "fmt"

// Persons is how many persons the original has, and how many transactions each of them.
type Persons struct {
	Persons      int `json:"persons"`
	Transactions int `json:"transactions"` // of all
	Nobody       int `json:"nobody"`       // transactions of nobody known
	Several      int `json:"several"`      // persons with several transactions
	Least        int `json:"least"`        // transactions a person
	Median       int `json:"median"`
	Most         int `json:"most"`
}

func (p *Persons) String() string {
	s := fmt.Sprintf("%s, %s of them with several transactions; ", plural(p.Persons, "person"),
		Number(p.Several))
	if p.Least == p.Most {
		s += Number(p.Least) + " each"
	} else {
		s += fmt.Sprintf("%s to %s each, half of them at most %s", Number(p.Least),
			Number(p.Most), Number(p.Median))
	}
	if p.Nobody > 0 {
		s += fmt.Sprintf("; %s of nobody known, which must be as safe and hide nobody",
			plural(p.Nobody, "transaction"))
	}
	return s
}
