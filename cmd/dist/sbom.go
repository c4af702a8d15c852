package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"mingle/pipeline"
)

// bom is a software bill of materials in CycloneDX 1.5 (JSON): what a binary is made of. It has no
// serial number, which would be another one each time.
type bom struct {
	Format     string         `json:"bomFormat"`
	Spec       string         `json:"specVersion"`
	Version    int            `json:"version"`
	Metadata   bomMetadata    `json:"metadata"`
	Components []bomComponent `json:"components"`
}

type bomMetadata struct {
	Timestamp string       `json:"timestamp"`
	Component bomComponent `json:"component"`
}

type bomComponent struct {
	Type     string       `json:"type"`
	Ref      string       `json:"bom-ref"`
	Name     string       `json:"name"`
	Version  string       `json:"version"`
	Package  string       `json:"purl"`
	Licences []bomLicence `json:"licenses,omitempty"`
	Hashes   []bomHash    `json:"hashes,omitempty"`
}

type bomLicence struct {
	Licence struct {
		ID string `json:"id"`
	} `json:"license"`
}

type bomHash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

// materials is the bill of a binary, from what Go notes in it: the modules that were compiled into
// it, and the version of Go. sum is the SHA-256 of the binary, in hexadecimal digits.
func materials(binary []byte, sum string, when time.Time) ([]byte, error) {
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		return nil, fmt.Errorf("the binary does not say what it is made of: %w", err)
	}
	program := component("application", "mingle", pipeline.Version)
	program.Hashes = []bomHash{{"SHA-256", sum}}
	program.Licences = make([]bomLicence, 1)
	program.Licences[0].Licence.ID = "Apache-2.0"
	out := bom{"CycloneDX", "1.5", 1, bomMetadata{when.Format(time.RFC3339), program}, nil}
	out.Components = []bomComponent{
		component("library", "std", strings.TrimPrefix(info.GoVersion, "go")),
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		out.Components = append(out.Components, component("library", m.Path, m.Version))
	}
	slices.SortFunc(out.Components, func(a, b bomComponent) int {
		return strings.Compare(a.Ref, b.Ref)
	})
	text, err := json.MarshalIndent(out, "", "  ")
	return append(text, '\n'), err
}

// component is a module of Go. The name of its package has small letters,
// and each part of the path is escaped.
func component(kind, path, version string) bomComponent {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	name := fmt.Sprintf("pkg:golang/%s@%s", strings.ToLower(strings.Join(parts, "/")),
		url.QueryEscape(version))
	return bomComponent{Type: kind, Ref: name, Name: path, Version: version, Package: name}
}
