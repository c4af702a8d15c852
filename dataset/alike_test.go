package dataset

import "testing"

func TestTextsThatMeanNothing(t *testing.T) {
	for _, text := range []string{"NULL", `\N`, " n/a ", "#N/A", "NaN", "-", "--", "?", "Unknown"} {
		if !MeansNothing(text) || Person(text) != "" {
			t.Errorf("%q is somebody: %q", text, Person(text))
		}
	}
	for _, text := range []string{"0", "a", "---", "nobody", "-1"} {
		if MeansNothing(text) || Person(" "+text+" ") != text {
			t.Errorf("%q is nobody: %q", text, Person(text))
		}
	}
}

func TestFoldedTexts(t *testing.T) {
	for _, same := range [][]string{
		{"HIV", "hiv", " Hiv", "HIV\u200b", "\ufeffHIV", "ＨＩＶ"},
		{"caf\u00e9", "cafe\u0301", "CAFE\u0301"},
		{"1", "1.0", "01", "+1", "1e0", "10e-1"},
		{"0", "-0", "0.00"},
	} {
		for _, text := range same[1:] {
			if Folded(text) != Folded(same[0]) {
				t.Errorf("%q is %q, %q is %q", text, Folded(text), same[0], Folded(same[0]))
			}
		}
	}
	different := map[string]string{}
	for _, text := range []string{
		"1", "2", "e", "1.5", "", "é", "1-2", "1234567890123456", "1234567890123457", "inf", "nan",
	} {
		if was, twice := different[Folded(text)]; twice {
			t.Errorf("%q and %q are one", was, text)
		}
		different[Folded(text)] = text
	}
}

func TestTextsAreQuotedApart(t *testing.T) {
	for _, c := range [][4]string{
		{"Grün", "grün", `"Grün"`, `"grün"`},
		{"HIV", "HIV\u200b", `"HIV"`, `"HIV\u200b"`},
		{"caf\u00e9", "cafe\u0301", `"caf\u00e9"`, `"cafe\u0301"`},
	} {
		if a, b := Apart(c[0], c[1]); a != c[2] || b != c[3] {
			t.Errorf("%s %s, want %s %s", a, b, c[2], c[3])
		}
	}
}
