package limits

// Account counts the memory of what a reader keeps of a file. A file of n bytes, compressed as it is, may take 50 n, and
// 512 MiB in any case. Plain text takes 1 to 25 times its size, so that the bound is for files that unpack to far more
// than they are, and for layouts in which a short text asks for a large table.
type Account struct {
	source *Text
	size   int64 // of the file; 0: not known
	kept   int64
	off    bool
}

const (
	freeMemory  = 512 << 20
	memoryRatio = 50
)

// Account starts an account of what is kept of t; size is that of the file in bytes, 0 where it is not known.
func (t *Text) Account(size int64) *Account { return &Account{source: t, size: size} }

// Off ends the counting: the file is one that the program wrote itself.
func (a *Account) Off() { a.off = true }

// Keep notes that so many bytes more are kept, or are about to be.
func (a *Account) Keep(bytes int64) error { return a.Hold(a.kept + bytes) }

// Hold notes how many bytes are kept in all. No account, nil, has no bound.
func (a *Account) Hold(bytes int64) error {
	if a == nil {
		return nil
	}
	a.kept = bytes
	if bytes <= freeMemory || a.off {
		return nil
	}
	size := max(a.size, a.source.Raw.N())
	if bytes <= memoryRatio*size {
		return nil
	}
	advice := "leave out the fields that only few lines have"
	if a.source.Packed != "" {
		advice = "if it is no decompression bomb, unpack it and give the plain file"
	}
	return tooLarge("takes over %s of memory, more than %d times the %s of the file: %s", Bytes(bytes), memoryRatio, Bytes(size), advice)
}
