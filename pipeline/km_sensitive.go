package pipeline

import (
	"fmt"

	"mingle/dataset"
)

func (t *kmTask) list() itemList { return itemList{t.Sensitive, "sensitive", t.sensitive} }

// isListed holds the list of sensitive items against the items of data. An item that neither the
// data nor the hierarchy has is an error that names it, unless such items are allowed: it may be a
// misspelled one, that would go unprotected.
func (t *kmTask) isListed(data *dataset.Dictionary) (note string, err error) {
	if note, err = t.list().of(data); err != nil || t.AllowUnknownSensitive || t.whole == nil {
		return note, err
	}
	faults := dataset.Faults{}
	for _, item := range t.sensitive {
		_, occurs := data.ID(item)
		if _, inTree := t.whole.Node(item); !occurs && !inTree {
			faults.Addf(0, "sensitive item %q is neither in the data nor in the hierarchy: "+
				"correct it, or allow such items with --allow-unknown-sensitive", item)
		}
	}
	return note, faults.Err(name(t.Sensitive))
}

// isListedAgain does the same with published data. Where the original is at hand, that has decided
// which items are known.
func (t *kmTask) isListedAgain(published *dataset.Dictionary) error {
	if t.input.Data != nil {
		_, err := t.list().of(published)
		return err
	}
	note, err := t.isListed(published)
	t.listed = note
	return err
}

// named are the sensitive items that a report names, those that the published file or the hierarchy
// has, and how many others the list has: whether these are in the original is not told.
func (p *publicKM) named() (named []string, others int) {
	supports := map[string]bool{}
	if p.hidden != nil {
		for id, n := range p.hidden.Supports() {
			supports[p.hidden.Dict().Label(int32(id))] = n > 0
		}
	}
	for _, item := range p.sensitive {
		if _, inTree := p.whole.Node(item); inTree || supports[item] {
			named = append(named, item)
		}
	}
	return named, len(p.sensitive) - len(named)
}

// unknownWarning says that a list has items that nothing public has.
func (p *publicKM) unknownWarning(others int) []string {
	if !p.allowUnknown || others == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d of the %d items of the list of sensitive items are neither "+
		"in the published file nor in the hierarchy. The list was allowed to have such items "+
		"(--allow-unknown-sensitive): an item that the data spells in another way is not "+
		"protected.", others, len(p.sensitive))}
}
