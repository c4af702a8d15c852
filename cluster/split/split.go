// Package split reads the lines that an engine hands to a worker: a part of a file of transactions,
// by the readers that all commands have.
package split

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"mingle/dataset"
	"mingle/hierarchy"
)

// Layout says how the lines are to be read.
type Layout struct {
	Format    dataset.Format `json:"format"`
	Delimiter rune           `json:"delimiter,omitempty"`

	// Hierarchy is a file of a hierarchy as it is, and how it is read: every worker numbers the
	// nodes alike.
	Hierarchy []byte                `json:"hierarchy"`
	Reading   hierarchy.ReadOptions `json:"reading"`

	// Sensitive are the items that must not be inferred, each once; they are published as they are.
	Sensitive []string `json:"sensitive,omitempty"`

	// Person is the field of the original that says whose a transaction is, where the unit is a
	// person; it is never published. "": transactions are counted.
	Person string `json:"person,omitempty"`
}

// Check refuses a format of which not every line is a transaction.
func (l Layout) Check() error {
	switch {
	case l.Format == "":
		return errors.New("the format of the transactions is not known: name it with --input-format")
	case l.Person != "" && l.Format != dataset.JSONL:
		return fmt.Errorf("%s has no field of persons: on a cluster they are read from jsonl, an object "+
			"a line", l.Format)
	case l.Person != "", l.Format == dataset.Fimi, l.Format == dataset.Basket:
		return nil
	case l.Format == dataset.JSONL:
		return errors.New("jsonl is read on a cluster where persons are counted: name the field that " +
			"says whose a transaction is with --person-column, or give lines of fimi or basket")
	}
	return fmt.Errorf("%s is not read on a cluster: fimi and basket are, with one transaction a line",
		l.Format)
}

// Tree is the hierarchy without the sensitive items.
func (l Layout) Tree() (*hierarchy.Tree, error) {
	t, err := hierarchy.Read(bytes.NewReader(l.Hierarchy), l.Reading)
	if err != nil {
		return nil, err
	}
	if l.Format != dataset.JSONL { // which spells it otherwise
		for u := range int32(t.Nodes()) {
			switch label := t.Label(u); {
			case strings.Contains(label, fieldEnd):
				return nil, fmt.Errorf("the hierarchy has a label with the character U+0001, by which "+
					"engines end fields: %q", label)
			case label == nothing && int(u) >= t.Leaves(): // not an item: see check
				return nil, errors.New(`the hierarchy has a group \N, which the engine takes for no text ` +
					"at all where it stands alone: rename it")
			}
		}
	}
	return t.Without(l.Sensitive)
}

// fieldEnd is what cannot stand in lines that workers write: the engine cuts them there.
const fieldEnd = "\x01"

// nothing is a line that the engine takes for none.
const nothing = `\N`

// list is what a list of sensitive items is called where something is wrong with it.
const list = "the list of sensitive items"

// Known refuses sensitive items that neither the lines nor the hierarchy have: they may be misspelt
// ones, that would go unprotected. occurs tells whether the lines have one, by its number.
func (l Layout) Known(occurs func(item int) bool) error {
	t, err := hierarchy.Read(bytes.NewReader(l.Hierarchy), l.Reading)
	if err != nil {
		return err
	}
	unknown := dataset.Faults{}
	for x, item := range l.Sensitive {
		if _, in := t.Node(item); !in && !occurs(x) {
			unknown.Addf(0, "sensitive item %q is neither in the data nor in the hierarchy: "+
				"correct it, or allow such items with --allow-unknown-sensitive", item)
		}
	}
	return unknown.Err(list)
}

// Apart takes the sensitive items out of lines: plain has the lines without them, sensitive has
// them alone, numbered as they are listed; nil: none are. An item that is nearly a listed one is an
// error.
func (l Layout) Apart(d *dataset.Dataset) (plain, sensitive *dataset.Dataset, err error) {
	if len(l.Sensitive) == 0 {
		return d, nil, nil
	}
	misspelt := dataset.Misspelt(d.Dict(), l.Sensitive)
	if err := misspelt.Err(list); err != nil {
		return nil, nil, err
	}
	return dataset.Split(d, l.Sensitive)
}

// Options are those of the format.
func (l Layout) Options() dataset.Options {
	return dataset.Options{
		Format: l.Format, Delimiter: l.Delimiter, Workers: 1, Name: "a part of the input",
	}
}

// chunk is how many bytes of lines are read at once, or one line that is longer.
const chunk = 16 << 20

// Chunks reads all lines in chunks and hands their transactions to do, whose items are those of the
// text. They have no columns, so that nothing else is published.
func (l Layout) Chunks(ctx context.Context, r io.Reader, do func(*dataset.Dataset) error) error {
	return l.chunks(ctx, r, func(d *dataset.Dataset) error { return do(d.WithColumns(nil)) })
}

