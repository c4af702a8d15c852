package releasefile

import (
	"regexp"

	"mingle/dataset/rows"
)

// serverPattern is an address with a variable for its password, and no other one.
const serverPattern = `^[Pp][Oo][Ss][Tt][Gg][Rr][Ee][Ss]([Qq][Ll])?://[^/?#:]*:` +
	`\$\{[A-Za-z_][A-Za-z0-9_]*\}@[^@$]*$`

var onlyVariable = regexp.MustCompile(`^\$\{[A-Za-z_][A-Za-z0-9_]*\}$`)

// withoutPassword takes the password out of the address of a database. It must be a variable of the
// environment: a file is reviewed, and kept. No message repeats what stands in its place.
func (p *reader) withoutPassword(f Field, text string, where position) (string, bool) {
	without, password, err := rows.CutPassword(text)
	if err == nil && password == "" {
		if rows.HasPassword(text) {
			err = rows.ErrPassword
		} else {
			return text, true
		}
	}
	if err == nil && !onlyVariable.MatchString(password) {
		err = rows.ErrPassword
	}
	var at rows.Location
	if err == nil {
		at, err = rows.Parse(without)
	}
	if err != nil {
		p.addf(where, "%s: %v", f.Path(), err)
		return "", false
	}
	name := password[2 : len(password)-1]
	value, set := p.lookup(name)
	if !set || value == "" {
		p.addf(where, "%s: the variable %s is not set in the environment", f.Path(), name)
		return "", false
	}
	if was, known := p.file.Passwords[at.Address]; known && was != value {
		p.addf(where, "%s: another password was given for the same address", f.Path())
		return "", false
	}
	p.file.Passwords[at.Address] = value
	return without, true
}
