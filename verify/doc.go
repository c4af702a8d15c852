// Package verify judges whether a release keeps its promise. It is written from the definitions,
// imports no anonymization code, and counts for itself: a mistake of the engine cannot repeat
// itself here.
//
// A check returns a [Finding] and an error. An error means that the check could not be made. Holds
// == false means that the promise is broken, and Breaches are witnesses that a person can look up
// in the file.
//
// What proves a bound on the loss is checked in [mingle/verify/bound].
package verify
