package mingle

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"mingle/anonymize"
	"mingle/anonymize/auto"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/pipeline"
	"mingle/privacy"
	"mingle/release"
	"mingle/report"
	"mingle/verify"
)

// Job is a release to be made from files to files; see [pipeline.Job].
type Job = pipeline.Job

// Release makes a release from files. No file is in place before the verifier has passed it. Its
// error is any of those that the package lists, such as [privacy.ErrInfeasible] if no release keeps
// the promise, and [privacy.ErrBroken] if the verifier refuses what was made.
func Release(ctx context.Context, job Job) (*report.Outcome, error) { return job.Run(ctx) }

// Anonymize finds a release of data that is bound to a tree, by the default algorithm: some others
// are run, and the least loss is kept. What is left to chance is secret, drawn from the operating
// system: so two calls may differ. See step 4. The error is a [privacy.ErrInfeasible] if no release
// keeps the promise, a [privacy.ErrTooMuch] if there is too much to count, or ctx's cause.
//
// Data is bound to the tree by [hierarchy.Tree.Encode]. A promise about sensitive items, sensitive
// columns or persons needs these, too: they are fields of [anonymize.Input], which the algorithms
// take, such as [auto.Algorithm].
func Anonymize(
	ctx context.Context, data *dataset.Dataset, tree *hierarchy.Tree, promise privacy.KM,
) (*release.Generalized, error) {
	// what these are about is not among the arguments, whatever else is wrong
	if promise.Diverse() || len(promise.Columns) > 0 || promise.Persons {
		return nil, errors.New("a promise about sensitive items, sensitive columns or persons needs " +
			"these beside the data: give them in an anonymize.Input to an algorithm, such as " +
			"auto.Algorithm")
	}
	seed := new([32]byte)
	if _, err := rand.Read(seed[:]); err != nil {
		return nil, fmt.Errorf("no randomness from the operating system: %w", err)
	}
	in := anonymize.Input{Data: data, Tree: tree, Promise: promise, Seed: seed}
	return auto.Algorithm{}.Anonymize(ctx, in)
}

// Verify judges whether what is about to be published keeps the promise, from the definition. See
// step 5. A release that does not keep it is no error, but a finding that does not hold. The error
// is a [privacy.ErrTooMuch] if there is too much to judge, or ctx's cause.
//
// The items of original are leaf ids of the tree ([hierarchy.Tree.Encode]), those of published are
// node ids, whose labels are those of the tree: what [release.Generalized.Published] returns, or a
// published file bound by [hierarchy.Tree.EncodePublished]. A promise about sensitive items,
// sensitive columns or persons is judged by [verify.KM], whose input has fields for them.
func Verify(
	ctx context.Context, original, published *dataset.Dataset, tree *hierarchy.Tree,
	promise privacy.KM,
) (*verify.Finding, error) {
	return verify.KM(ctx, verify.KMInput{
		Tree: tree, Original: original, Published: published, Promise: promise,
	})
}
