package release_test

import (
	"bytes"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/internal/soak"
	"mingle/release"
)

const publishedFile = `{"items":["Jogging","Swimming"],` +
	`"uncertain":["Soccer","Tennis"],"threshold":1,"label":"a \"b\" <c>"}
{"items":[],"uncertain":[],"threshold":0,"label":""}
`

func TestNonreciprocalRoundTrip(t *testing.T) {
	r, err := release.ReadNonreciprocal(strings.NewReader(publishedFile), nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if b.String() != publishedFile {
		t.Errorf("written again:\n%s", b.String())
	}
}

// r5' of the worked example: base 1100, uncertain 0011, t = 1, has the possible worlds 1100, 1110
// and 1101.
func TestPossibleWorlds(t *testing.T) {
	dict := dataset.MustDictionary([]string{"Jogging", "Swimming", "Tennis", "Soccer"})
	r, err := release.ReadNonreciprocal(strings.NewReader(publishedFile), dict)
	if err != nil {
		t.Fatal(err)
	}
	want := map[int]bool{0b1100: true, 0b1110: true, 0b1101: true}
	for world := range 16 {
		var tx []int32
		for bit := range 4 {
			if world&(8>>bit) != 0 {
				tx = append(tx, int32(bit))
			}
		}
		if got := r.Matches(0, tx); got != want[world] {
			t.Errorf("%04b matches: %v, section 1 of xue-2012 says %v", world, got, want[world])
		}
	}
}

func TestReadNonreciprocalTellsFaults(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"items":[],"uncertain":[]}`, "line 1: must have items, uncertain and threshold"},
		{`{"items":[],"uncertain":[],"threshold":-1}`, "line 1: threshold (-1) must not be " +
			"negative"},
		{
			"\n" + `{"items":["a","a"],"uncertain":[],"threshold":0}`,
			`line 2: items names "a" twice`,
		},
		{`{"items":[],"uncertain":[],"threshold":0,"row":3}`, `line 1: field "row" is not known`},
		{`{"items":[],"uncertain":[],"threshold":0} {}`, `line 1: JSON: "{}" after the object`},
		{
			`{"items":[],"uncertain":[],"threshold":0,"label":"x"}` + "\n" +
				`{"items":[],"uncertain":[],"threshold":0}`,
			"line 2: either all lines have a label or none",
		},
		{
			`{"items":["a"],"items":["b"],"uncertain":[],"threshold":0}`,
			`line 1: field "items" is given twice`,
		},
		{
			`{"items":["a"],"\u0069tems":["b"],"uncertain":[],"threshold":0}`,
			`field "items" is given twice`,
		},
		{
			`{"items":["a"],"uncertain":[],"uncertain":["a"],"threshold":0}`,
			`field "uncertain" is given twice`,
		},
		{`{"ITEMS":["a"],"uncertain":[],"threshold":0}`, `the object has no field "items"`},
		{
			`{"items":["a"],"Items":["b"],"uncertain":[],"threshold":0}`,
			`"Items" differ in case only`,
		},
		{
			`{"items":["a"],"Uncertain":["b"],"uncertain":[],"threshold":0}`,
			`field "Uncertain" is not known`,
		},
		{`{"items":["\ud800"],"uncertain":[],"threshold":0}`, "half of a surrogate pair"},
		{`{"items":["\ufffd\ud800"],"uncertain":[],"threshold":0}`, "half of a surrogate pair"},
		{
			`{"items":[],"uncertain":[],"threshold":0,"label":"\udc00"}`,
			"half of a surrogate pair",
		},
		{`{"items":["a",null],"uncertain":[],"threshold":0}`, `line 1: a value must be a string`},
		{
			`{"items":["a"],"uncertain":[null],"threshold":0}`,
			"line 1: uncertain has an item without a name",
		},
		{`{"items":null,"uncertain":[],"threshold":0}`, `field "items" must be an array`},
		{`{"items":[],"uncertain":null,"threshold":0}`, `"uncertain" must not be null`},
		{`{"items":[],"uncertain":[],"threshold":null}`, `"threshold" must not be null`},
		{`{"items":[],"uncertain":[],"threshold":0,"label":null}`, `"label" must not be null`},
		{`{"items":[],"uncertain":[],"threshold":0}` + "\v", "line 1: "},
		{`{"items":[],"uncertain":[],"threshold":0}` + "\u00a0", "line 1: "},
		{`{"items":[],"uncertain":[],` + "\u00a0" + `"threshold":0}`, "line 1: "},
		{`{"items":[],"uncertain":["a"` + "\v" + `],"threshold":0}`, "line 1: "},
		{"\v", "line 1: "},
		{strings.Repeat("x\n", 30), "and 10 more"},
		{"{\"items\":[\"\xff\"],\"uncertain\":[],\"threshold\":0}", "line 1: broken UTF-8"},
	} {
		_, err := release.ReadNonreciprocal(strings.NewReader(c.text), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q: error %v, want one with %q", c.text, err, c.want)
		}
	}
}

func FuzzReadNonreciprocal(f *testing.F) {
	f.Add([]byte(publishedFile))
	f.Add([]byte("\ufeff{\"items\":[\"1\",\"2\"],\"uncertain\":[\"2\"],\"threshold\":1}\r\n\n"))
	soak.Fuzz(f, func(t *testing.T, text []byte) {
		r, err := release.ReadNonreciprocal(bytes.NewReader(text), nil)
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := r.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		again, err := release.ReadNonreciprocal(bytes.NewReader(b.Bytes()), nil)
		if err != nil {
			t.Fatalf("cannot read what was written: %v\n%s", err, b.String())
		}
		var c bytes.Buffer
		if err := again.WriteJSON(&c); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes(), c.Bytes()) {
			t.Errorf("written twice:\n%s\n%s", b.String(), c.String())
		}
	})
}

// Base sets are known by their fields, whatever else is called so.
func TestHasBaseSets(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
	}{
		{publishedFile, true},
		{`{"items":["a"],"uncertain":["b"]}`, false},
		{`{"items":["a"],"threshold":1}`, false},
		{`{"items":["a"],"uncertain":"yes","threshold":1}`, false},
		{`{"items":["a"]}`, false},
	} {
		d, err := dataset.Read(
			t.Context(), strings.NewReader(c.text), dataset.Options{Format: dataset.JSONL},
		)
		if err != nil {
			t.Fatal(err)
		}
		if got := release.HasBaseSets(d); got != c.want {
			t.Errorf("%s: %v", c.text, got)
		}
	}
}
