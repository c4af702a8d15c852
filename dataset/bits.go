package dataset

// Processors of 32 bits are not supported: numbers of bytes, occurrences and combinations are int.
// This does not compile there.
const _ uint = 1 << 63