// chunks is Chunks with columns.
func (l Layout) chunks(ctx context.Context, r io.Reader, do func(*dataset.Dataset) error) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var text []byte
	for {
		var err error
		if text, err = fill(in, text[:0]); err != nil && err != io.EOF {
			return fmt.Errorf("the engine's lines cannot be read: %w", err)
		}
		if len(text) > 0 {
			if fault := l.one(ctx, text, do); fault != nil {
				return fault
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

// fill reads about a chunk of whole lines.
func fill(in *bufio.Reader, text []byte) ([]byte, error) {
	for len(text) < chunk {
		var err error
		if text, err = wholeLine(in, text); err != nil {
			return text, err
		}
	}
	return text, nil
}

// wholeLine appends a line to text.
func wholeLine(in *bufio.Reader, text []byte) ([]byte, error) {
	for {
		line, err := in.ReadSlice('\n')
		text = append(text, line...)
		if err != bufio.ErrBufferFull {
			return text, err
		}
	}
}

func (l Layout) one(ctx context.Context, text []byte, do func(*dataset.Dataset) error) error {
	if err := check(text); err != nil {
		return err
	}
	lines := linesOf(text)
	d, err := dataset.Read(ctx, bytes.NewReader(text), l.Options())
	if err != nil {
		return err
	}
	if d.Len() != lines {
		return fmt.Errorf("%d lines hold %d transactions: on a cluster a transaction is one line, "+
			"and neither quoted line ends nor blank lines of jsonl are read", lines, d.Len())
	}
	return do(d)
}

// linesOf is how many lines a text has, which is not empty.
func linesOf(text []byte) int {
	n := bytes.Count(text, []byte{'\n'})
	if text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// check refuses what the engine's way of handing lines on may have changed, or would change on the
// way back.
func check(text []byte) error {
	mark := []byte("\uFEFF")
	switch {
	case bytes.Contains(text, []byte("\uFFFD")):
		return errors.New("a line has the replacement character U+FFFD: it is not UTF-8, or was " +
			"not before; mend it")
	case bytes.HasPrefix(text, mark) || bytes.Contains(text, append([]byte{'\n'}, mark...)):
		return errors.New("a line begins with a byte-order mark: take it out")
	case bytes.ContainsAny(text, "\x00"):
		return errors.New("a line has a zero byte: take it out")
	case bytes.HasPrefix(text, []byte(nothing+"\n")) ||
		bytes.Contains(text, []byte("\n"+nothing+"\n")):
		return errors.New(`a line is \N, which the engine takes for no text at all, or a list that ` +
			"is null")
	case bytes.Contains(text, []byte(fieldEnd)):
		return errors.New("a line has the character U+0001, by which engines end fields: take it out")
	}
	return nil
}

// mostOfALine is how many sets one line may have: they are listed one by one.
const mostOfALine = 1 << 28

// Fits refuses a line of so many labels, or nodes, if its sets of a size are too many to be listed.
func Fits(labels, size int) error {
	sets := 1.0
	for i := range size {
		sets *= float64(labels-i) / float64(i+1)
	}
	if sets <= mostOfALine {
		return nil
	}
	return fmt.Errorf("a line has %.0f million sets of %d of its %d items and groups, and %d million "+
		"are listed at most: leave the line out, or ask for a smaller m", sets/1e6, size, labels,
		mostOfALine/1_000_000)
}

// Parts is Chunks for lines that have their file and the place of its part there before them: what
// is handed to do is of one part.
func (l Layout) Parts(
	ctx context.Context, r io.Reader,
	do func(file, place string, lines []byte, d *dataset.Dataset) error,
) error {
	return RawParts(r, func(file, place string, text []byte) error {
		return l.one(ctx, text, func(d *dataset.Dataset) error {
			return do(file, place, text, d.WithColumns(nil))
		})
	})
}

// RawParts is Parts with the lines as they are.
func RawParts(r io.Reader, do func(file, place string, lines []byte) error) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var text, origin, line []byte
	hand := func() error {
		if len(text) == 0 {
			return nil
		}
		file, place, _ := bytes.Cut(origin, []byte{'\t'})
		err := do(string(file), string(place), text)
		text = text[:0]
		return err
	}
	for {
		var err error
		if line, err = wholeLine(in, line[:0]); err != nil && err != io.EOF {
			return fmt.Errorf("the engine's lines cannot be read: %w", err)
		}
		if len(line) > 0 {
			at := secondTab(line)
			if at < 0 {
				return errOrigin
			}
			if !bytes.Equal(origin, line[:at]) || len(text) >= chunk {
				if err := hand(); err != nil {
					return err
				}
				origin = append(origin[:0], line[:at]...)
			}
			text = append(text, line[at+1:]...)
		}
		if err == io.EOF {
			return hand()
		}
	}
}

// secondTab is where the second tab is; -1: there are fewer.
func secondTab(line []byte) int {
	first := bytes.IndexByte(line, '\t')
	second := bytes.IndexByte(line[first+1:], '\t')
	if first < 0 || second < 0 {
		return -1
	}
	return first + 1 + second
}
