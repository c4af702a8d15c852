package soak

import (
	"reflect"
	"strings"
	"testing"
)

// Blind changes reach far from a seed: they make an input longer and shorter, change its bytes, put
// in words, and mix it with others; and a run does the same as the last.
func TestBlindChanges(t *testing.T) {
	inputs := func() (all []string) {
		b := newBlind("FuzzX", func(_ *testing.T, text []byte, n int, yes bool, word string) {
			all = append(all, string(text)+"/"+word)
		})
		test := reflect.ValueOf(t)
		for _, seed := range []string{"1 2 3\n4 5\n", "a,b\n"} {
			b.seeds = append(b.seeds, []reflect.Value{
				test, reflect.ValueOf([]byte(seed)), reflect.ValueOf(7), reflect.ValueOf(true),
				reflect.ValueOf("w"),
			})
		}
		for range 5000 {
			b.try(test, b.changed())
		}
		if text := string(b.seeds[0][1].Bytes()); text != "1 2 3\n4 5\n" {
			t.Fatalf("a seed became %q", text)
		}
		return all
	}
	all := inputs()
	if again := inputs(); !reflect.DeepEqual(all, again) {
		t.Fatal("another run tries other inputs")
	}
	distinct := map[string]bool{}
	longest, mixed := 0, false
	for _, s := range all {
		distinct[s] = true
		longest = max(longest, len(s))
		mixed = mixed || strings.Contains(s, "1 2") && strings.Contains(s, "a,b")
	}
	if len(distinct) < 2000 || longest < 30 || !mixed {
		t.Errorf("%d distinct of %d, at most %d bytes, mixed %v", len(distinct), len(all), longest,
			mixed)
	}
}

// An input that fails is told as the fuzzer's files have it.
func TestSpelled(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{[]byte("a\n"), `[]byte("a\n")`},
		{"\xff", `string("\xff")`},
		{7, "int(7)"},
		{true, "bool(true)"},
	} {
		if got := spelled(reflect.ValueOf(c.value)); got != c.want {
			t.Errorf("%v is spelled %s, want %s", c.value, got, c.want)
		}
	}
}
