package profile

import (
	"fmt"
	"strings"

	"mingle/dataset"
)

// PersonColumn is a column that looks like that of the persons whose the transactions are.
type PersonColumn struct {
	Name         string `json:"name"`
	Transactions int    `json:"transactions"` // with a value
	Values       int    `json:"values"`       // distinct ones
	Several      int    `json:"several"`      // values of several transactions
}

// What looks like a person: a column of many values, which are of a few transactions each and not
// of one each; with fewer values where its name says so.
const (
	mostEach    = 50  // transactions a value, on average
	leastValues = 10  // distinct ones
	nearlyEach  = 0.9 // of the transactions have a value of their own: that is an identifier
)

// namesOfPersons are parts of names that columns of persons have.
var namesOfPersons = []string{
	"customer", "client", "patient", "person", "subject", "user", "member", "cardholder", "student",
	"employee", "visitor", "household", "insured", "kunde", "cust_", "custid",
}

// LooksLikePersons tells whether a column looks like that of the persons.
func LooksLikePersons(c dataset.Column) (PersonColumn, bool) {
	p := PersonColumn{Name: c.Name}
	count := map[string]int{}
	dates := 0
	for _, v := range c.Values {
		if v = strings.TrimSpace(v); v == "" || v == "null" || v == `""` {
			continue
		}
		p.Transactions++
		if count[v]++; count[v] == 2 {
			p.Several++
		}
		if looksLikeDate(v) {
			dates++
		}
	}
	p.Values = len(count)
	name := strings.ToLower(c.Name)
	for _, n := range namesOfPersons {
		if strings.Contains(name, n) {
			return p, p.Several > 0
		}
	}
	repeats := p.Values >= leastValues && p.Values*mostEach >= p.Transactions &&
		float64(p.Values) <= nearlyEach*float64(p.Transactions)
	return p, repeats && 2*dates < p.Transactions
}

// looksLikeDate tells whether a value may be a date or a time: digits in three parts, or a clock.
func looksLikeDate(v string) bool {
	if strings.Trim(v, `"0123456789-/.: TZ+`) != "" {
		return false
	}
	for _, sep := range []string{"-", "/", "."} {
		if strings.Count(v, sep) == 2 {
			return true
		}
	}
	return strings.Contains(v, ":")
}

func (p PersonColumn) String() string {
	return fmt.Sprintf("column %q may say whose each transaction is: it has %d values in %d "+
		"transactions, and %d of them are of several. Then k transactions need not be of k "+
		"persons: publish with --person-column %q", p.Name, p.Values, p.Transactions, p.Several,
		p.Name)
}
