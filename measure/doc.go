// Package measure says what a release lost: one metric a file, with its formula and source on top.
//
// Metrics work on what is published, never on how it was found: a release in memory, or the
// original and the published data bound to the hierarchy. Counts are exact integers until the last
// division.
package measure
