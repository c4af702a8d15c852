package hierarchy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/internal/soak"
)

// By hand: chapters, blocks, a category with a title, codes in several spellings.
func TestICD(t *testing.T) {
	ranges, err := ReadCodeRanges(strings.NewReader("\ufeffrange,title\n001-139,\"INFECTIOUS, ALL\"\r\n"+
		"# blocks\n1;9;Intestinal\n240–279\tENDOCRINE\n249-259,Other glands\n250,Diabetes\n250.1,Below\n"+
		"E800-E999 CAUSES\nV01-V91|OTHER\n"), "t")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		codes string
		o     ICDOptions
		want  []string
	}{
		{"00845 8.46 38.0 25000 250.1 251 E812.0 e8121 V1.5 V015", ICDOptions{}, []string{
			"00845;001-009;001-139;*", "8.46;001-009;001-139;*", "38.0;001-139;*",
			"25000;250*;240-279;*", "250.1;250*;240-279;*", "251;240-279;*",
			"V1.5;V01-V91;*", "V015;V01-V91;*", "E812.0;E800-E999;*", "e8121;E800-E999;*",
		}},
		{"001 008 00845 8.46 0091 25000 250.1 251 241 V1.5 v015 V20", ICDOptions{}, []string{
			"001;001-139;*", "008;008*;001-139;*", "00845;0084*;008*;001-139;*",
			"8.46;0084*;008*;001-139;*", "0091;001-139;*", "25000;250*;249-259;240-279;*",
			"250.1;250*;249-259;240-279;*", "251;249-259;240-279;*", "241;240-279;*",
			"V1.5;V01*;V01-V91;*", "v015;V01*;V01-V91;*", "V20;V01-V91;*",
		}},
		{"250 2500", ICDOptions{}, []string{"250;*", "2500;*"}},
		{"250* 250 2501 001", ICDOptions{Other: "250*"}, []string{
			"250;240-279;*", "2501;240-279;*", "250*;250**;*", "001;*",
		}},
		{"001 002 045 25000 25001 none", ICDOptions{Titles: true, Other: "other", Root: "any"}, []string{
			"001;001-009 Intestinal;001-139 INFECTIOUS, ALL;any",
			"002;001-009 Intestinal;001-139 INFECTIOUS, ALL;any", "045;001-139 INFECTIOUS, ALL;any",
			"25000;240-279 ENDOCRINE;any", "25001;240-279 ENDOCRINE;any", "none;other;any",
		}},
		{"25000 25001 251", ICDOptions{Titles: true}, []string{
			"25000;250* Diabetes;*", "25001;250* Diabetes;*", "251;*",
		}},
	} {
		tree, err := ICD(strings.Fields(c.codes), ranges, c.o)
		if err != nil {
			t.Fatal(c.codes, err)
		}
		got := paths(tree)
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.codes, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

func FuzzReadCodeRanges(f *testing.F) {
	for _, text := range []string{"001-139,x\n", "A00;B99;x\n", "title\n#\nV1-V9 y", "\"1\"-\"2\"", "E8.1"} {
		f.Add(text)
	}
	soak.Fuzz(f, func(t *testing.T, text string) {
		ranges, err := ReadCodeRanges(strings.NewReader(text), "t")
		if err != nil {
			return
		}
		if _, err := ICD([]string{"001", "A00.1", "e8001", text}, ranges, ICDOptions{Other: "o"}); err != nil &&
			text == "" {
			t.Error(err)
		}
	})
}

func TestICD10(t *testing.T) {
	ranges, err := ReadCodeRanges(strings.NewReader(
		"A00-B99,Infections\nA00-A09,Intestinal\nC00-D49,Neoplasms\nC76-C80,Unspecified\n"), "t")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := ICD(strings.Fields("A00.0 a001 B20 C7A.1 C780 C7A00 G01*"), ranges, ICDOptions{Other: "o"})
	if err != nil {
		t.Fatal(err)
	}
	got := paths(tree)
	slices.Sort(got)
	want := []string{
		"A00.0;A00-A09;A00-B99;*", "a001;A00-A09;A00-B99;*", "B20;A00-B99;*",
		"C7A.1;C7A*;C00-D49;*", "C7A00;C7A*;C00-D49;*", "C780;C00-D49;*", "G01*;o;*",
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestICDFaults(t *testing.T) {
	for _, c := range []struct{ table, codes, want string }{
		{"001-139,x\n100-200,y\n", "001", "t:2: the range 100-200 overlaps 001-139 (t:1)"},
		{"139-001,x\n", "001", "t:1: the range 139-001 ends before it begins"},
		{"001-139,x\nnone\n", "001", `t:2: "none" is no range of codes`},
		{"title only\n", "001", "the table of code ranges is empty"},
		{"001-139,x\n", "001 250 x", `item "250" is no code of ICD-9 in any of the ranges`},
	} {
		ranges, err := ReadCodeRanges(strings.NewReader(c.table), "t")
		if err == nil {
			_, err = ICD(strings.Fields(c.codes), ranges, ICDOptions{})
			if err != nil {
				err = fmt.Errorf("t:%w", err)
			}
		}
		if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), "t:line ", "t:"), c.want) {
			t.Errorf("%q: %v, want %q", c.table, err, c.want)
		}
	}
}

