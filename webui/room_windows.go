package webui

import "os"

// hold does nothing: a file that is open cannot be removed here, which is lock enough.
func hold(*os.File) error { return nil }

// abandoned tells whether nobody has a lock open.
func abandoned(lock string) (release func(), dead bool) {
	return func() {}, os.Remove(lock) == nil
}

// mine is for the system to say.
func mine(string) bool { return true }
