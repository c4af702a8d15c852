package parquet

import (
	"fmt"

	"mingle/dataset/column"
	"mingle/internal/limits"
)

// Physical types, with their numbers in the format.
const (
	typeBool = iota
	typeInt32
	typeInt64
	typeInt96
	typeFloat
	typeDouble
	typeBytes
	typeFixed
)

// What the texts of a column are made as.
const (
	asPlain     = iota // by the physical type
	asUnsigned         // an integer without a sign
	asDate             // days
	asTime             // of day
	asTimestamp        // of a clock somewhere
	asMoment           // of universal time
	asDecimal
	asUUID
	asFloat16
)

// element is a node of the schema as it is stored: the tree in depth-first order.
type element struct {
	name       string
	physical   int // -1: it has children
	length     int // of typeFixed
	repetition int // 0 required, 1 optional, 2 repeated
	children   int
	converted  int // -1: none
	scale      int
	list, kv   bool // a list, a map
	as         int
	unit       int64 // units a second
	other      string
}

// leaf is a column that holds values.
type leaf struct {
	element
	index          int // among the leaves of the file
	maxDef, maxRep int
	present        int // lists: the definition level from which an element is there
}

func (t *thrift) element() element {
	e := element{physical: -1, converted: -1}
	t.fields(func(id int, kind byte) {
		switch {
		case id == 1 && kind == 5:
			e.physical = int(t.int())
		case id == 2 && kind == 5:
			e.length = int(t.int())
		case id == 3 && kind == 5:
			e.repetition = int(t.int())
		case id == 4 && kind == thriftBinary:
			e.name = string(t.bytes())
		case id == 5 && kind == 5:
			e.children = int(t.int())
		case id == 6 && kind == 5:
			e.converted = int(t.int())
		case id == 7 && kind == 5:
			e.scale = int(t.int())
		case id == 10 && kind == thriftStruct:
			t.logical(&e)
		default:
			t.skip(kind)
		}
	})
	e.convert()
	return e
}

// logical reads the union of logical types; its member's number says which.
func (t *thrift) logical(e *element) {
	t.fields(func(id int, kind byte) {
		if kind != thriftStruct {
			t.skip(kind)
			return
		}
		utc := false
		member := func(field int, kind byte) {
			switch {
			case id == 5 && field == 1 && kind == 5:
				e.scale = int(t.int())
			case (id == 7 || id == 8) && field == 1:
				utc = kind == thriftTrue
			case (id == 7 || id == 8) && field == 2 && kind == thriftStruct:
				t.fields(func(unit int, kind byte) {
					if unit >= 1 && unit <= 3 {
						e.unit = []int64{0, 1_000, 1_000_000, 1_000_000_000}[unit]
					}
					t.skip(kind)
				})
			case id == 10 && field == 2 && (kind == thriftTrue || kind == thriftFalse):
				if kind == thriftFalse {
					e.as = asUnsigned
				}
			default:
				t.skip(kind)
			}
		}
		t.fields(member)
		e.setLogical(id, utc)
	})
}

func (e *element) setLogical(id int, utc bool) {
	switch id {
	case 2:
		e.kv = true
	case 3:
		e.list = true
	case 5:
		e.as = asDecimal
	case 6:
		e.as = asDate
	case 7:
		e.as = asTime
	case 8:
		if e.as = asTimestamp; utc {
			e.as = asMoment
		}
	case 13:
		e.other = "BSON"
	case 14:
		e.as = asUUID
	case 15:
		e.as = asFloat16
	case 16, 17, 18:
		e.other = "variants or shapes"
	}
}

// convert takes the older form of logical types, where the newer one is not there.
func (e *element) convert() {
	switch e.converted {
	case 1, 2:
		e.kv = true
	case 3:
		e.list = true
	case 20:
		e.other = "BSON"
	case 21:
		e.other = "intervals"
	}
	if e.as != asPlain {
		return
	}
	switch e.converted {
	case 5:
		e.as = asDecimal
	case 6:
		e.as = asDate
	case 7, 8:
		e.as, e.unit = asTime, 1_000
		if e.converted == 8 {
			e.unit = 1_000_000
		}
	case 9, 10:
		e.as, e.unit = asMoment, 1_000
		if e.converted == 10 {
			e.unit = 1_000_000
		}
	case 11, 12, 13, 14:
		e.as = asUnsigned
	}
}

