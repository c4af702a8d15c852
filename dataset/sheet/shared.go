package sheet

import (
	"encoding/xml"
	"io"

	"mingle/dataset/column"
	"mingle/internal/limits"
)

// readShared reads the texts that cells share, if there are any.
func (f *File) readShared() error {
	part, err := f.open("xl/sharedStrings.xml")
	if err != nil {
		return nil //nolint:nilerr // a workbook of numbers has none
	}
	defer part.Close()
	m := newMarks(part, f.account)
	var in inText
	for {
		t, err := m.next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = f.share(t, &in)
		}
		if err != nil {
			return damaged("the workbook's shared texts are damaged", err)
		}
	}
}

// share takes a mark or a piece of the shared texts.
func (f *File) share(t xml.Token, in *inText) (err error) {
	switch t := t.(type) {
	case xml.StartElement:
		in.start(t.Name.Local)
	case xml.EndElement:
		in.end(t.Name.Local)
		if t.Name.Local == "si" {
			f.shared.End()
			return f.holdShared()
		}
	case xml.CharData:
		if in.shown {
			f.shared.Text, err = appendPiece(f.shared.Text, startOf(&f.shared), t)
		}
	}
	return err
}

// holdShared tells how much the shared texts take.
func (f *File) holdShared() error {
	size := int64(len(f.shared.Text) + 4*len(f.shared.Ends))
	if size > 2<<30 {
		return &limits.TooLarge{Why: "the workbook's texts are larger than " + limits.Bytes(2<<30)}
	}
	return f.account.Hold(size)
}

// startOf is where the word begins whose text is being appended.
func startOf(w *column.Words) int {
	if w.Len() == 0 {
		return 0
	}
	return int(w.Ends[w.Len()-1])
}
