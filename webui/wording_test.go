package webui

import (
	"strings"
	"testing"
	"time"
)

// Texts of one thing say so, and numbers are written as the language writes them.
func TestWording(t *testing.T) {
	const waits = "It waits: %d runs come before it."
	for language, want := range map[string][]string{
		"en": {
			"It waits: one run comes before it.", "It waits: 2,000 runs come before it.",
			"1,234,567", "12.5 %", "under 0.01 %", "over 99.99 %", "4.40", "under 0.000001",
			"At most 2,048 MB", "1m2.7s",
		},
		"de": {
			"Er wartet: ein Lauf ist vor ihm.", "Er wartet: 2.000 Läufe sind vor ihm.",
			"1.234.567", "12,5 %", "unter 0,01 %", "über 99,99 %", "4,40", "unter 0,000001",
			"At most 2.048 MB", "1m2,7s",
		},
	} {
		texts, err := catalogue(language)
		if err != nil {
			t.Fatal(err)
		}
		w := wording{language, texts}
		got := []string{
			w.said(waits, 1), w.said(waits, 2000), w.number(1234567), w.percent(0.125),
			w.percent(0.00001), w.percent(0.99997), w.fixed(2, 4.4), w.loss(1e-9),
			w.said("At most %d MB", int64(2048)), w.seconds(62700 * time.Millisecond),
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s: %q, not %q", language, got[i], want[i])
			}
		}
		for text := range texts {
			if of, is := strings.CutPrefix(text, one); is && !strings.Contains(of, "%d") {
				t.Errorf("%s: %q has no number", language, text)
			}
		}
	}
}
