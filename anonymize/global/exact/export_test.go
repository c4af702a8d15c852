package exact

import (
	"mingle/hierarchy"
	"mingle/internal/cover"
	"mingle/release"
)

// Certify renames the variables of a proof to nodes.
func Certify(t *hierarchy.Tree, p *cover.Proof) *release.Proof {
	return (&search{tree: t}).certify(p)
}