// schema makes the columns of the stored tree.
type schema struct {
	stored []element
	at     int
	fields []column.Field
	leaves []leaf // by field; unusable ones of no meaning
	count  int    // leaves so far
}

func newSchema(stored []element) (*schema, error) {
	s := &schema{stored: stored}
	if len(stored) == 0 || stored[0].children < 0 || stored[0].children > limits.MaxColumns {
		return nil, fmt.Errorf("the schema is damaged, or has more than %d columns, the most that "+
			"are read", limits.MaxColumns)
	}
	s.at = 1
	for range stored[0].children {
		if err := s.field(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// field takes the next column of the root.
func (s *schema) field() error {
	from, first := s.at, s.count
	if err := s.pass(0); err != nil {
		return err
	}
	nodes := s.stored[from:s.at]
	f := column.Field{Name: nodes[0].name}
	l, why := leafOf(nodes)
	l.index = first
	if why == "" && !column.IsText(f.Name) {
		why = "its name is not text"
	}
	f.List, f.Unusable = l.maxRep > 0, why
	s.fields, s.leaves = append(s.fields, f), append(s.leaves, l)
	return nil
}

// pass passes over a node with all below it, counting leaves.
func (s *schema) pass(depth int) error {
	if s.at >= len(s.stored) || depth > maxDepth {
		return errThrift
	}
	e := s.stored[s.at]
	s.at++
	if e.physical >= 0 {
		s.count++
		return nil
	}
	for i := 0; i < e.children; i++ {
		if err := s.pass(depth + 1); err != nil {
			return err
		}
	}
	return nil
}

// leafOf is the one leaf of a column of texts or of lists of texts; why says that it is none.
func leafOf(nodes []element) (l leaf, why string) {
	top := nodes[0]
	switch {
	case top.physical >= 0:
		l.element = top
		if l.maxDef = min(1, top.repetition); top.repetition == 2 { // a list of an older form
			l.maxRep, l.present = 1, 1
		}
	case top.kv:
		return l, "it holds maps"
	case !top.list && !(len(nodes) == 2 && nodes[1].repetition == 2):
		return l, "it holds records of several fields"
	case len(nodes) > 3 || len(nodes) < 2 || top.children != 1 || nodes[1].repetition != 2 ||
		nodes[len(nodes)-1].physical < 0 ||
		len(nodes) == 3 && (nodes[2].repetition == 2 || nodes[1].children != 1):
		return l, "its lists hold lists, maps or records"
	default:
		last := nodes[len(nodes)-1]
		l.element, l.maxRep = last, 1
		l.present = min(1, top.repetition) + 1
		l.maxDef = l.present
		if len(nodes) == 3 {
			l.maxDef += last.repetition
		}
		if top.repetition == 2 {
			return l, "its lists hold lists"
		}
	}
	return l, l.unusable()
}

// unusable says why values of the leaf's type have no texts; "": they have.
func (l *leaf) unusable() string {
	switch {
	case l.other != "":
		return "it holds " + l.other
	case l.physical > typeFixed:
		return "it holds values of an unknown type"
	case l.physical == typeFixed && (l.length <= 0 || l.length > 1<<16):
		return "it holds values of a length that is wrong"
	case l.as == asDecimal && l.length > column.MaxDecimal:
		return "it holds decimals of a length that is wrong"
	case l.scale > 1000 || l.scale < 0:
		return "it holds decimals of a scale that is wrong"
	case l.as == asFloat16 && (l.physical != typeFixed || l.length != 2),
		l.as == asUUID && (l.physical != typeFixed || l.length != 16),
		l.as == asDate && l.physical != typeInt32,
		l.as >= asTime && l.as <= asMoment &&
			(l.unit == 0 || l.physical != typeInt64 && l.physical != typeInt32):
		return "its two types contradict each other"
	}
	return ""
}
