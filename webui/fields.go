package webui

import "regexp"

// The fields of the pages that are those of flags, as they are called there.
const (
	ofColumns = "What the columns hold"
	further   = "Further options, as on the command line"
)

var formFields = map[string]string{
	"--input-format":         "Format",
	"--delimiter":            "Between the fields",
	"--inner-delimiter":      "Between the items of a cell",
	"--header":               "First line",
	"--encoding":             "Encoding of the text",
	"--skip-incomplete":      "leave out rows in which something is missing",
	"--table":                "Table",
	"--query":                "or a query, in place of a table",
	"--transaction-column":   ofColumns,
	"--item-column":          ofColumns,
	"--set-column":           ofColumns,
	"--person-column":        ofColumns,
	"--sensitive-column":     ofColumns,
	"--keep-columns":         ofColumns,
	"--hierarchy":            "The hierarchy",
	"--sensitive":            "Sensitive items, one a line",
	"--label":                "Instead, by a column of labels",
	"--algorithm":            "Algorithm",
	"--time-limit":           "At most so long, such as 5m; the best so far is then taken",
	"--suppress":             "May be left out",
	"--max-suppressed":       "of that at most",
	"--adversary":            "The adversary has in mind",
	"--negative-knowledge":   "the adversary also knows items that a person does not have",
	"--gap":                  "prove how much any global recoding must lose",
	"--drop":                 further,
	"--null-is-value":        further,
	"--keep-identifiers":     further,
	"--sensitive-known":      further,
	"--not-sensitive-values": further,

	"--allow-unknown-sensitive": further,
	"--allow-unknown-private":   further,
}

var aFlag = regexp.MustCompile(`--[a-z][a-z-]*`)

// formField is one of the pages that a message calls as the command does.
type formField struct{ Flag, Name string }

// fieldsIn are the fields of the pages whose flags an error names, in its order.
func fieldsIn(err error) (out []formField) {
	told := map[string]bool{}
	for _, flag := range aFlag.FindAllString(err.Error(), -1) {
		if name := formFields[flag]; name != "" && !told[flag] {
			told[flag] = true
			out = append(out, formField{flag, name})
		}
	}
	return out
}
