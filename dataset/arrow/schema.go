package arrow

import (
	"fmt"

	"mingle/dataset/column"
	"mingle/internal/limits"
)

// Types, with their numbers in the format's union.
const (
	typeNull       = 1
	typeInt        = 2
	typeFloat      = 3
	typeBinary     = 4
	typeText       = 5
	typeBool       = 6
	typeDecimal    = 7
	typeDate       = 8
	typeTime       = 9
	typeTimestamp  = 10
	typeInterval   = 11
	typeList       = 12
	typeStruct     = 13
	typeUnion      = 14
	typeFixed      = 15
	typeFixedList  = 16
	typeMap        = 17
	typeDuration   = 18
	typeLongBinary = 19
	typeLongText   = 20
	typeLongList   = 21
	typeRuns       = 22
	typeBytesView  = 23
	typeTextView   = 24
	typeListView   = 25
	typeLongView   = 26
)

// field is a node of the schema.
type field struct {
	name     string
	kind     int
	width    int // bits of a number; bytes of typeFixed; elements of typeFixedList
	signed   bool
	scale    int
	unit     int64 // units a second; dates: 1 days, 1000 milliseconds
	utc      bool
	dense    bool // of unions
	coded    bool // the values are places in a dictionary
	id       int64
	index    *field // the type of the places
	children []*field
}

const maxDepth = 16

// newField reads a node; spare is how many more there may be.
func newField(t table, depth int, spare *int) (*field, error) {
	if *spare--; *spare < 0 || depth > maxDepth || !t.there() || *t.spare < 0 {
		return nil, fmt.Errorf("the schema is damaged, or has more than %d columns, the most that "+
			"are read", limits.MaxColumns)
	}
	f := &field{name: t.text(0), kind: int(t.int(2, 1, 0))}
	f.describe(t.table(3))
	if code := t.table(4); code.there() {
		f.coded, f.id = true, code.int(0, 8, 0)
		f.index = &field{kind: typeInt, width: 32, signed: true}
		if index := code.table(1); index.there() {
			f.index.width, f.index.signed = int(index.int(0, 4, 0)), index.bool(1)
		}
	}
	for _, child := range t.tables(5) {
		c, err := newField(child, depth+1, spare)
		if err != nil {
			return nil, err
		}
		f.children = append(f.children, c)
	}
	return f, nil
}

// describe reads what the type says beside its number.
func (f *field) describe(t table) {
	units := func(of int) int64 {
		if of < 0 || of > 3 {
			return 0
		}
		return []int64{1, 1_000, 1_000_000, 1_000_000_000}[of]
	}
	switch f.kind {
	case typeInt:
		f.width, f.signed = int(t.int(0, 4, 0)), t.bool(1)
	case typeFloat:
		if precision := t.int(0, 2, 0); precision >= 0 && precision <= 2 {
			f.width = []int{16, 32, 64}[precision]
		}
	case typeDecimal:
		f.scale, f.width = int(t.int(1, 4, 0)), int(t.int(2, 4, 128))
	case typeDate:
		if f.width, f.unit = 64, 1_000; t.int(0, 2, 1) == 0 {
			f.width, f.unit = 32, 1
		}
	case typeTime:
		f.unit, f.width = units(int(t.int(0, 2, 1))), int(t.int(1, 4, 32))
	case typeTimestamp:
		f.unit, f.width, f.utc = units(int(t.int(0, 2, 0))), 64, t.text(1) != ""
	case typeFixed, typeFixedList:
		f.width = int(t.int(0, 4, 0))
	case typeUnion:
		f.dense = t.int(0, 2, 0) == 1
	}
}

// columnOf describes a column of the file.
func columnOf(f *field) column.Field {
	out := column.Field{Name: f.name}
	of := f
	if f.isList() {
		if out.List = true; len(f.children) != 1 {
			out.Unusable = "its lists have no type"
			return out
		}
		if of = f.children[0]; of.isList() {
			out.Unusable = "its lists hold lists"
			return out
		}
	}
	if out.Unusable = of.unusable(); out.Unusable != "" && out.List {
		out.Unusable = "its lists hold records, maps or the like"
	}
	if !column.IsText(f.name) {
		out.Unusable = "its name is not text"
	}
	return out
}

func (f *field) isList() bool {
	return !f.coded && (f.kind == typeList || f.kind == typeLongList || f.kind == typeFixedList)
}

// unusable says why values of the type have no texts; "": they have.
func (f *field) unusable() string {
	bad := false
	switch f.kind {
	case typeNull, typeBool, typeBinary, typeText, typeLongBinary, typeLongText, typeBytesView,
		typeTextView:
	case typeInt:
		bad = f.width != 8 && f.width != 16 && f.width != 32 && f.width != 64
	case typeFloat:
		bad = f.width == 0
	case typeDate:
	case typeTime:
		bad = f.unit == 0 || f.width != 32 && f.width != 64
	case typeTimestamp:
		bad = f.unit == 0
	case typeDecimal:
		bad = f.width != 32 && f.width != 64 && f.width != 128 && f.width != 256 ||
			f.scale < -100 || f.scale > 100
	case typeFixed:
		bad = f.width <= 0 || f.width > 1<<16
	case typeInterval, typeDuration:
		return "it holds durations"
	case typeMap:
		return "it holds maps"
	case typeStruct:
		return "it holds records of several fields"
	case typeList, typeLongList, typeFixedList:
		return "it holds lists in a dictionary"
	case typeListView, typeLongView, typeRuns:
		return "it holds list views or runs: write plain lists"
	default:
		return "it holds values of a type that is not read"
	}
	if bad {
		return "its type is damaged"
	}
	if f.coded && (f.index.unusable() != "") {
		return "its dictionary's type is damaged"
	}
	return ""
}

// layout is how many buffers the type has, without those of its children; views have more.
func (f *field) buffers() (n int, nested bool, err error) {
	if f.coded {
		return 2, false, nil
	}
	switch f.kind {
	case typeNull:
		return 0, false, nil
	case typeBool, typeInt, typeFloat, typeDate, typeTime, typeTimestamp, typeDecimal, typeFixed,
		typeInterval, typeDuration:
		return 2, false, nil
	case typeBinary, typeText, typeLongBinary, typeLongText:
		return 3, false, nil
	case typeBytesView, typeTextView:
		return 2, false, nil
	case typeList, typeLongList, typeMap:
		return 2, true, nil
	case typeListView, typeLongView:
		return 3, true, nil
	case typeFixedList, typeStruct:
		return 1, true, nil
	case typeUnion:
		if f.dense {
			return 2, true, nil
		}
		return 1, true, nil
	case typeRuns:
		return 0, true, nil
	}
	return 0, false, fmt.Errorf("column %q is of a type that is not known", f.name)
}
