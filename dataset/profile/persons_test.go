package profile

import (
	"fmt"
	"testing"

	"mingle/dataset"
)

// What looks like persons, and what does not.
func TestLooksLikePersons(t *testing.T) {
	values := func(n int, of func(i int) string) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = of(i)
		}
		return out
	}
	for _, c := range []struct {
		name   string
		values []string
		want   bool
	}{
		{"buyer", values(200, func(i int) string { return fmt.Sprint(i % 60) }), true},
		{"Customer ID", values(6, func(i int) string { return fmt.Sprint(i % 3) }), true},
		{"patient", values(6, func(i int) string { return fmt.Sprint(i) }), false},
		{"country", values(2000, func(i int) string { return fmt.Sprint(i % 12) }), false},
		{"sex", values(200, func(i int) string { return fmt.Sprint(i % 2) }), false},
		{"invoice", values(200, func(i int) string { return fmt.Sprint(i) }), false},
		{"date", values(200, func(i int) string { return fmt.Sprintf("2009-12-%02d 07:45", i%28) }), false},
		{"empty", values(200, func(int) string { return "" }), false},
	} {
		p, is := LooksLikePersons(dataset.Column{Name: c.name, Values: c.values})
		if is != c.want {
			t.Errorf("%s: %v, %+v", c.name, is, p)
		}
	}
}
