package verify_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/internal/soak"
	"mingle/privacy"
	"mingle/release"
	"mingle/verify"
)

// eachWord calls do with every line that has one word less, more or another.
func eachWord(line string, words []string, do func(line string)) {
	fields := strings.Fields(line)
	for at := range fields {
		do(strings.Join(slices.Delete(slices.Clone(fields), at, at+1), " "))
		for _, w := range words {
			changed := slices.Clone(fields)
			changed[at] = w
			do(strings.Join(changed, " "))
		}
	}
	for _, w := range words {
		do(strings.Join(append(fields, w), " "))
	}
}

// eachOfLines calls do with all lines where one is dropped, written twice or exchanged with
// another, and where each changes one of them.
func eachOfLines(lines []string, each func(line string, do func(string)), do func([]string)) {
	do(lines)
	for i, line := range lines {
		do(slices.Delete(slices.Clone(lines), i, i+1))
		do(slices.Insert(slices.Clone(lines), i, line))
		for j := range i {
			edited := slices.Clone(lines)
			edited[i], edited[j] = edited[j], edited[i]
			do(edited)
		}
		each(line, func(changed string) {
			edited := slices.Clone(lines)
			edited[i] = changed
			do(edited)
		})
	}
}

// ranges are what is published of the values 1 and 2.
var ranges = map[string][]string{
	"1": {"1", "[1-2]", "[1-3]"}, "2": {"2", "[1-2]", "[1-3]", "[2-3]"},
	"3": {"3", "[1-3]", "[2-3]"},
}

// generalizes tells whether each value has a term of its own that stands for it: all orders of the
// terms are tried.
func generalizes(values, terms []string) bool {
	if len(values) == 0 {
		return len(terms) == 0
	}
	for at, term := range terms {
		if slices.Contains(ranges[values[0]], term) &&
			generalizes(values[1:], slices.Delete(slices.Clone(terms), at, at+1)) {
			return true
		}
	}
	return false
}

// Every single edit of releases of bags of values gets the verdict of the definition.
func TestEveryEditOfBagsSoak(t *testing.T) {
	terms := []string{"1", "2", "3", "[1-2]", "[1-3]", "[2-3]"}
	bagsOf := []string{"", "1", "2", "1 1", "1 2", "2 3", "1 1 2"}
	kept, broken := 0, 0
	judged := func(original, published []string, p privacy.Continuous) {
		in := verify.ContinuousInput{Published: bags(t, published...), Promise: p, Workers: 1}
		rare, _ := rareBags(published, p)
		want := len(rare) == 0
		if original != nil {
			in.Original = bags(t, original...)
			want = want && slices.EqualFunc(original, published, func(o, p string) bool {
				return generalizes(strings.Fields(o), strings.Fields(p))
			})
		}
		if f := judge(t, in); f.Holds != want {
			t.Fatalf("%v: holds %v, want %v\noriginal %q\npublished %q\n%+v", p, f.Holds, want,
				original, published, f)
		}
		if want {
			kept++
		} else {
			broken++
		}
	}
	n := 0
	for i, a := range bagsOf {
		for _, b := range bagsOf[:i+1] {
			for _, finest := range []int{0, 1, 2} {
				for _, p := range []privacy.Continuous{{K: 2, M: 1}, {K: 2, M: 2}, {K: 2, M: 3}} {
					if n++; n%soak.Share(7, 1) != 0 {
						continue
					}
					original := []string{a, b, a, b}
					var published []string
					for _, line := range original {
						var texts []string
						for _, v := range strings.Fields(line) {
							texts = append(texts, ranges[v][min(finest, len(ranges[v])-1)])
						}
						published = append(published, strings.Join(texts, " "))
					}
					eachOfLines(published, func(line string, do func(string)) {
						eachWord(line, terms, do)
					}, func(edited []string) {
						sorted := slices.Clone(edited)
						for i, line := range sorted {
							sorted[i] = strings.Join(slices.Sorted(strings.FieldsSeq(line)), " ")
						}
						judged(original, sorted, p)
						judged(nil, sorted, p)
					})
				}
			}
		}
	}
	t.Logf("%d kept, %d broken", kept, broken)
	if kept < broken/50 || broken < kept/50 {
		t.Errorf("%d kept, %d broken: one-sided", kept, broken)
	}
}

