package webui

import (
	"fmt"
	"strings"
	"time"

	"mingle/report"
)

// wording is how a language says texts and writes numbers.
type wording struct {
	language string
	texts    map[string]string // by the English ones
}

// one begins the key of what a text is where its first number is 1, which it does not write.
const one = "one: "

// said is a text in the language. Numbers in it are written as the language does.
func (w wording) said(text string, args ...any) string {
	key := text
	if len(args) > 0 && args[0] == 1 {
		if _, there := w.texts[one+text]; there {
			key, args = one+text, args[1:]
		}
	}
	if other, there := w.texts[key]; there {
		text = other
	}
	if len(args) == 0 {
		return text
	}
	shown := make([]any, len(args))
	for i, arg := range args {
		switch n := arg.(type) {
		case int:
			shown[i] = w.number(n)
		case int64:
			shown[i] = w.number(int(n))
		default:
			shown[i] = arg
		}
	}
	return fmt.Sprintf(strings.ReplaceAll(text, "%d", "%v"), shown...)
}

// decimal is what English writes of a number, as the language writes it.
func (w wording) decimal(english string) string {
	if w.language != "de" {
		return english
	}
	return strings.NewReplacer(",", ".", ".", ",").Replace(english)
}

func (w wording) number(n int) string { return w.decimal(report.Number(n)) }

func (w wording) percent(share float64) string { return w.bounded(report.Percent(share)) }

func (w wording) loss(x float64) string { return w.bounded(report.LossText(x)) }

// bounded is a figure of which a text may say that it is under or over it.
func (w wording) bounded(text string) string {
	if least, under := strings.CutPrefix(text, "under "); under {
		return w.said("under %s", w.decimal(least))
	}
	if most, over := strings.CutPrefix(text, "over "); over {
		return w.said("over %s", w.decimal(most))
	}
	return w.decimal(text)
}

// fixed writes a number with so many digits behind the point.
func (w wording) fixed(digits int, x float64) string {
	return w.decimal(fmt.Sprintf("%.*f", digits, x))
}

// seconds writes how long something took.
func (w wording) seconds(d time.Duration) string {
	return w.decimal(d.Round(time.Second / 10).String())
}
