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
//
// # Errors
//
// [errors.Is] asks for the kind of an error, [errors.As] for the type that has the details. What
// most errors are is none of these: a fault of what was given, told in words.
//
//   - *[anonymize.NotKept]: the algorithm does not keep the promise, and another one may
//   - [privacy.ErrInfeasible]: no release of the data keeps the promise (*[privacy.Infeasible])
//   - [privacy.ErrBroken]: the verifier refuses a release (*[pipeline.BreachError]): a fault of the
//     algorithm
//   - *[pipeline.ThresholdError]: a release keeps its promise, and not what Job.FailIf asks for
//   - [privacy.ErrTooMuch]: there is too much to count (*[anonymize.TooMuch]) or to judge
//     (*[verify.TooMuch])
//   - [privacy.ErrMemory]: more memory would be needed than Job.Memory or Job.Room allows
//   - [anonymize.ErrTooLate]: an algorithm had no release in time
//   - *[hierarchy.MissingItemsError]: the hierarchy lacks items of the data
//   - *[dataset.Faults], *[dataset.DamagedError]: a file cannot be understood, or is cut off
//   - [io/fs.ErrNotExist], [io/fs.ErrPermission], [io/fs.ErrExist]: of files; the last of tables,
//     too
//   - [mingle/dataset/rows.ErrUnknown]: the connection was lost when a table was to appear; nobody
//     knows whether it did
//   - [privacy.ErrFault]: a fault of the program (*[pipeline.InternalError])
//   - the cause of the context, where that ended
package mingle
