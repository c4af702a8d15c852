package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// mostMissing are told one by one.
const mostMissing = 20

// complete refuses a report that lacks something, by its text: a page that says nothing where a
// promise should stand must not be signed. What a report has to have is what its types always
// write.
func complete(text []byte, r *Report, current bool) error {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	missing := lacks(value, reflect.TypeFor[Report](), "")
	if len(missing) == 0 {
		missing = unsaid(r)
	}
	if len(missing) == 0 && r.Guarantee.Parameters == nil {
		return fmt.Errorf("its guarantee is of no known model (%q)", r.Guarantee.Model)
	}
	if len(missing) == 0 && current { // the layout before had other names
		of := value.(map[string]any)["guarantee"].(map[string]any)["parameters"]
		missing = lacks(of, reflect.TypeOf(r.Guarantee.Parameters), "guarantee.parameters")
	}
	if len(missing) == 0 {
		return nil
	}
	if more := len(missing) - mostMissing; more > 0 {
		missing = append(missing[:mostMissing], fmt.Sprintf("and %d more", more))
	}
	return errors.New("it has no " + strings.Join(missing, ", "))
}

// lacks lists what a value in JSON does not have of what its type always writes.
func lacks(value any, t reflect.Type, path string) (missing []string) {
	switch t.Kind() {
	case reflect.Pointer:
		return lacks(value, t.Elem(), path)
	case reflect.Slice:
		list, _ := value.([]any)
		for i, one := range list {
			missing = append(missing, lacks(one, t.Elem(), fmt.Sprintf("%s[%d]", path, i))...)
		}
		return missing
	case reflect.Struct:
	default:
		return nil
	}
	has, _ := value.(map[string]any)
	for f := range t.Fields() {
		if !f.IsExported() {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		at := strings.TrimPrefix(path+"."+name, ".")
		given, there := has[name]
		optional := slices.Contains(strings.Split(options, ","), "omitempty")
		switch {
		case there && (given != nil || f.Type.Kind() == reflect.Slice):
			missing = append(missing, lacks(given, f.Type, at)...)
		case !there && optional:
		default:
			missing = append(missing, at)
		}
	}
	return missing
}

// unsaid lists the texts of a verdict that are there, and say nothing.
func unsaid(r *Report) (missing []string) {
	g, v := &r.Guarantee, r.Verification
	for _, s := range []struct{ name, text string }{
		{"program.name", r.Program.Name},
		{"program.version", r.Program.Version},
		{"guarantee.statement", g.Statement},
		{"guarantee.words", g.Words},
		{"guarantee.inequality", g.Inequality},
		{"guarantee.adversary", g.Adversary},
		{"verification.promise", v.Promise},
		{"verification.inequality", v.Inequality},
	} {
		if strings.TrimSpace(s.text) == "" {
			missing = append(missing, s.name)
		}
	}
	return missing
}
