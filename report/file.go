package report

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// File names a file. What is public about it has its size and SHA-256. Of the original, and of
// lists of sensitive or private items, a report has the name alone: a size or a plain hash would
// let anybody test guesses of their contents.
type File struct {
	Role   string `json:"role"` // transactions, records, hierarchy, sensitive items, published, ...
	Name   string `json:"name"` // without its directory
	Format string `json:"format,omitempty"`
	Bytes  int64  `json:"bytes,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
	// Keyed is the keyed hash of a file that is not public: see [Key].
	Keyed string `json:"keyed_sha256,omitempty"`
}

// RoleHierarchy is the role of the one input that is public. A hierarchy that is some columns of a
// table has another: what else is in the table may be secret, and a hash of the file is one of all
// of it.
const (
	RoleHierarchy      = "hierarchy"
	RoleHierarchyTable = "hierarchy in a table"
)

// Key makes hashes that only its holder can check. It lies in the audit file and nowhere else.
type Key [32]byte

// NewKey draws a key.
func NewKey() (k Key) {
	rand.Read(k[:]) // never fails: crypto/rand
	return k
}

// Hash is HMAC-SHA-256 with the key over the 32 bytes of a file's SHA-256; both hashes are
// hexadecimal.
func (k Key) Hash(sum string) (string, error) {
	raw, err := hex.DecodeString(sum)
	if err != nil || len(raw) != sha256.Size {
		return "", fmt.Errorf("%q is not a SHA-256", sum)
	}
	mac := hmac.New(sha256.New, k[:])
	mac.Write(raw)
	return hex.EncodeToString(mac.Sum(nil)), nil
}

// MarshalText writes the key in hexadecimal.
func (k Key) MarshalText() ([]byte, error) { return []byte(hex.EncodeToString(k[:])), nil }

// UnmarshalText reads what MarshalText wrote.
func (k *Key) UnmarshalText(text []byte) error {
	raw, err := hex.DecodeString(string(text))
	if err != nil || len(raw) != len(k) {
		return fmt.Errorf("a key has %d bytes in hexadecimal", len(k))
	}
	copy(k[:], raw)
	return nil
}

// PublicInputs is what a report says of the files that were read: all of a hierarchy, the name of
// everything else, and its keyed hash where there is a key. A hierarchy that is the same file as
// another input (a table with the categories beside the items) is not public either.
func PublicInputs(read []File, key *Key) ([]File, error) {
	secret := map[string]bool{}
	for _, f := range read {
		if f.Role != RoleHierarchy {
			secret[f.SHA256] = true
		}
	}
	out := make([]File, 0, len(read))
	for _, f := range read {
		if f.Role != RoleHierarchy || secret[f.SHA256] {
			hidden := File{Role: f.Role, Name: f.Name}
			if key != nil {
				var err error
				if hidden.Keyed, err = key.Hash(f.SHA256); err != nil {
					return nil, err
				}
			}
			f = hidden
		}
		out = append(out, f)
	}
	return out, nil
}

// OfOriginal says what a report with these inputs itself tells of the original.
func OfOriginal(inputs []File) []string {
	out := []string{
		"Every figure is counted from the published file, the hierarchy and the parameters: " +
			"whoever has " +
			"these can count it again, and learns nothing more of the original from it. Exact " +
			"losses, the " +
			"test on the original, what else was tried, what was left out, and times are in " +
			"the audit file.",
		"The names of the files, and the parameters, are as the custodian chose them, " +
			"who has seen the original.",
		"That the published file was compared with the original and passed.",
	}
	for _, f := range inputs {
		if f.Keyed != "" {
			return append(out, "A keyed hash of each input that is not public. It tells "+
				"nothing without its "+
				"key, which lies in the audit file; with it, it shows which file was read.")
		}
	}
	return out
}
