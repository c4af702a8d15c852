package dataset

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Dictionary names items: a bijection between the ids 0..Len-1 and their labels. Labels are any
// UTF-8.
type Dictionary struct {
	labels []string
	once   sync.Once
	index  map[string]int32 // built on first use: most dictionaries are only read forwards
}

// NewDictionary makes a dictionary in the order of the labels, which must be distinct.
func NewDictionary(labels []string) (*Dictionary, error) {
	d := &Dictionary{labels: labels}
	d.once.Do(d.buildIndex)
	if len(d.index) != len(labels) {
		seen := make(map[string]bool, len(labels))
		for _, l := range labels {
			if seen[l] {
				return nil, fmt.Errorf("dataset: label %q is given twice", l)
			}
			seen[l] = true
		}
	}
	return d, nil
}

// MustDictionary is NewDictionary for labels known to be distinct; it panics where they are not.
func MustDictionary(labels []string) *Dictionary {
	d, err := NewDictionary(labels)
	if err != nil {
		panic(err)
	}
	return d
}

// Unnamed is a dictionary of n items that are never printed, for working copies of data.
func Unnamed(n int) *Dictionary { return &Dictionary{labels: make([]string, n)} }

func (d *Dictionary) buildIndex() {
	d.index = make(map[string]int32, len(d.labels))
	for i, l := range d.labels {
		d.index[l] = int32(i)
	}
}

// Len is the number of items.
func (d *Dictionary) Len() int { return len(d.labels) }

// Label names item id.
func (d *Dictionary) Label(id int32) string { return d.labels[id] }

// Labels are all labels in the order of the ids. The caller must not change it.
func (d *Dictionary) Labels() []string { return d.labels }

// ID finds an item by its label.
func (d *Dictionary) ID(label string) (int32, bool) {
	d.once.Do(d.buildIndex)
	id, ok := d.index[label]
	return id, ok
}

// Equal tells whether two dictionaries give the same labels the same ids. It takes no time where
// they are one and the same.
func (d *Dictionary) Equal(o *Dictionary) bool {
	return d == o || slices.Equal(d.labels, o.labels)
}

// CompareLabels is the natural order of labels, the order in which items are numbered, sorted and
// printed: runs of digits compare by value, everything else byte by byte, so "9" is before "10" and
// "a9" before "a10". It is a total order: labels that differ only in leading zeros are told apart
// by them.
func CompareLabels(a, b string) int {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		if isDigit(a[i]) && isDigit(b[j]) {
			ra, rb := digitRun(a[i:]), digitRun(b[j:])
			if c := compareDigits(a[i:i+ra], b[j:j+rb]); c != 0 {
				return c
			}
			i, j = i+ra, j+rb
			continue
		}
		if a[i] != b[j] {
			if a[i] < b[j] {
				return -1
			}
			return 1
		}
		i, j = i+1, j+1
	}
	if c := (len(a) - i) - (len(b) - j); c != 0 {
		return sign(c)
	}
	return strings.Compare(a, b)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func digitRun(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

func compareDigits(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	if len(a) != len(b) {
		return sign(len(a) - len(b))
	}
	return strings.Compare(a, b)
}

func sign(c int) int {
	switch {
	case c < 0:
		return -1
	case c > 0:
		return 1
	}
	return 0
}
