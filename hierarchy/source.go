package hierarchy

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"mingle/dataset"
	"mingle/internal/limits"
)

// The largest hierarchy that is read, beside the bound on its text, limits.MaxHierarchy. A node
// takes at most some 500 bytes while it is read (TestMemoryOfNodes): the most nodes take up to 8
// GB. Their labels differ, so that they compress badly: 12 million hexadecimal numbers are a .gz
// file of 25 MB.
const (
	maxNodes  = 1 << 24 // 16.8 million
	maxLines  = 1 << 25 // that each node may stand on two lines
	maxLevels = 1 << 20 // labels on one line
	maxLabel  = 1 << 16 // bytes
)

// asking is a text that ends where nothing more is wanted.
type asking struct {
	io.Reader
	ended func() error
}

func (a asking) Read(p []byte) (int, error) {
	if err := a.ended(); err != nil {
		return 0, err
	}
	return a.Reader.Read(p)
}

// readAll reads and decompresses, until ended is an error; nil: to the end.
func readAll(r io.Reader, ended func() error) (string, error) {
	in, err := limits.Open(r, 1)
	if err != nil {
		return "", damaged(in, err)
	}
	defer in.Close()
	text, from := &strings.Builder{}, io.Reader(in)
	if ended != nil {
		from = asking{in, ended}
	}
	n, err := io.Copy(text, io.LimitReader(from, limits.MaxHierarchy+1))
	if err != nil {
		return "", damaged(in, err)
	}
	if n > limits.MaxHierarchy {
		return "", &limits.TooLarge{Why: fmt.Sprintf("the text is larger than %s, the most that "+
			"is read of a hierarchy: "+
			"use the layout %s, which names each group once, and leave out items that no "+
			"transaction has", limits.Bytes(limits.MaxHierarchy), Pairs)}
	}
	return text.String(), nil
}

// damaged says what an error means in a compressed file.
func damaged(in *limits.Text, err error) error {
	_, large := errors.AsType[*limits.TooLarge](err)
	if in.Packed != "" && !large && !errors.Is(err, limits.ErrFollowed) {
		return fmt.Errorf(
			"the %s data is cut short or damaged: %w; fetch or compress it again", in.Packed, err,
		)
	}
	return err
}

// source is a file that is being read.
type source struct {
	opts   ReadOptions
	text   string
	starts []uint32 // of the lines
	sep    byte     // that was found; 0: none yet
	b      *Builder
	bad    dataset.Faults
}

// newSource finds the lines of the text. Broken UTF-8 is a fault.
func newSource(text string, o ReadOptions) (*source, error) {
	if n := strings.Count(text, "\n"); n > maxLines {
		return nil, &limits.TooLarge{Why: fmt.Sprintf("the hierarchy has %d lines: at most %d "+
			"are read", n, maxLines)}
	}
	s := &source{opts: o, text: text, b: NewBuilder()}
	s.b.ended = o.Ended
	for at := 0; at < len(text); {
		s.starts = append(s.starts, uint32(at))
		line := text[at:]
		if n := strings.IndexByte(line, '\n'); n >= 0 {
			line = line[:n+1]
		}
		if !utf8.ValidString(line) {
			s.bad.Addf(
				len(s.starts), "the text is not UTF-8: %s: save the file as UTF-8",
				brokenAt(line),
			)
		}
		at += len(line)
	}
	return s, nil
}

// line is line i, from 0, without its end.
func (s *source) line(i int) string {
	text := s.text[s.starts[i]:]
	if i+1 < len(s.starts) {
		text = text[:s.starts[i+1]-s.starts[i]]
	}
	return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
}

// lines are the lines that are not blank, with their places.
func (s *source) lines() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i := range s.starts {
			if text := s.line(i); !isBlank(text) && !yield(i, text) {
				return
			}
		}
	}
}

// records are the lines that are not blank as fields, with their numbers from 1. What is wrong with
// one is noted.
func (s *source) records(sep byte) iter.Seq2[int, []string] {
	return func(yield func(int, []string) bool) {
		for i, text := range s.lines() {
			fields, fault := splitFields(text, sep)
			s.note(i+1, fault)
			if fault == "" && !yield(i+1, fields) {
				return
			}
		}
	}
}

// note notes what is wrong on a line, if anything is.
func (s *source) note(line int, fault string) {
	if fault != "" {
		s.bad.Addf(line, "%s", fault)
	}
}

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// brokenAt says where UTF-8 ends to be valid.
func brokenAt(line string) string {
	for i, r := range line {
		if r == utf8.RuneError && !strings.HasPrefix(line[i:], string(utf8.RuneError)) {
			return fmt.Sprintf("byte %d is 0x%02x", i+1, line[i])
		}
	}
	return "a byte is not valid"
}
