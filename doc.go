// Package mingle publishes set-valued data (baskets, diagnoses, clicks, queries, payments) so that
// nobody in it can be singled out, and proves it.
//
// The packages are the stages of the data's way, and can be used one by one:
//
//  1. dataset reads transactions and encodes them: items become numbers.
//  2. hierarchy reads or builds the tree that items are generalized over, and binds the
//     transactions to it.
//  3. privacy holds the promise: what it says, against whom, and what it does not cover.
//  4. anonymize and the packages below it find a release that keeps the promise; package release is
//     what they return.
//  5. verify judges what is about to be published, from the definition; it shares no code with
//     step 4.
//  6. measure says what was lost, and attack what an adversary would gain.
//  7. report says all of it to the person who signs.
//
// Package pipeline takes all steps in one call, from files to files, and puts no file in place
// before step 5 has passed. The example of the package takes the steps one by one; those of
// Release, Anonymize and Verify are the shortest there are.
//
// Another module uses a copy of this one, as docs/install.md says. Processors need 64 bits.
package mingle
