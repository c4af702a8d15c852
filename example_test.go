package mingle_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"mingle/anonymize"
	"mingle/anonymize/global"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/measure"
	"mingle/privacy"
	"mingle/verify"
)

// The steps of the package's documentation, on the example of terrovitis-2008, figure 2.
func Example() {
	ctx := context.Background()

	// 1. Read transactions.
	data, err := dataset.Read(
		ctx, strings.NewReader("a1 b1 b2\na2 b1\na2 b1 b2\na1 a2 b2\n"),
		dataset.Options{Format: dataset.Fimi},
	)
	if err != nil {
		log.Fatal(err)
	}
	// 2. Read a hierarchy and bind the transactions to it.
	tree, err := hierarchy.Read(
		strings.NewReader("a1;A;ALL\na2;A;ALL\nb1;B;ALL\nb2;B;ALL\n"), hierarchy.ReadOptions{},
	)
	if err != nil {
		log.Fatal(err)
	}
	data, err = tree.Encode(data)
	if err != nil {
		log.Fatal(err)
	}
	// 3. Say what is promised.
	promise := privacy.KM{K: 2, M: 2}
	// 4. Find a release that keeps it.
	release, err := global.AA{}.Anonymize(
		ctx, anonymize.Input{Data: data, Tree: tree, Promise: promise},
	)
	if err != nil {
		log.Fatal(err)
	}
	// 5. Let an independent judge look at what is about to be published.
	published := release.Published()
	finding, err := verify.KM(
		ctx, verify.KMInput{Tree: tree, Original: data, Published: published, Promise: promise},
	)
	if err != nil {
		log.Fatal(err)
	}
	if !finding.Holds {
		log.Fatal(finding.Breaches[0].Message)
	}
	// 6. Measure what was lost.
	loss := measure.NCP(release)
	// 7. Report, and publish.
	fmt.Printf("%s holds, NCP %.6f\n", finding.Promise, loss.NCP)
	if err := dataset.Write(
		os.Stdout, published, dataset.Options{Format: dataset.Fimi},
	); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 2^2-anonymity holds, NCP 0.227273
	// A b1 b2
	// A b1
	// A b1 b2
	// A b2
}
