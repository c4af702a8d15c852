package rows

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
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
// repeats no password. A variable whose name does not say that it is meant for a password is
// refused: whoever wrote the file could have any secret of the environment sent to a host of
// theirs.
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
	if !forPasswords(name) {
		return "", fmt.Errorf("the variable %s is not taken for a password: its name must contain "+
			"PASSWORD, PASSWD or PGPASS, or begin with MINGLE_", name)
	}
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

// forPasswords tells whether the name of a variable says that it may hold a password.
func forPasswords(name string) bool {
	name = strings.ToUpper(name)
	return strings.HasPrefix(name, "MINGLE_") ||
		slices.ContainsFunc([]string{"PASSWORD", "PASSWD", "PGPASS"}, func(word string) bool {
			return strings.Contains(name, word)
		})
}