// keepsNonreciprocal is the definition, by all permutations of the records.
func keepsNonreciprocal(
	d *dataset.Dataset, labels []string, r *release.Nonreciprocal, p privacy.Nonreciprocal,
) bool {
	n := d.Len()
	if n != r.Len() {
		return false
	}
	rows, labelled := assignments(r, d, labels)
	if !labelled {
		return false
	}
	need, back := max(p.K, p.L), make([]int, n)
	for _, behind := range rows {
		kinds := map[string]bool{}
		for row := range behind {
			back[row]++
			kinds[r.Labels[row]] = true
		}
		if len(behind) < need || p.L > 0 && len(kinds) < need {
			return false
		}
	}
	return slices.Min(back) >= need && (p.L == 0 || !overShared(rows, r.Labels, p.L))
}

// editedItems calls do with every set of the letters a, b and c that has one less, more or another.
func editedItems(set string, do func(string)) {
	for c := range strings.SplitSeq("abc", "") {
		if without := strings.ReplaceAll(set, c, ""); without != set {
			do(without)
			for other := range strings.SplitSeq("abc", "") {
				if !strings.Contains(set, other) {
					do(without + other)
				}
			}
		} else {
			do(set + c)
		}
	}
}

// eachRow calls do with every published record base/uncertain/threshold:label that one edit makes
// of another.
func eachRow(line string, do func(string)) {
	rest, label, _ := strings.Cut(line, ":")
	part := strings.Split(rest, "/")
	join := func(base, uncertain, threshold, label string) {
		do(base + "/" + uncertain + "/" + threshold + ":" + label)
	}
	editedItems(part[0], func(s string) { join(s, part[1], part[2], label) })
	editedItems(part[1], func(s string) { join(part[0], s, part[2], label) })
	for threshold := range 4 {
		join(part[0], part[1], fmt.Sprint(threshold), label)
	}
	for _, other := range []string{"x", "y", "z"} {
		join(part[0], part[1], part[2], other)
	}
}

// Every single edit of nonreciprocal releases gets the verdict of the definition: items, uncertain
// items, thresholds, labels and lines.
func TestEveryEditOfNonreciprocalSoak(t *testing.T) {
	kept, broken := 0, 0
	for _, c := range []struct{ original, published string }{
		{"a:x a:y b:x b:y", "a//0:x a//0:y b//0:x b//0:y"},
		{"a:x b:y a:z b:x", "a/ab/2:x b/ab/2:y a/ab/2:z b/ab/2:x"},
		{"a:x ab:y b:z :x", "a/b/1:x a/b/1:y b/b/1:z b/b/1:x"},
		{"a:x a:y bc:x c:y", "a//0:x a//0:y bc/b/1:x bc/b/1:y"},
		{"abc:x ab:y bc:z", "ab/ac/2:x abc/ac/2:y b/ac/2:z"},
		{"a:x b:y c:z", "a/ab/2:x b/bc/2:y c/ca/2:z"},
	} {
		d, labels := fromLines(strings.Fields(c.original))
		eachOfLines(strings.Fields(c.published), eachRow, func(edited []string) {
			r := publishedLines(edited)
			for _, p := range []privacy.Nonreciprocal{{K: 2}, {L: 2}, {K: 3}} {
				f, err := verify.Nonreciprocal(t.Context(), verify.NonreciprocalInput{
					Original: d, Labels: labels, Published: r, Promise: p, Workers: 1,
				})
				if err != nil {
					t.Fatal(err)
				}
				if want := keepsNonreciprocal(d, labels, r, p); f.Holds != want {
					t.Fatalf("%v: holds %v, want %v\noriginal %s\npublished %q\n%+v", p, f.Holds,
						want, c.original, edited, f)
				}
				if f.Holds {
					kept++
				} else {
					broken++
				}
			}
		})
	}
	t.Logf("%d kept, %d broken", kept, broken)
	if kept < broken/50 || broken < kept/50 {
		t.Errorf("%d kept, %d broken: one-sided", kept, broken)
	}
}
