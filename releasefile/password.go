package releasefile

import "mingle/dataset/rows"

// serverPattern is an address with a variable for its password, and no other one.
var serverPattern = `^[Pp][Oo][Ss][Tt][Gg][Rr][Ee][Ss]([Qq][Ll])?://[^/?#:]*:` +
	rows.Variable() + `@[^@$]*$`

// withoutPassword takes the password out of the address of a database. It must be a variable of the
// environment. No message repeats what stands in its place.
func (p *reader) withoutPassword(f Field, text string, where position) (string, bool) {
	without, err := p.file.Passwords.Take(text, p.lookup)
	if err != nil {
		p.addf(where, "%s: %v", f.Path(), err)
	}
	return without, err == nil
}
