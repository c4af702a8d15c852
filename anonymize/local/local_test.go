package local_test

import (
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/local"
)

func TestLocal(t *testing.T) {
	conformance.Suite{
		NoNegative: true,
		New:        func() anonymize.Algorithm { return local.Algorithm{} },
	}.Run(t)
}
