package chart

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// drawingOf reads an SVG: an error if it is not well-formed. It gives the words in it and the
// elements that are not drawings.
func drawingOf(t interface{ Fatalf(string, ...any) }, svg string) (words, strange []string) {
	in := xml.NewDecoder(strings.NewReader(svg))
	known := []string{"svg", "desc", "style", "path", "text", "title"}
	var open []string
	for {
		token, err := in.Token()
		if err == io.EOF {
			return words, strange
		}
		if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, svg)
		}
		switch token := token.(type) {
		case xml.StartElement:
			open = append(open, token.Name.Local)
			if !slices.Contains(known, token.Name.Local) {
				strange = append(strange, token.Name.Local)
			}
			for _, a := range token.Attr {
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Fatalf("%s=%q", a.Name.Local, a.Value)
				}
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 && open[len(open)-1] == "text" {
				words = append(words, string(token))
			}
		}
	}
}

var hostile = []string{"<img src=x onerror=alert(1)>", `a"b`, "]]>", "&amp;", "üñ", ""}

// Whatever the numbers and names, the drawing is well-formed, holds nothing but shapes and words,
// and names every line that has a point.
func TestLinesOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(
			rapid.Float64(), rapid.Float64Range(0, 1), rapid.Float64Range(1e-9, 1e9),
			rapid.SampledFrom([]float64{0, 1, math.NaN(), math.Inf(1), -1}),
		)
		l := Lines{
			Title: rapid.SampledFrom(hostile).Draw(t, "title"), X: "k", Y: "loss",
			LogX: rapid.Bool().Draw(t, "logx"), LogY: rapid.Bool().Draw(t, "logy"),
		}
		for s := range rapid.IntRange(0, 12).Draw(t, "series") {
			series := Series{Name: fmt.Sprint(rapid.SampledFrom(hostile).Draw(t, "name"), s)}
			for i := range rapid.IntRange(0, 5).Draw(t, "points") {
				y := number.Draw(t, "y")
				if math.Abs(y) > 1e300 {
					y = 1e300
				}
				series.Points = append(series.Points, Point{float64(i), y})
			}
			l.Series = append(l.Series, series)
		}
		words, strange := drawingOf(t, l.SVG())
		if len(strange) > 0 {
			t.Fatalf("%q is in the drawing", strange)
		}
		for _, s := range l.shown() {
			if !slices.Contains(words, s.Name) {
				t.Fatalf("%q is not named in %q", s.Name, words)
			}
		}
	})
}

func TestBarsSayTheirValues(t *testing.T) {
	b := Bars{
		Title: "t", Series: []string{"before", "after"}, Colors: []string{"#000", "#111"},
		Words: func(v float64) string { return fmt.Sprintf("%.0f %%", v) },
	}
	for _, label := range hostile {
		b.Rows = append(b.Rows, Row{label, []float64{10, 20}})
	}
	b.Rows = append(b.Rows, Row{"none", []float64{math.NaN(), math.Inf(1)}})
	words, strange := drawingOf(t, b.SVG())
	if len(strange) > 0 {
		t.Fatalf("%q is in the drawing", strange)
	}
	for _, w := range []string{"10 %", "20 %", `a"b`, "none"} {
		if !slices.Contains(words, w) {
			t.Errorf("%q is not said: %q", w, words)
		}
	}
	if i := slices.Index(words, "none"); i != len(words)-1 {
		t.Errorf("a value that is none is said: %q", words[i:])
	}
}

// A reader who sees no colours tells lines by dashes and marks, one who sees all by colours.
func TestLooksDiffer(t *testing.T) {
	seen := map[string]int{}
	for i := range 28 {
		l := looks(i)
		key := l.color + l.dash
		if before, there := seen[key]; there {
			t.Errorf("lines %d and %d look alike", before, i)
		}
		seen[key] = i
	}
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 0.05: "0.05", 20000: "20,000", 1234567: "1,234,567", 5e-6: "5·10⁻⁶", 1e-7: "10⁻⁷",
		1e9: "10⁹", -12345.5: "-12,345.5", 0.30000000000000004: "0.3", 999: "999", 1000: "1000",
	} {
		if got := Number(v); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
}

