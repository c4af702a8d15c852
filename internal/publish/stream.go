package publish

import (
	"io/fs"
	"os"

	"mingle/internal/disk"
)

// IsStream tells whether a path names an open stream, such as standard output: both are one file,
// by device and inode. Nobody reads the null device, so it is never taken for a stream.
func IsStream(path string, stream any) bool {
	there, _ := disk.Stat(path)
	return isFile(there, infoOf(stream))
}

// OneStream tells whether two open streams are one file.
func OneStream(a, b any) bool {
	return isFile(infoOf(a), infoOf(b))
}

// isFile tells whether two descriptions are of one file, but for the null device; nil is that of
// none.
func isFile(there, stream fs.FileInfo) bool {
	null, _ := os.Stat(os.DevNull)
	return os.SameFile(there, stream) && !os.SameFile(null, there)
}
