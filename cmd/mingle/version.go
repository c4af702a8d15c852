package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"mingle/pipeline"
)

// source is what the program was built from, as the Go command noted it; no revision: it did not,
// as in tests, or where the sources are no checkout.
type source struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Time     string `json:"revision_time,omitempty"`
	Modified bool   `json:"modified,omitempty"` // files were changed since
	Go       string `json:"go,omitempty"`
}

func builtFrom() source {
	s := source{Version: pipeline.Version}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return s
	}
	s.Go = info.GoVersion
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			s.Revision = setting.Value
		case "vcs.time":
			s.Time = setting.Value
		case "vcs.modified":
			s.Modified = setting.Value == "true"
		}
	}
	return s
}

// versionText is the version, and the source on a second line where it is known. Reports have the
// version alone: they must not depend on who built the program.
func versionText(s source) string {
	text := "mingle " + s.Version + "\n"
	if s.Revision == "" {
		return text
	}
	changed := ""
	if s.Modified {
		changed = ", with changes"
	}
	return text + fmt.Sprintf("built from %s of %s%s, by %s\n", s.Revision, s.Time, changed, s.Go)
}

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version, and what it was built from",
		Args: arguments(0, 0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			s := builtFrom()
			return a.console.print(versionText(s), s)
		},
	}
}
