package report

import "fmt"

// Proof is a proof of a bound on the loss that an outside checker can check, VeriPB. What is
// bounded is the NCP times the leaves of the hierarchy times all item occurrences. The files are
// secret.
type Proof struct {
	Files   [2]File `json:"files"` // the program, and the proof of its bound
	Clauses int     `json:"clauses"`
	Lower   int64   `json:"lower"` // no global recoding that keeps the promise loses less
	NCP     float64 `json:"lower_ncp"`
	// Upper is what the published file loses, where it is a global recoding.
	Upper *int64 `json:"upper,omitempty"`
}

// The roles of the two files.
const (
	RoleProgram = "program"
	RoleProof   = "proof"
)

// Text says what is proven, and how to check it.
func (p *Proof) Text() string {
	check := fmt.Sprintf("SECRET files; check them with: veripb %s %s", p.Files[0].Name,
		p.Files[1].Name)
	least := fmt.Sprintf("no global recoding loses less than %s (NCP %.6f)", Number(int(p.Lower)),
		p.NCP)
	switch {
	case p.Upper == nil:
		return least + "; what is published is none; " + check
	case *p.Upper == p.Lower:
		return least + ", which is what is published; " + check
	case p.Lower == 0:
		return fmt.Sprintf("%s, the published one loses %s: the gap is not closed; %s", least,
			Number(int(*p.Upper)), check)
	}
	return fmt.Sprintf("%s, the published one loses %s: a gap of %.2f %% is not closed; %s", least,
		Number(int(*p.Upper)), 100*float64(*p.Upper-p.Lower)/float64(p.Lower), check)
}