// spelled writes a code of ICD-9-CM in one of the ways in which it is written.
func spelled(rng *rand.Rand, category, rest string) string {
	letter := strings.TrimRight(category, "0123456789")
	digits := strings.TrimPrefix(category, letter)
	if rng.IntN(2) == 0 {
		letter = strings.ToLower(letter)
	}
	switch {
	case rest == "" && rng.IntN(2) == 0:
		return letter + strings.TrimLeft(digits[:len(digits)-1], "0") + digits[len(digits)-1:]
	case rest != "" && rng.IntN(3) == 0:
		return letter + strings.TrimLeft(digits[:len(digits)-1], "0") + digits[len(digits)-1:] + "." + rest
	case rest != "" && rng.IntN(2) == 0:
		return letter + digits + "." + rest
	}
	return letter + digits + rest
}

// Below a range are the codes of its categories, and below a prefix the codes that begin with it,
// no more and no less, however they are written. A range or prefix of two codes or more has a group
// unless one above it has the same codes. Ranges do not depend on the order of the table.
func TestICDAgainstTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		var ranges []CodeRange
		top := [][2]string{{"001", "009"}, {"010", "099"}, {"E800", "E809"}, {"V01", "V09"}}
		for _, r := range top {
			ranges = append(ranges, CodeRange{From: r[0], To: r[1]})
		}
		for _, r := range [][2]string{{"001", "005"}, {"002", "004"}, {"003", "003"}, {"E803", "E805"}} {
			if rng.IntN(2) == 0 {
				ranges = append(ranges, CodeRange{From: r[0], To: r[1]})
			}
		}
		rng.Shuffle(len(ranges), func(i, j int) { ranges[i], ranges[j] = ranges[j], ranges[i] })
		code := map[string]string{} // by label
		for range 1 + rng.IntN(8) {
			category := []string{"001", "002", "003", "004", "005", "012", "E803", "E804", "E800", "V05"}[rng.IntN(10)]
			rest := []string{"", "0", "1", "00", "01", "10"}[rng.IntN(6)]
			code[spelled(rng, category, rest)] = category + rest
		}
		var labels []string
		for label := range code {
			labels = append(labels, label)
		}
		slices.Sort(labels)
		tree, err := ICD(labels, ranges, ICDOptions{})
		if err != nil {
			t.Fatal(labels, err)
		}
		if why := wrongICD(tree, code, ranges); why != "" {
			t.Fatalf("%s\n%v\n%v\n%s", why, code, ranges, strings.Join(paths(tree), "\n"))
		}
	}
}

// wrongICD compares the groups of a tree with what they must hold.
func wrongICD(tree *Tree, code map[string]string, ranges []CodeRange) string {
	if tree.Leaves() != len(code) {
		return "the leaves are not the codes"
	}
	holds := map[string]bool{} // the sets of leaves of nodes
	for u := range int32(tree.Nodes()) {
		var below []string
		for leaf := range int32(tree.Leaves()) {
			if tree.Covers(u, leaf) {
				below = append(below, code[tree.Label(leaf)])
			}
		}
		slices.Sort(below)
		holds[strings.Join(below, " ")] = true
		if label := tree.Label(u); !tree.IsLeaf(u) && label != "*" {
			if want := members(label, code); !slices.Equal(below, want) {
				return fmt.Sprintf("%s holds %v, not %v", label, below, want)
			}
		}
	}
	var wanted []string
	for _, r := range ranges {
		wanted = append(wanted, r.From+"-"+r.To)
	}
	for _, c := range code {
		category := 3
		if c[0] == 'E' {
			category = 4
		}
		for n := category; n <= len(c); n++ {
			wanted = append(wanted, c[:n]+"*")
		}
	}
	for _, label := range wanted {
		if m := members(label, code); len(m) > 1 && !holds[strings.Join(m, " ")] {
			return "there is no group of " + label
		}
	}
	return ""
}

// members are the codes that a group must hold, by its name.
func members(group string, code map[string]string) []string {
	var out []string
	for _, c := range code {
		category := c[:3]
		if c[0] == 'E' {
			category = c[:4]
		}
		if from, to, is := strings.Cut(group, "-"); is && from <= category && category <= to ||
			!is && strings.HasPrefix(c, strings.TrimRight(group, "*")) {
			out = append(out, c)
		}
	}
	slices.Sort(out)
	return out
}
