package cluster

// SendOften has workers send what they count in pieces of so many bytes, until the test ends.
func SendOften(cleanup func(func()), n int) {
	was := mostUnsent
	mostUnsent = n
	cleanup(func() { mostUnsent = was })
}
