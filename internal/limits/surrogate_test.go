package limits

import "testing"

func TestLoneSurrogate(t *testing.T) {
	for text, want := range map[string]bool{
		`"a"`:                  false,
		`"\ud83d\ude00"`:       false,
		`"\uD83D\uDE00\ufffd"`: false,
		`"\\ud800"`:            false,
		`"\\\ud800"`:           true,
		`"\ud800"`:             true,
		`"\ud800\n"`:           true,
		`"\ud800\ud800\udc00"`: true,
		`"\udc00"`:             true,
		`"\udc00\ud800"`:       true,
		`"\ufffd\ud800"`:       true,
		`"\ud800`:              true,
		`"\ud8`:                false,
		`"\`:                   false,
	} {
		if got := LoneSurrogate([]byte(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
