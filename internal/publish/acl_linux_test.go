package publish

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A file with an access control list shows the list's mask where its group's rights stand
// otherwise. They are not the group's, so the file that replaces it does not give them to the
// group.
func TestListOfTheFormerFileGivesItsGroupNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	os.WriteFile(path, nil, 0o600)
	list := []byte{
		2, 0, 0, 0, // version, then tag, rights and id of each entry
		1, 0, 6, 0, 255, 255, 255, 255, // owner rw
		2, 0, 4, 0, 57, 48, 0, 0, // user 12345 r
		4, 0, 0, 0, 255, 255, 255, 255, // group nothing
		16, 0, 4, 0, 255, 255, 255, 255, // mask r
		32, 0, 0, 0, 255, 255, 255, 255, // others nothing
	}
	if err := syscall.Setxattr(path, "system.posix_acl_access", list, 0); err != nil {
		t.Skip("no access control lists here:", err)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o640 {
		t.Fatalf("the mode shows %v", info.Mode())
	}
	s := &Set{Force: true}
	write(t, s, path, "text")
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

// The group of a file that is replaced stays, where the user may give files to it.
func TestGroupIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	os.WriteFile(path, nil, 0o640)
	if err := os.Chown(path, -1, 12345); err != nil {
		t.Skip("only root may give files to any group")
	}
	s := &Set{Force: true}
	write(t, s, path, "text")
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	info, _ := os.Stat(path)
	if info.Sys().(*syscall.Stat_t).Gid != 12345 || info.Mode().Perm() != 0o640 {
		t.Errorf("group %d, mode %v", info.Sys().(*syscall.Stat_t).Gid, info.Mode())
	}
}

// Where the group cannot be kept, another group gets what everybody had.
func TestAnotherGroupGetsWhatEverybodyHad(t *testing.T) {
	for _, c := range []struct{ former, want os.FileMode }{
		{0o660, 0o600},
		{0o664, 0o644},
		{0o604, 0o604},
		{0o666, 0o666},
	} {
		if got := narrowedTo(0o666, c.former, false); got != c.want {
			t.Errorf("%v: %v, want %v", c.former, got, c.want)
		}
	}
}
