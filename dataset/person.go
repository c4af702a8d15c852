package dataset

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Person is the person that a value of a column stands for; "": nobody known, as of texts that
// [MeansNothing] knows. To take somebody for nobody is safe: such a transaction adds nothing to
// what others hide among.
func Person(value string) string {
	if MeansNothing(value) {
		return ""
	}
	return strings.TrimSpace(value)
}

// PersonText is the text of a JSON value that names a person: a text, or a whole number in its one
// plain form. ok is false of others: 1.0 and 1e0 would be two more persons than 1. A field that is
// missing ("") and null are nobody.
func PersonText(value string) (text string, ok bool) {
	if json.Unmarshal([]byte(value), &text) == nil {
		return text, true
	}
	_, notWhole := strconv.ParseInt(value, 10, 64)
	return value, value == "" || notWhole == nil && value != "-0"
}
