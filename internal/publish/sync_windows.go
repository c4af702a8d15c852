package publish

// syncDirectory does nothing: Windows cannot sync directories, and its file systems log renames.
func syncDirectory(string) error { return nil }
