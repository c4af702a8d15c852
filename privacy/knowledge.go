package privacy

import (
	"errors"
	"fmt"
)

// Knowledge is what an adversary has beside the items of a person.
type Knowledge string

// What an adversary may have.
const (
	// OfData is the published data and the hierarchy: the papers' meaning.
	OfData Knowledge = ""
	// OfAlgorithm is the algorithm, too, with its parameters: originals that it would have
	// published otherwise are ruled out.
	OfAlgorithm Knowledge = "algorithm"
)

// ParseKnowledge reads the name of an adversary: "data" or "algorithm".
func ParseKnowledge(name string) (Knowledge, error) {
	switch name {
	case "data", "":
		return OfData, nil
	case "algorithm":
		return OfAlgorithm, nil
	}
	return "", fmt.Errorf("adversary %q is not known: it is data or algorithm", name)
}

func (a Knowledge) String() string {
	if a == OfData {
		return "data"
	}
	return string(a)
}

// validate refuses what is not defined: the argument exchanges whole transactions, and nobody has
// made it for sensitive items that stay where they are, or for items that a person does not have.
func (a Knowledge) validate(p KM) error {
	if a == OfData {
		return nil
	}
	if a != OfAlgorithm {
		return fmt.Errorf("adversary %q is not known: it is data or algorithm", string(a))
	}
	var faults []error
	if p.Diverse() {
		faults = append(faults, errors.New("the adversary \"algorithm\" is not defined with "+
			"sensitive items: leave l out, or promise against the adversary \"data\""))
	}
	if p.NegativeKnowledge {
		faults = append(faults, errors.New("the adversary \"algorithm\" is not defined with "+
			"negative knowledge: leave that out, or promise against the adversary \"data\""))
	}
	return errors.Join(faults...)
}

// certainInequality is the condition on the release alone that no algorithm can defeat.
func certainInequality(p KM) string {
	return fmt.Sprintf("for every set J of at most %s and every class of identical "+
		"published lines that may have J: "+
		"the lines that are in the class or certainly have J are at least %d", count(p.M, "item"), p.K)
}

const algorithmInMind = "; runs the algorithm in mind, with all its parameters, and rules out " +
	"every original that it would have published otherwise: k lines stay possible, and none of " +
	"them " +
	"is the person's with a probability above 1/k, as long as nothing else is known that tells " +
	"one " +
	"person's transaction from another's"

// notAgainstAlgorithm is what the exchange of transactions does not hide.
var notAgainstAlgorithm = []string{
	"Who knows more of the other people, such as a whole transaction of theirs, may take those " +
		"away from the candidates.",
	"The order of the lines must tell nothing: transactions in an order that somebody knows are " +
		"to be shuffled first.",
}
