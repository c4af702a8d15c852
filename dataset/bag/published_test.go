package bag_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/dataset/bag"
)

// In a published file a text that is not that of its term is refused with its line: it shows more
// than what is counted. An original may be written in any way.
func TestPublishedTextsAreThoseOfTheirTerms(t *testing.T) {
	for _, c := range []struct {
		name, kind, unit string
		format           dataset.Format
		file             string
		lines            []int // of the faults
	}{
		{"date", "date", "month", dataset.Fimi, "2024-01-15\n2024-01-16\n", []int{1, 2}},
		{"as shown", "date", "month", dataset.Fimi, "2024-01\n[2024-02-2024-03]\n", nil},
		{
			"ends of ranges", "date", "month", dataset.Basket,
			"2024-01\n[2024-01-05-2024-02]\n[2024-01-2024-02-05]\n",
			[]int{2, 3},
		},
		{
			"long", "date", "year", dataset.Long, "record,value\na,2024\nb,2024-01-16\n",
			[]int{3},
		},
		{
			"jsonl", "date", "month", dataset.JSONL,
			`{"values":["2024-01"]}` + "\n" + `{"values":["2024-01-16"]}`,
			[]int{2},
		},
		{
			"hours", "timestamp", "hour", dataset.Basket,
			"2024-01-15T10:00:00.123Z\n2024-01-15T10:00:00.999Z\n2024-01-15T10\n",
			[]int{1, 2},
		},
		{
			"zones", "timestamp", "", dataset.Basket,
			"2024-01-15T10:00:00Z\n2024-01-15T11:00:00+01:00\n",
			[]int{2},
		},
		{
			"below a nanosecond", "timestamp", "", dataset.Basket,
			"2024-01-15T10:00:00.1234567891Z\n2024-01-15T10:00:00.123456789Z\n",
			[]int{1},
		},
		{"numbers", "number", "", dataset.Fimi, "1\n1.0\n01\n[1-1]\n+1\n1e0\n", []int{2, 3, 4, 5, 6}},
		{"ends", "number", "", dataset.Fimi, "[1-3]\n[01-3]\n[1-3.0]\n", []int{2, 3}},
		{"one range of one value", "number", "", dataset.Fimi, "[7-7]\n[7-7]\n", []int{1, 2}},
		{"quoted blanks", "number", "", dataset.Basket, "1\n\" 1\"\n", []int{2}},
		{"blanks in jsonl", "number", "", dataset.JSONL, `{"values":["1 "]}`, []int{1}},
		{"a text throughout", "number", "", dataset.Fimi, "1.50 02\n1.50 02\n", nil},
	} {
		kind, err := bag.NewKind(c.kind, "", c.unit)
		if err != nil {
			t.Fatal(err)
		}
		l := bag.Layout{Format: c.format, Kind: kind, Ranges: true}
		_, err = bag.Read(t.Context(), strings.NewReader(c.file), &l)
		var lines []int
		if faults, ok := errors.AsType[*dataset.Faults](err); ok {
			for _, f := range faults.List {
				lines = append(lines, f.Line)
			}
		}
		if err != nil && lines == nil || !slices.Equal(lines, c.lines) {
			t.Errorf("%s: %v, want faults on lines %v", c.name, err, c.lines)
		}
		// an original may have any text of a value, but not more digits than are compared
		if l.Ranges = false; !strings.Contains(c.file, "[") && c.name != "below a nanosecond" {
			if _, err := bag.Read(t.Context(), strings.NewReader(c.file), &l); err != nil {
				t.Errorf("%s as an original: %v", c.name, err)
			}
		}
	}
}
