package attack

import "errors"

// ByPersons makes candidates of singling out persons, of whom some have several transactions: with
// three lines of one person that match, one candidate is left. What is known is of one transaction.
// Transaction i of the original and record i of the release are of person[i], -1: of nobody known.
func (c *Case) ByPersons(person []int32) error {
	if len(person) != c.data.Len() || len(person) != c.after.records {
		return errors.New("attack: the persons are not of the same transactions as the data")
	}
	c.before.person, c.after.person = person, person
	c.notef("Candidates are persons, not transactions: what is known is of one transaction of a " +
		"person, and whoever has several that match is one candidate.")
	return nil
}

// candidates are the records, or the persons, that there are.
func (c *Case) candidates() int {
	if c.after.person == nil {
		return c.after.records
	}
	met := map[int32]bool{}
	for _, p := range c.after.person {
		met[p] = true
	}
	return len(met)
}
