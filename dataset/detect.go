package dataset

// WithFormat fills in the format of the file at path, where it is not given, as [Open] does.
func (o Options) WithFormat(path string) (Options, error) {
	if o.Format != "" {
		return o, nil
	}
	f, err := formatOf(path, o)
	o.Format = f
	return o, err
}
