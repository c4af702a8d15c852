package judge

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"mingle/cluster/split"
)

// The digest of lines is a polynomial in a secret number, modulo a prime: the sum of the hash of
// line i times the i-th power. Parts of it are made wherever the lines lie, and put together by
// their order and lengths alone, so that the original and the published files may be cut in
// different ways. Two sequences of lines that differ have the same digest with a chance of at most
// their length over the prime, and there are two digests of different numbers: below 2^-60 for any
// number of lines there can be.

// field is the prime 2^61-1.
const field = 1<<61 - 1

func plus(a, b uint64) uint64 {
	if a += b; a >= field {
		a -= field
	}
	return a
}

func times(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return plus(lo&field, hi<<3|lo>>61)
}

func power(a uint64, n int64) uint64 {
	out := uint64(1)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			out = times(out, a)
		}
		a = times(a, a)
	}
	return out
}

// whole is all segments of some files put together.
type whole struct {
	lines                int64
	digest               [2]uint64
	occurrences, penalty int64

	ascend bool // published lines of persons do
}

// part is a segment as it is told.
type part struct {
	segment
	file int // in the order of the files
	at   int64
}

// join puts the segments that workers told of together, those of files by the order of these.
func join(told []string, files []string, at [2]uint64, version string) (*whole, error) {
	order := map[string]int{}
	for i, f := range files {
		order[split.PlainPath(f)] = i
	}
	var parts []part
	for _, line := range told {
		p, err := readPart(line, version, order)
		if err != nil {
			return nil, err
		}
		parts = append(parts, *p)
	}
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.at, b.at))
	})
	w, powers := &whole{ascend: true}, [2]uint64{1, 1}
	for i, p := range parts {
		if i > 0 && p.file == parts[i-1].file && p.at == parts[i-1].at {
			return nil, fmt.Errorf("the lines of one part of a file came twice")
		}
		for j := range powers {
			w.digest[j] = plus(w.digest[j], times(p.digest[j], powers[j]))
			powers[j] = times(powers[j], power(at[j], p.lines))
		}
		w.ascend = w.ascend && p.ascend && (i == 0 || bytes.Compare(parts[i-1].last, p.first) <= 0)
		w.lines += p.lines
		w.occurrences += p.occurrences
		w.penalty += p.penalty
	}
	return w, nil
}

var errPart = errors.New("what a worker says of a part of a file cannot be understood")

func readPart(line, version string, order map[string]int) (*part, error) {
	f := strings.Split(line, "\t")
	if len(f) != 11 {
		return nil, errPart
	}
	if f[7] != version {
		return nil, fmt.Errorf("a worker is of version %q, the driver of %q", f[7], version)
	}
	var n [6]uint64
	for i := range n {
		var err error
		if n[i], err = strconv.ParseUint(f[i+1], 10, 63); err != nil {
			return nil, errPart
		}
	}
	file, known := order[split.PlainPath(f[0])]
	if !known {
		return nil, fmt.Errorf("%w: it is of a file that was not asked for", errPart)
	}
	first, err := hex.DecodeString(f[8])
	last, wrong := hex.DecodeString(f[9])
	if err != nil || wrong != nil {
		return nil, errPart
	}
	return &part{
		file: file, at: int64(n[0]),
		segment: segment{
			lines: int64(n[1]), digest: [2]uint64{n[2], n[3]}, occurrences: int64(n[4]),
			penalty: int64(n[5]), first: first, last: last, ascend: f[10] == "true",
		},
	}, nil
}
