package soak

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime/debug"
	"testing"
	"time"
)

// Fuzz is f.Fuzz(target). Where the environment variable MINGLE_BLIND is a time, as 500ms, and the
// fuzzer itself is not asked for, inputs are tried for so long after each seed, made from the seeds
// so far by random changes. Nothing watches what such an input reaches, so many more are tried a
// second than by the fuzzer; what it found to be interesting are the seeds (testdata/fuzz).
//
// The inputs are the same in each run with the same MINGLE_SOAK, the number of the turn, but for
// how many there are. One that fails is told as a file of seeds.
func Fuzz(f *testing.F, target any) {
	f.Helper()
	each, err := time.ParseDuration(os.Getenv("MINGLE_BLIND"))
	if err != nil {
		f.Fuzz(target)
		return
	}
	b := newBlind(f.Name(), target)
	f.Cleanup(func() { f.Logf("%d inputs", b.tried) })
	f.Fuzz(reflect.MakeFunc(b.target.Type(), func(in []reflect.Value) []reflect.Value {
		b.try(in[0], in)
		b.seeds = append(b.seeds, in)
		for end := time.Now().Add(each); time.Now().Before(end); {
			for range 16 {
				b.try(in[0], b.changed())
			}
		}
		return nil
	}).Interface())
}

// blind makes inputs of a target; an input is the test and then what it is given.
type blind struct {
	target reflect.Value
	rng    *rand.Rand
	seeds  [][]reflect.Value
	tried  int
}

func newBlind(name string, target any) *blind {
	seed := fnv.New64a()
	seed.Write([]byte(name))
	return &blind{
		target: reflect.ValueOf(target), rng: rand.New(rand.NewPCG(seed.Sum64(), uint64(Turn()))),
	}
}

// try runs the target, and tells the input if that fails.
func (b *blind) try(test reflect.Value, in []reflect.Value) {
	b.tried++
	in[0] = test
	t := test.Interface().(*testing.T)
	ended := false
	defer func() {
		if ended && !t.Failed() {
			return
		}
		if broken := recover(); broken != nil {
			t.Errorf("panics: %v\n%s", broken, debug.Stack())
		}
		t.Logf("fails:\ngo test fuzz v1")
		for _, v := range in[1:] {
			t.Log(spelled(v))
		}
		t.FailNow()
	}()
	b.target.Call(in)
	ended = true
}

// spelled is an argument as a file of seeds has it.
func spelled(v reflect.Value) string {
	if v.Kind() == reflect.Slice {
		return fmt.Sprintf("[]byte(%q)", v.Bytes())
	}
	return fmt.Sprintf("%s(%#v)", v.Type(), v)
}

// changed is a seed with some changes.
func (b *blind) changed() []reflect.Value {
	seed := b.seeds[b.rng.IntN(len(b.seeds))]
	other := b.seeds[b.rng.IntN(len(b.seeds))]
	in := append([]reflect.Value(nil), seed...)
	which := 1 + b.rng.IntN(len(in)-1)
	for i := range in {
		if i != which && (i == 0 || b.rng.IntN(4) > 0) {
			continue
		}
		switch v := in[i]; v.Kind() {
		case reflect.String:
			in[i] = reflect.ValueOf(string(b.text([]byte(v.String()), []byte(other[i].String()))))
		case reflect.Slice:
			in[i] = reflect.ValueOf(b.text(append([]byte(nil), v.Bytes()...), other[i].Bytes()))
		case reflect.Bool:
			in[i] = reflect.ValueOf(b.rng.IntN(2) == 0)
		case reflect.Int:
			in[i] = reflect.ValueOf(b.number(int(v.Int())))
		}
	}
	return in
}

func (b *blind) number(n int) int {
	switch b.rng.IntN(4) {
	case 0:
		return n ^ 1<<b.rng.IntN(64)
	case 1:
		return n + b.rng.IntN(33) - 16
	case 2:
		return b.rng.IntN(300)
	}
	return int(b.rng.Uint64())
}

// words are what readers may take for something of its own.
var words = []string{
	"\n", "\r\n", "\r", "\t", " ", ",", ";", "|", "\"", "\"\"", "'", ":", "{", "}", "[", "]", "0",
	"-1", "1e9", "9223372036854775808", "\ufeff", "\ufffd", "\x00", "\xff", "é", "😀", "null",
	"\\u0000", "\x1f\x8b", "\x28\xb5\x2f\xfd", "true", "items", "#", "//", "->", "*", "\u2028",
}

// maxText bounds what an input grows to, in bytes.
const maxText = 1 << 11

// text changes a text, which it may write to, one to five times; other is that of another seed.
func (b *blind) text(s, other []byte) []byte {
	for range 1 + b.rng.IntN(5) {
		s = b.once(s, other)
	}
	return s[:min(len(s), maxText)]
}

func (b *blind) once(s, other []byte) []byte {
	from, to := b.part(s)
	switch b.rng.IntN(10) {
	case 0: // a bit
		if from < len(s) {
			s[from] ^= 1 << b.rng.IntN(8)
		}
	case 1: // a byte
		if from < len(s) {
			s[from] = byte(b.rng.Uint32())
		}
	case 2: // a byte of the text itself
		if len(s) > 0 {
			s[from%len(s)] = s[b.rng.IntN(len(s))]
		}
	case 3:
		s = append(s[:from], s[to:]...)
	case 4: // once more
		s = splice(s, to, s[from:to])
	case 5: // elsewhere, too
		at := b.rng.IntN(len(s) + 1)
		s = splice(s, at, append([]byte(nil), s[from:to]...))
	case 6: // from another seed
		x, y := b.part(other)
		s = splice(s, from, other[x:y])
	case 7: // the other's end
		x, _ := b.part(other)
		s = append(s[:from], other[x:]...)
	case 8: // a length, as formats of bytes have it
		if from+4 <= len(s) {
			binary.LittleEndian.PutUint32(s[from:], uint32(b.number(int(s[from]))))
		}
	default:
		s = splice(s, from, []byte(words[b.rng.IntN(len(words))]))
	}
	return s
}

// part is a part of a text, more often a short one.
func (b *blind) part(s []byte) (from, to int) {
	from = b.rng.IntN(len(s) + 1)
	to = from + b.rng.IntN(1+b.rng.IntN(1+len(s)-from))
	return from, to
}

// splice puts a part into a text.
func splice(s []byte, at int, part []byte) []byte {
	out := make([]byte, 0, len(s)+len(part))
	return append(append(append(out, s[:at]...), part...), s[at:]...)
}
