package cluster

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
)

// A verb that is not known is told with those that are, and one of dealing needs a plan that deals.
func TestVerbsOfWorkers(t *testing.T) {
	plan, err := json.Marshal(Plan{Protocol: Protocol, Version: "v"})
	if err != nil {
		t.Fatal(err)
	}
	for verb, want := range map[string]string{
		"fly": "a worker knows anonymize, attack, attack-sum, count, deal, distinct, map, merge, " +
			"place, publish, sizes, whose, verify",
		"sizes": "the plan is not one for sizes", "deal": "the plan is not one for deal",
		"anonymize": "the plan is not one for anonymize", "count": "",
	} {
		err := Work(t.Context(), verb, strings.NewReader(string(plan)), "v", strings.NewReader(""),
			io.Discard)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if !strings.HasPrefix(text, want) || (want == "") != (err == nil) {
			t.Errorf("%s: %q, want %q", verb, text, want)
		}
	}
}
