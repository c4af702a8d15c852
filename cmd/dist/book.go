package main

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"html/template"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	markup "github.com/yuin/goldmark/renderer/html"
)

//go:embed book.html
var bookPage string

// page is one text of the book.
type page struct {
	File  string // with slashes, from the root of the sources
	ID    string
	Title string
	Body  template.HTML
}

// part is a heading of the table of contents, with its pages.
type part struct {
	Title string
	Pages []page
}

// book is the documentation as one file of HTML, which needs no network: pages, pictures, and a
// search over all of them. The sources are in the directory root.
func book(root, version string) ([]byte, error) {
	parts, err := bookParts(root)
	if err != nil {
		return nil, err
	}
	in := map[string]bool{}
	for _, p := range parts {
		for _, page := range p.Pages {
			in[page.File] = true
		}
	}
	for _, p := range parts {
		for i := range p.Pages {
			if err := p.Pages[i].render(root, in); err != nil {
				return nil, fmt.Errorf("%s: %w", p.Pages[i].File, err)
			}
		}
	}
	t, err := template.New("book").Parse(bookPage)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, map[string]any{"Version": version, "Parts": parts})
	return out.Bytes(), err
}

// bookParts are the pages in the order in which somebody new reads them: those named first, then
// the rest of each directory by name.
func bookParts(root string) ([]part, error) {
	parts := []part{
		{Title: "Begin", Pages: pagesOf("README.md", "docs/install.md")},
		{Title: "Use"},
		{Title: "Algorithms"},
		{Title: "Trust"},
		{Title: "Project"},
	}
	trust := []string{
		"docs/definitions.md", "docs/threat-model.md", "SECURITY.md", "docs/proved-judge.md",
		"docs/reliability.md", "docs/mutants.md", "docs/dependencies.md",
	}
	for _, file := range trust {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err == nil {
			parts[3].Pages = append(parts[3].Pages, pagesOf(file)...)
		}
	}
	parts[4].Pages = pagesOf("CHANGELOG.md", "CONTRIBUTING.md")
	for dir, at := range map[string]int{"docs": 1, "docs/algorithms": 2, "docs/decisions": 4} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*.md"))
		if err != nil {
			return nil, err
		}
		slices.Sort(found)
		for _, full := range found {
			file := path.Join(dir, filepath.Base(full))
			if !slices.Contains(trust, file) && file != "docs/install.md" {
				parts[at].Pages = append(parts[at].Pages, pagesOf(file)...)
			}
		}
	}
	return parts, nil
}

func pagesOf(files ...string) (out []page) {
	for _, file := range files {
		out = append(out, page{File: file, ID: anchor(file, "")})
	}
	return out
}

// anchor is the id within the book of a heading of a page; "" is the page itself.
func anchor(file, heading string) string {
	id := strings.ReplaceAll(strings.TrimSuffix(strings.ToLower(file), ".md"), "/", "-")
	if heading != "" {
		id += "--" + heading
	}
	return id
}

// pictures are the kinds of those that pages show.
var pictures = map[string]string{".png": "image/png", ".svg": "image/svg+xml"}

var (
	firstHeading = regexp.MustCompile(`(?m)^# (.+)$`)
	ids          = regexp.MustCompile(`(<h[1-6]) id="([^"]*)"`)
	links        = regexp.MustCompile(`(<a href=|<img [^>]*?src=)"([^"]*)"`)
)

// render makes the HTML of a page. Links to other pages lead to their places in the book, links to
// sources are text, pictures are part of the file.
func (p *page) render(root string, in map[string]bool) error {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(p.File)))
	if err != nil {
		return err
	}
	p.Title = strings.TrimSuffix(path.Base(p.File), ".md")
	if found := firstHeading.FindSubmatch(text); found != nil {
		p.Title = strings.ReplaceAll(string(found[1]), "`", "")
	}
	if p.File == "README.md" {
		p.Title = "What mingle is"
	}
	var out bytes.Buffer
	md := goldmark.New(
		goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(markup.WithUnsafe()), // pages have pictures of a given width
	)
	if err := md.Convert(text, &out); err != nil {
		return err
	}
	body := ids.ReplaceAllStringFunc(out.String(), func(found string) string {
		m := ids.FindStringSubmatch(found)
		return m[1] + ` id="` + anchor(p.File, m[2]) + `"`
	})
	body = links.ReplaceAllStringFunc(body, func(found string) string {
		m := links.FindStringSubmatch(found)
		to, e := p.target(root, html.UnescapeString(m[2]), in)
		if e != nil {
			err = e
		}
		return m[1] + `"` + html.EscapeString(to) + `"`
	})
	p.Body = template.HTML(body)
	return err
}

// target is where a link of the page leads within the book.
func (p *page) target(root, to string, in map[string]bool) (string, error) {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "" {
		return to, err
	}
	file := p.File
	if u.Path != "" {
		file = path.Join(path.Dir(p.File), u.Path)
	}
	if in[file] {
		return "#" + anchor(file, u.Fragment), nil
	}
	full := filepath.Join(root, filepath.FromSlash(file))
	if kind := pictures[path.Ext(file)]; kind != "" {
		picture, err := os.ReadFile(full)
		return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(picture), err
	}
	if _, err := os.Stat(full); err != nil {
		return "", fmt.Errorf("the link to %s leads nowhere", to)
	}
	return "#" + p.ID, nil // a file of the sources, which the book does not hold
}
