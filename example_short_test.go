package mingle_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"strings"

	"mingle"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/pipeline"
	"mingle/privacy"
)

// From files: nothing is written that the verifier has not passed. A name in place of "-" writes a
// file.
func ExampleRelease() {
	var published bytes.Buffer
	outcome, err := mingle.Release(context.Background(), mingle.Job{
		Family: pipeline.KM{
			Layout:    dataset.Options{Format: dataset.Basket},
			Hierarchy: "examples/shop/catalogue.csv",
			Promise:   privacy.KM{K: 5, M: 2},
		},
		Input:  "examples/shop/baskets.csv",
		Output: "-", Out: &published,
	})
	if err != nil {
		log.Fatal(err)
	}
	lines := bytes.Count(published.Bytes(), []byte("\n"))
	fmt.Println(lines, "baskets,", outcome.Report.Verification.Promise)
	// Output: 4000 baskets, 5^2-anonymity
}

// Why there is no release: a kind is asked for by errors.Is, details by errors.As.
func ExampleRelease_errors() {
	_, err := mingle.Release(context.Background(), mingle.Job{
		Family: pipeline.KM{
			Layout:    dataset.Options{Format: dataset.Basket},
			Hierarchy: "examples/shop/catalogue.csv",
			Promise:   privacy.KM{K: 5000, M: 2},
		},
		Input:  "examples/shop/baskets.csv",
		Output: "-", Out: io.Discard,
	})
	var missing *hierarchy.MissingItemsError
	switch {
	case errors.Is(err, privacy.ErrInfeasible):
		fmt.Println("no release keeps this promise")
	case errors.As(err, &missing):
		fmt.Println(len(missing.Items), "items are to be added to the hierarchy")
	case err != nil:
		log.Fatal(err)
	}
	// Output: no release keeps this promise
}

// In memory: transactions that are slices of labels.
func ExampleAnonymize() {
	paths := "apple;fruit;*\npear;fruit;*\nmilk;dairy;*\ncheese;dairy;*\n"
	tree, err := hierarchy.Read(strings.NewReader(paths), hierarchy.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	baskets := [][]string{{"apple", "milk"}, {"pear", "milk"}, {"apple", "cheese"}, {"pear"}}
	data, err := tree.Encode(dataset.FromLabels(baskets))
	if err != nil {
		log.Fatal(err)
	}
	release, err := mingle.Anonymize(context.Background(), data, tree, privacy.KM{K: 2, M: 2})
	if err != nil {
		log.Fatal(err)
	}
	published := release.Published() // to be verified, and written with dataset.Write
	fmt.Println(published.Len(), "baskets")
	// Output: 4 baskets
}

// What anybody has made is judged by the definition: here transactions as they are.
func ExampleVerify() {
	paths := "apple;fruit;*\npear;fruit;*\nmilk;dairy;*\ncheese;dairy;*\n"
	tree, err := hierarchy.Read(strings.NewReader(paths), hierarchy.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	original, err := tree.Encode(dataset.FromLabels([][]string{{"apple"}, {"apple"}, {"pear"}}))
	if err != nil {
		log.Fatal(err)
	}
	published, err := tree.EncodePublished(original)
	if err != nil {
		log.Fatal(err)
	}
	promise := privacy.KM{K: 2, M: 2}
	finding, err := mingle.Verify(context.Background(), original, published, tree, promise)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(finding.Holds, "as", finding.Breaches[0].Message)
	// Output: false as {pear} is in 1 published transaction, fewer than 2
}