// Numbers on an axis lie in it and are told no more often than asked for, by much.
func TestTicksLieInTheAxis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(1e-6, 1e6).Draw(t, "low")
		a := axis{low: low, high: low * rapid.Float64Range(1.5, 1e8).Draw(t, "factor")}
		if a.log = rapid.Bool().Draw(t, "log"); a.log {
			a.high = max(a.high, 10*a.low)
		}
		told := 0
		for _, tick := range a.ticks(6) {
			if tick.at < a.low*(1-1e-6) || tick.at > a.high*(1+1e-6) {
				t.Fatalf("%v is outside of %v to %v", tick.at, a.low, a.high)
			}
			if tick.label != "" {
				told++
			}
		}
		if told == 0 || told > 13 {
			t.Fatalf("%d numbers from %v to %v, log %v", told, a.low, a.high, a.log)
		}
	})
}

// Names beside lines do not cover each other, keep the order of the lines' ends, and stay inside.
func TestNamesAreSpread(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.SliceOfN(rapid.Float64Range(0, 300), 0, 20).Draw(t, "at")
		slices.Sort(at)
		spread(at, 15, 0, 300)
		for i, y := range at {
			if i > 0 && y-at[i-1] < 15-1e-9 || y < -1e-9 || y > 300+1e-9 {
				t.Fatalf("%v", at)
			}
		}
	})
}

// TestShortenMarks: marks that take no room are not without a bound.
func TestShortenMarks(t *testing.T) {
	got := Shorten("a" + strings.Repeat("\u0301", 5000))
	if n := utf8.RuneCountInString(got); n > mostRunes+1 || !strings.HasPrefix(got, "a\u0301") {
		t.Errorf("a label of %d characters", n)
	}
	if word := strings.Repeat("e\u0301\u0323", 15); Shorten(word) != word {
		t.Errorf("%q is cut, and has room", word)
	}
}

func TestShorten(t *testing.T) {
	for label, want := range map[string]string{
		"short": "short", "a\x1bb": `a\x1bb`, "WHITE HANGING HEART": "WHITE HANGING HEART",
	} {
		if got := Shorten(label); got != want {
			t.Errorf("%q becomes %q, want %q", label, got, want)
		}
	}
}

// A label is as wide as there is room for at most, of whatever letters: it would be cut off on the
// left, which makes another name of it. What is longer is shortened at its end, and says so.
func TestLabelsHaveRoom(t *testing.T) {
	for _, label := range []string{
		"CHOCOLATE HOT WATER BOTTLE", "160 TEATIME FAIRY CAKE CASES", strings.Repeat("W", 30),
		strings.Repeat("漢字", 15), strings.Repeat("8", 40), strings.Repeat("ü", 40),
		strings.Repeat("i", 80), strings.Repeat("🍰", 20), strings.Repeat("Щ", 30),
	} {
		got := Shorten(label)
		if w := wide(got); w > labelRoom || w < labelRoom-2*16 {
			t.Errorf("%q is %.1f wide, the room is %d", got, w, labelRoom)
		}
		if begin, cut := strings.CutSuffix(got, "…"); !cut || !strings.HasPrefix(label, begin) {
			t.Errorf("%q becomes %q", label, got)
		}
	}
	// The widths of Arial at 12 pixels, in its own units of a 2048th.
	for label, units := range map[string]int{
		"HOT WATER": 1479 + 1593 + 1251 + 569 + 1933 + 1366 + 1251 + 1366 + 1479, "MW": 1706 + 1933,
		"cake 160": 1024 + 1139 + 1024 + 1139 + 569 + 3*1139,
	} {
		if real := float64(units) * 12 / 2048; wide(label) < real {
			t.Errorf("%q is taken for %.1f wide, and is %.1f", label, wide(label), real)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		label := rapid.String().Draw(t, "label")
		if got := Shorten(label); wide(got) > labelRoom {
			t.Fatalf("%q is %.1f wide", got, wide(got))
		}
	})
}
