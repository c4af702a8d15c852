package global

import (
	"mingle/anonymize"
	"mingle/dataset"
)

// l^m-diversity: terrovitis-2011, section 5.2.
//
// Lifting never lowers a support but may raise the share of a sensitive item, so one pass over the
// sets at the cut is not enough: passes are repeated until one finds nothing. Each repair lifts the
// cut, so they end; the root satisfies the ratio whenever the data does, which
// anonymize.Input.Check has made sure of.
//
// Where sensitive items may be known they are further items of the sets, of a number of their own,
// that nothing lifts.
type diversity struct {
	*anonymize.Shares
	in        anonymize.Input
	sensitive *dataset.Dataset // of the merged transactions
	counts    []int            // working space of persons, by sensitive item
}

func newDiversity(p *anonymize.Problem, sensitive *dataset.Dataset) *diversity {
	return &diversity{
		p.NewShares(sensitive), p.Input, sensitive, make([]int, sensitive.Dict().Len()),
	}
}

// mergeInput is the merged transactions; the diversity is nil where none is asked.
func mergeInput(p *anonymize.Problem) (*dataset.Merged, *diversity) {
	if p.Promise.Persons {
		return mergePersons(p)
	}
	if p.Promise.Diverse() {
		told := p.Told()
		return told.Merged, newDiversity(p, told.Sensitive)
	}
	return p.Counted(), nil
}

// withKnown is the data at a cut, each transaction with an item Nodes()+s for each sensitive item s
// of it that may be known.
func (s *state) withKnown(in anonymize.Input, at *dataset.Dataset) *dataset.Dataset {
	first, most := int32(s.tree.Nodes()), in.Knowable()
	b := dataset.NewBuilder(dataset.Unnamed(int(first + most)))
	var tx []int32
	for i, items := range at.All() {
		tx = append(tx[:0], items...)
		for _, x := range s.diversity.sensitive.Tx(i) {
			if x < most {
				tx = append(tx, first+x)
			}
		}
		b.Add(tx)
	}
	return b.Build()
}
