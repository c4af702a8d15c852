package global_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/global"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/privacy"
)

// A transaction of 10,000 items has 167 billion sets of three: to count those of 70 is refused
// before it is begun, those of 50 are a day's work and begun.
func TestMoreThanADayIsRefused(t *testing.T) {
	all, names := make([]int32, 10_000), make([]string, 10_000)
	for i := range names {
		all[i], names[i] = int32(i), fmt.Sprint(i)
	}
	tree, err := hierarchy.Fanout(names, 5)
	if err != nil {
		t.Fatal(err)
	}
	for n, refused := range map[int]bool{70: true, 50: false} {
		b := dataset.NewBuilder(tree.LeafDict())
		for i := range n {
			b.Add(all[i:]) // no two are equal
		}
		in := anonymize.Input{Data: b.Build(), Tree: tree, Promise: privacy.KM{K: 5, M: 3}}
		ctx, cancel := context.WithCancel(t.Context())
		in.Progress = func(anonymize.Progress) { cancel() } // it has begun
		_, err := global.DA{}.Anonymize(ctx, in)
		cancel()
		var much *anonymize.TooMuch
		switch {
		case errors.As(err, &much) != refused:
			t.Errorf("%d transactions: %v", n, err)
		case refused && (much.Size != 3 || much.Longest != 10_000):
			t.Errorf("%+v", much)
		}
	}
}
