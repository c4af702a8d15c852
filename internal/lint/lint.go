// Package lint holds the project's conventions as tests: which package may import which, and what
// is cheap to check by reading the source. It has no code that anyone imports.
package lint
