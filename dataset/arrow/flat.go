package arrow

import (
	"encoding/binary"
	"errors"
)

var errMessage = errors.New("a message is damaged")

// table is a table of a FlatBuffer, the encoding of Arrow's metadata. Every place in it is held
// against the buffer's end; what is not there reads as 0, as the encoding has it for defaults.
type table struct {
	b      []byte
	at     int // where the table begins; -1: there is none
	fields int // where the places of its fields are
	n      int // of them
	spare  *int
}

// maxTables is how many tables and vectors of a message are looked at: a short message can refer to
// the same one many times.
const maxTables = 1 << 20

// textPerTable is how many bytes of text count as a table.
const textPerTable = 16

// root is the table that a buffer holds.
func root(b []byte) table {
	spare := maxTables
	if len(b) < 4 {
		return table{at: -1, spare: &spare}
	}
	return newTable(b, int(int32(binary.LittleEndian.Uint32(b))), &spare)
}

func newTable(b []byte, at int, spare *int) table {
	none := table{at: -1, spare: spare}
	if *spare--; *spare < 0 || at < 0 || at+4 > len(b) {
		return none
	}
	fields := at - int(int32(binary.LittleEndian.Uint32(b[at:])))
	if fields < 0 || fields+4 > len(b) {
		return none
	}
	size := int(binary.LittleEndian.Uint16(b[fields:]))
	if size < 4 || fields+size > len(b) {
		return none
	}
	return table{b: b, at: at, fields: fields, n: (size - 4) / 2, spare: spare}
}

// there tells whether there is a table.
func (t table) there() bool { return t.at >= 0 }

// place is where a field of so many bytes stands, -1 where it has its default.
func (t table) place(field, size int) int {
	if t.at < 0 || field >= t.n {
		return -1
	}
	rel := int(binary.LittleEndian.Uint16(t.b[t.fields+4+2*field:]))
	if rel == 0 || t.at+rel+size > len(t.b) {
		return -1
	}
	return t.at + rel
}

// int is a number of so many bytes.
func (t table) int(field, size int, otherwise int64) int64 {
	at := t.place(field, size)
	if at < 0 {
		return otherwise
	}
	switch size {
	case 1:
		return int64(int8(t.b[at]))
	case 2:
		return int64(int16(binary.LittleEndian.Uint16(t.b[at:])))
	case 4:
		return int64(int32(binary.LittleEndian.Uint32(t.b[at:])))
	}
	return int64(binary.LittleEndian.Uint64(t.b[at:]))
}

func (t table) bool(field int) bool { return t.int(field, 1, 0) != 0 }

// refers is where what a field refers to stands, -1: nowhere.
func (t table) refers(field int) int {
	at := t.place(field, 4)
	if at < 0 {
		return -1
	}
	to := at + int(binary.LittleEndian.Uint32(t.b[at:]))
	if to < 0 || to+4 > len(t.b) {
		return -1
	}
	return to
}

// table is the table that a field refers to.
func (t table) table(field int) table {
	at := t.refers(field)
	if at < 0 {
		return table{at: -1, spare: t.spare}
	}
	return newTable(t.b, at, t.spare)
}

// vector is the elements of a vector, of so many bytes each.
func (t table) vector(field, size int) (elements []byte, n int) {
	at := t.refers(field)
	if at < 0 {
		return nil, 0
	}
	count := uint64(binary.LittleEndian.Uint32(t.b[at:]))
	if count*uint64(size) > uint64(len(t.b)-at-4) {
		return nil, 0
	}
	n = int(count)
	return t.b[at+4 : at+4+n*size], n
}

// text is a text.
func (t table) text(field int) string {
	b, _ := t.vector(field, 1)
	if t.spare != nil { // many tables may have one text
		*t.spare -= len(b) / textPerTable
		if *t.spare < 0 {
			return ""
		}
	}
	return string(b)
}

// tables are the tables of a vector.
func (t table) tables(field int) []table {
	at := t.refers(field)
	_, n := t.vector(field, 4)
	var out []table
	for i := range n {
		place := at + 4 + 4*i
		one := newTable(t.b, place+int(binary.LittleEndian.Uint32(t.b[place:])), t.spare)
		if !one.there() {
			return out
		}
		out = append(out, one)
	}
	return out
}
