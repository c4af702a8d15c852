// Package pipeline takes data from files to files: it reads, binds the transactions to a hierarchy,
// anonymizes, writes, reads back what it wrote, lets the independent verifier judge that, measures
// and attacks it, and makes the report. No file is put in place before the verifier has passed it.
package pipeline
