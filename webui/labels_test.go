package webui

import (
	"slices"
	"testing"
)

// A label that was chosen is what a run goes by, so the form shows it also where the columns are
// not known, as before the data are read again.
func TestTheFormShowsTheChosenLabel(t *testing.T) {
	p := &project{news: newNews()}
	p.choice = firstChoice()
	p.choice.Family, p.choice.Label = nonreciprocal, "diagnosis"
	if got := p.choosing().Labels; !slices.Equal(got, []string{"diagnosis"}) {
		t.Errorf("the labels of the form are %q", got)
	}
	p.choice.Label = ""
	if got := p.choosing().Labels; len(got) > 0 {
		t.Errorf("the labels of the form are %q, and none is known", got)
	}
}
