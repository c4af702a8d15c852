package limits

// Account counts the memory of what a reader keeps of a file. A file of n bytes, compressed as it
// is, may take 32 n, and 256 MiB in any case. Plain text takes 1 to 25 times its size, so that the
// bound is for files that unpack to far more than they are, and for layouts in which a short text
// asks for a large table.
type Account struct {
	source *Text
	size   int64 // of the file; 0: not known
	off    bool
	dense  bool
	worked int64
}

const (
	freeMemory  = 256 << 20
	memoryRatio = 32
	// workRatio is how many bytes may be unpacked, or spelled out of runs, for one that may be
	// kept.
	workRatio = 8
)

// Account starts an account of what is kept of t; size is that of the file in bytes, 0 where it is
// not known.
func (t *Text) Account(size int64) *Account { return &Account{source: t, size: size} }

// Off ends the counting: the file is one that the program wrote itself.
func (a *Account) Off() { a.off = true }

// Dense says that the file is one of columns, which takes less room on the disk than text does, by
// a dictionary and runs of its values: it may take 128 times its size.
func (a *Account) Dense() { a.dense = true }

func (a *Account) ratio() int64 {
	if a.dense {
		return 4 * memoryRatio
	}
	return memoryRatio
}

// Limit is how many bytes may be kept, as far as the file has been read; 0: any number.
func (a *Account) Limit() int64 {
	if a == nil || a.off {
		return 0
	}
	return max(freeMemory, a.ratio()*max(a.size, a.source.Raw.N()))
}

// Hold notes how many bytes are kept in all. No account, nil, has no bound.
func (a *Account) Hold(bytes int64) error {
	limit := a.Limit()
	if limit == 0 || bytes <= limit {
		return nil
	}
	size, of := a.size, "of the file"
	if read := a.source.Raw.N(); read > size {
		size, of = read, "that were read of the file so far"
	}
	advice := "leave out the fields that only few lines have"
	if a.dense {
		advice = "if it is no decompression bomb, write it as csv and give that"
	} else if a.source.Packed != "" {
		advice = "if it is no decompression bomb, unpack it and give the plain file"
	}
	return tooLarge("takes over %s of memory, more than %d times the %s %s: %s", Bytes(bytes),
		a.ratio(), Bytes(size), of, advice)
}

// Work notes that so many more bytes were unpacked, or spelled out of runs and repetitions, whether
// any of it is kept or not: a few bytes of a file of columns can ask for gigabytes that come to
// nothing, as lists of NULLs do. No account, nil, has no bound.
func (a *Account) Work(bytes int64) error {
	limit := workRatio * a.Limit()
	if limit == 0 {
		return nil
	}
	if a.worked += bytes; a.worked <= limit {
		return nil
	}
	return tooLarge("unpacks to over %s, out of proportion to its %s: if it is no decompression "+
		"bomb, write it as csv and give that", Bytes(limit), Bytes(max(a.size, a.source.Raw.N())))
}
