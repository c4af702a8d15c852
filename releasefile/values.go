package releasefile

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"

	"mingle/internal/lazy"
	"mingle/internal/yamltext"
)

// The patterns of texts, which the schema has too.
const (
	amountPattern   = `^[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})? *%?$`
	sizePattern     = `^[0-9]+(\.[0-9]+)? *([KMGkmg][Bb]?|[Bb])$`
	timePattern     = `^(0|([0-9]+(\.[0-9]*)?(ns|us|µs|ms|s|m|h))+)$`
	ratioPattern    = `^1/([2-9]|[1-9][0-9]{1,8})$`
	wordPattern     = `^([tT][aA][bB]|[cC][oO][mM][mM][aA]|[sS][eE][mM][iI][cC][oO][lL][oO][nN]|[pP][iI][pP][eE]|\\t)$`
	variablePattern = `(^|[^$])\$\{[A-Za-z_][A-Za-z0-9_]*\}`
)

var (
	amountForm = lazy.Regexp(amountPattern)
	sizeForm   = lazy.Regexp(sizePattern)
	timeForm   = lazy.Regexp(timePattern)
	ratioForm  = lazy.Regexp(ratioPattern)
	wordForm   = lazy.Regexp(wordPattern)
	variable   = lazy.Regexp(`\$?\$\{[A-Za-z_][A-Za-z0-9_]*\}`)
)

// texts is a value as the flag takes it.
func (p *reader) texts(f Field, node ast.Node) (texts []string, ok bool) {
	one := ""
	p.secret = f.Secret
	switch path := f.Path(); f.Kind {
	case List:
		return p.list(node, path)
	case Yes:
		one, ok = p.yes(node, path)
	case Whole:
		one, ok = p.whole(node, path, f.Least)
	case Number:
		one, ok = p.number(node, path, 1)
	case Choice:
		one, ok = p.choice(node, path, f.Choices[p.file.Family])
	case Amount:
		one, ok = p.amount(node, path)
	case Size:
		one, ok = p.size(node, path)
	case Char:
		if one, ok = p.filled(node, path); ok &&
			utf8.RuneCountInString(one) != 1 && !wordForm().MatchString(one) {
			p.addf(at(node), "%s (%s) must be a single character, or tab, comma, semicolon or pipe",
				path, one)
			ok = false
		}
	case Time:
		one, ok = p.formed(node, path, timeForm, "a duration, such as 30s or 5m")
	case Ratio:
		one, ok = p.formed(node, path, ratioForm, "1/N, where N is 2 or more, such as 1/5")
	default:
		one, ok = p.filled(node, path)
	}
	return []string{one}, ok
}

// text is a text, which may be empty.
func (p *reader) text(node ast.Node, what string) (string, bool) {
	if !yamltext.IsNumber(node) {
		switch n := node.(type) {
		case *ast.StringNode:
			return n.Value, true
		case *ast.LiteralNode:
			return n.Value.Value, true
		case *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		default:
			p.addf(at(node), "%s must be a text%s", what, yamltext.Instead(node))
			return "", false
		}
	}
	example := ""
	if !p.secret {
		example = fmt.Sprintf(", as in %q", node.GetToken().Value)
	}
	p.addf(at(node), "%s must be a text: put it in quotes%s", what, example)
	return "", false
}

// filled is a text that is not empty.
func (p *reader) filled(node ast.Node, what string) (string, bool) {
	text, ok := p.text(node, what)
	if ok && text == "" {
		p.addf(at(node), "%s is given but empty: leave it out, or say what it should be", what)
		return "", false
	}
	return text, ok
}

func (p *reader) formed(
	node ast.Node, what string, form func() *regexp.Regexp, must string,
) (string, bool) {
	text, ok := p.filled(node, what)
	if ok && !form().MatchString(text) {
		p.addf(at(node), "%s (%s) must be %s", what, text, must)
		return "", false
	}
	return text, ok
}

func (p *reader) list(node ast.Node, what string) ([]string, bool) {
	list, is := node.(*ast.SequenceNode)
	if !is {
		one, ok := p.filled(node, what)
		return []string{one}, ok
	}
	if len(list.Values) == 0 {
		p.addf(at(node), "%s is an empty list: leave it out, or say what it should be", what)
		return nil, false
	}
	var out []string
	all := true
	for _, v := range list.Values {
		one, ok := p.filled(v, what)
		out, all = append(out, one), all && ok
	}
	return out, all
}

func (p *reader) yes(node ast.Node, what string) (string, bool) {
	if b, is := node.(*ast.BoolNode); is {
		return strconv.FormatBool(b.Value), true
	}
	p.addf(at(node), "%s must be true or false%s", what, yamltext.Instead(node))
	return "", false
}

func (p *reader) choice(node ast.Node, what string, names []string) (string, bool) {
	text, ok := p.filled(node, what)
	if !ok {
		return "", false
	}
	for _, name := range names {
		if name == text {
			return text, true
		}
	}
	p.addf(at(node), "%s (%s) is not known%s", what, text, hint(text, names))
	return "", false
}

func (p *reader) whole(node ast.Node, what string, least int) (string, bool) {
	_, v, is := yamltext.Number(node)
	switch {
	case !is || v != math.Trunc(v):
		p.addf(at(node), "%s must be a whole number%s", what, yamltext.Instead(node))
	case v < float64(least):
		p.addf(at(node), "%s (%v) must be at least %d", what, v, least)
	case v > yamltext.MaxWhole:
		p.addf(at(node), "%s (%v) is too large", what, v)
	default:
		return strconv.FormatFloat(v, 'f', 0, 64), true
	}
	return "", false
}

func (p *reader) number(node ast.Node, what string, most float64) (string, bool) {
	text, v, is := yamltext.Number(node)
	switch {
	case !is:
		p.addf(at(node), "%s must be a number%s", what, yamltext.Instead(node))
	case v < 0 || v > most:
		p.addf(at(node), "%s (%s) must be from 0 to %v", what, text, most)
	default:
		return text, true
	}
	return "", false
}

func (p *reader) amount(node ast.Node, what string) (string, bool) {
	if _, _, is := yamltext.Number(node); is {
		return p.number(node, what, yamltext.MaxWhole)
	}
	return p.formed(node, what, amountForm, "a number, or a share such as 2.5%")
}

func (p *reader) size(node ast.Node, what string) (string, bool) {
	if _, _, is := yamltext.Number(node); is {
		return p.whole(node, what, 1)
	}
	return p.formed(node, what, sizeForm, "a size such as 500MB or 2GB")
}

// expanded puts in variables of the environment, which stand for secrets alone: everything else
// that a release is made of is in the file, to be read and reviewed. $${NAME} is ${NAME} itself.
func (p *reader) expanded(f Field, text string, where position) (string, bool) {
	ok := true
	out := variable().ReplaceAllStringFunc(text, func(found string) string {
		if strings.HasPrefix(found, "$$") {
			return found[1:]
		}
		name := found[2 : len(found)-1]
		if !f.Secret {
			p.addf(where, "%s: a variable (%s) may stand for a secret only, such as a seed: write "+
				"the value out, or $%s for the text itself", f.Path(), found, found)
			ok = false
			return ""
		}
		value, set := p.lookup(name)
		if !set || value == "" {
			p.addf(where, "%s: the variable %s is not set in the environment", f.Path(), name)
			ok = false
		}
		return value
	})
	return out, ok
}
