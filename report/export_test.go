package report

// The samples, for tests that render them as a page.
var (
	Sample        = sample
	SampleOutcome = sampleOutcome
	WithParts     = withParts
)
