package dataset

import (
	"mingle/dataset/arrow"
	"mingle/dataset/column"
	"mingle/dataset/parquet"
)

// openParquet reads the metadata, which stand at the end of the file.
func openParquet(in *input) (column.Source, error) {
	at, err := in.seekable()
	if err != nil {
		return nil, err
	}
	return parquet.Open(at, at.size, in.account.Hold)
}

func (e *encoder) parquet() func() { return e.columnFile(parquet.NewWriter) }

// openArrow reads a stream; a file has the messages of a stream, too.
func openArrow(in *input) (column.Source, error) { return arrow.Open(in.src, in.account.Hold) }

// arrow writes a stream, or a file where the name is one of a file.
func (e *encoder) arrow() func() {
	switch Extension(e.opts.Name) {
	case ".arrow", ".feather":
		return e.columnFile(arrow.NewFile)
	}
	return e.columnFile(arrow.NewStream)
}
