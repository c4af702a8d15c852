package rows

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Passwords are those of servers, by the address of a location, which has none.
type Passwords map[string]string

// onlyVariable is how a variable of the environment is written: it stands in an address in place of
// the password. A file with it can be reviewed, and kept.
var onlyVariable = regexp.MustCompile(`^\$\{[A-Za-z_][A-Za-z0-9_]*\}$`)

// secretWords are in the names of variables for passwords, in capitals or not. What begins with
// MINGLE_ is none: the seed of releases is in such a variable, and as secret as the data.
var secretWords = []string{"PASSWORD", "PASSWD", "PGPASS"}

// Variable is the regular expression of a variable that [Passwords.Take] takes for a password, in
// the dialect of JSON schemas, which know no mark for capitals or not.
func Variable() string {
	words := make([]string, len(secretWords))
	for i, word := range secretWords {
		words[i] = anyCase(word)
	}
	return `\$\{([A-Za-z_][A-Za-z0-9_]*)?(` + strings.Join(words, "|") + `)[A-Za-z0-9_]*\}`
}

// anyCase is the regular expression of a word in capitals, in small letters, or mixed.
func anyCase(word string) string {
	var s strings.Builder
	for _, c := range word {
		if unicode.IsLetter(c) {
			fmt.Fprintf(&s, "[%c%c]", c, unicode.ToLower(c))
		} else {
			s.WriteRune(c)
		}
	}
	return s.String()
}

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
			"PASSWORD, PASSWD or PGPASS", name)
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
	return slices.ContainsFunc(secretWords, func(word string) bool {
		return strings.Contains(name, word)
	})
}
