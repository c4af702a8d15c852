package rows

import (
	"errors"
	"fmt"
	"regexp"
)

// Passwords are those of servers, by the address of a location, which has none.
type Passwords map[string]string

// Variable is how a variable of the environment is written: it stands in an address in place of
// the password. A file with it can be reviewed, and kept.
const Variable = `\$\{[A-Za-z_][A-Za-z0-9_]*\}`

var onlyVariable = regexp.MustCompile(`^` + Variable + `$`)

// Take is an address, as a file says it, without the variable for its password. The value of the
// variable is kept; lookup finds it. What has no password stays as it is. The error is
// [ErrPassword] where the password itself stands there, or that the variable is not set; it
// repeats no password.
func (p Passwords) Take(path string, lookup func(string) (string, bool)) (string, error) {
	without, password, err := cutPassword(path)
	switch {
	case err != nil:
		return "", err
	case password == "" && HasPassword(path):
		return "", ErrPassword
	case password == "":
		return path, nil
	case !onlyVariable.MatchString(password):
		return "", ErrPassword
	}
	at, err := Parse(without)
	if err != nil {
		return "", err
	}
	name := password[2 : len(password)-1]
	value, set := lookup(name)
	if !set || value == "" {
		return "", fmt.Errorf("the variable %s is not set in the environment", name)
	}
	if was, known := p[at.Address]; known && was != value {
		return "", errors.New("another password was given for the same address")
	}
	p[at.Address] = value
	return without, nil
}
