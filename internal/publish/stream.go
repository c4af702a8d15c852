package publish

import (
	"io/fs"
	"os"

	"mingle/internal/disk"
)

// IsStream tells whether a path names an open stream, such as standard output: both are one file,
// by device and inode. Nobody reads the null device, so it is never taken for a stream.
func IsStream(path string, stream any) bool {
	there, err := disk.Stat(path)
	return err == nil && isFile(there, infoOf(stream))
}

// OneStream tells whether two open streams are one file.
func OneStream(a, b any) bool {
	info := infoOf(a)
	return info != nil && isFile(info, infoOf(b))
}

func isFile(there, stream fs.FileInfo) bool {
	if stream == nil || !os.SameFile(there, stream) {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(null, there)
}
