package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"mingle/report"
)

// ReportCheck is the question whether files are those of one run: the published file that a report
// names, its hierarchy, and, for whoever has the audit file, the original and the report itself. It
// compares hashes; whether the promise holds is for the verifier to say.
type ReportCheck struct {
	// Report is a report, its page, with Audit one as PDF or text, or an audit file where no
	// report was written; required.
	Report    string
	Published string // required
	Audit     string // ""; needed for all that is not public
	Original  string // "": not compared, like the rest
	Hierarchy string
	Items     string // the list of sensitive or private items
	// ReleaseFile is the file that says the release
	ReleaseFile string
	Files       *Files
}

// ReportMatch is the answer.
type ReportMatch struct {
	Same    bool        `json:"same"`
	Verdict string      `json:"verdict"` // what is the same: no more than was compared
	Files   []FileMatch `json:"files"`
}

// FileMatch is the answer for one file.
type FileMatch struct {
	What string `json:"what"`
	Same bool   `json:"same"`
	Says string `json:"says"`
}

// Run reads the files and compares.
func (c ReportCheck) Run(ctx context.Context) (*ReportMatch, error) {
	k := &checking{ctx: ctx, files: c.Files, out: &ReportMatch{Same: true, Files: []FileMatch{}}}
	if err := k.read(c); err != nil {
		return nil, stopped(ctx, err)
	}
	if k.flat && k.audit == nil {
		return nil, nothingToCompare(c.Report)
	}
	if k.audit == nil && c.ReleaseFile != "" {
		return nil, errors.New("neither a report nor its page holds a plain hash of the release file: " +
			"give the audit file too, with --audit")
	}
	if k.audit == nil && (c.Original != "" || c.Items != "") {
		return nil, errors.New("neither a report nor its page holds a plain hash of the original, nor of lists of items: " +
			"give the audit file too, with --audit")
	}
	switch {
	case k.audit != nil && k.rep != nil:
		k.together()
	case k.flat:
		k.answer(k.named(), "report", "is the file that the audit file names",
			"is not the file that the audit file names: it is of another run, or made later from "+
				"the report in JSON, or it was changed")
	}
	for _, f := range []struct {
		path  string
		roles []string
	}{
		{c.Published, []string{report.RolePublished}},
		{c.Hierarchy, []string{report.RoleHierarchy, report.RoleHierarchyTable}},
		{c.Original, []string{roleTransactions, roleRecords}},
		{c.Items, []string{roleSensitive, rolePrivate, roleNotSensitive}},
		{c.ReleaseFile, []string{report.RoleReleaseFile}},
	} {
		if f.path == "" {
			continue
		}
		if err := k.file(f.path, f.roles); err != nil {
			return nil, stopped(ctx, err)
		}
	}
	k.out.Verdict = k.verdict(c.Hierarchy != "")
	return k.out, nil
}

// verdict says what was found. A report alone cannot show that it was not changed itself.
func (k *checking) verdict(hierarchy bool) string {
	switch {
	case !k.out.Same:
		return "these are not the files of one run, or one of them was changed"
	case k.rep == nil:
		return "these are files that the audit file names"
	case k.page != nil:
		return k.verdictOfPage(hierarchy)
	case k.audit != nil:
		return "these are the files of one run"
	}
	what := "the published file is the one that the report names"
	if hierarchy {
		what = "the published file and the hierarchy are those that the report names"
	}
	return what + "; only the audit file shows whether the report itself was changed"
}

// verdictOfPage: who changes a page can make its hash anew, but not that on a signed copy.
func (k *checking) verdictOfPage(hierarchy bool) string {
	what := "the page has its own hash, and the published file is the one that it names"
	switch {
	case k.audit != nil:
		what = "the page has its own hash, and is of a report and files of the audit file's run"
	case hierarchy:
		what = "the page has its own hash, and the published file and the hierarchy are those that it " +
			"names"
	}
	return what + "; compare its hash with that on the signed copy: whoever changes a page can make " +
		"its hash anew"
}

// The roles of inputs that are not public.
const (
	roleTransactions = "transactions"
	roleRecords      = "records"
	roleSensitive    = "sensitive items"
	rolePrivate      = "private items"
	roleNotSensitive = "values that are not sensitive"
)

// checking is a check under way.
type checking struct {
	ctx   context.Context
	files *Files
	out   *ReportMatch
	rep   *report.Report // nil: there is only an audit file
	page  *report.Page   // nil: there is a report, or an audit file
	flat  bool           // the report is a PDF or plain text: a file with a hash, and no more
	sums  []string       // of the report's file; of a page, of the report that it was made of too
	audit *report.Audit  // nil: not given
}

// read reads the report and the audit file.
func (k *checking) read(c ReportCheck) error {
	text, err := k.files.bytes(k.ctx, report.RoleReport, c.Report)
	if err != nil {
		return err
	}
	k.sums = []string{k.files.Read[len(k.files.Read)-1].SHA256}
	if report.IsPage(text) {
		if err := k.readPage(c.Report, text); err != nil {
			return err
		}
		return k.readAudit(c.Audit)
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if json.Unmarshal(text, &head) == nil && head.Schema == report.AuditSchema {
		if c.Audit != "" {
			return fmt.Errorf("%s is an audit file, and another is given with --audit: name the report first",
				name(c.Report))
		}
		k.audit, err = report.ReadAudit(bytes.NewReader(text))
		return inPath(c.Report, err)
	}
	if isFlat(c.Report, text) {
		k.flat = true
		return k.readAudit(c.Audit)
	}
	if k.rep, err = report.Read(bytes.NewReader(text)); err != nil {
		return inPath(c.Report, err)
	}
	return k.readAudit(c.Audit)
}

// isFlat tells whether a report is for people alone. One that was changed may not begin as it did.
func isFlat(path string, text []byte) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".pdf", ".txt":
		return !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{"))
	}
	return bytes.HasPrefix(text, []byte("%PDF-"))
}

// nothingToCompare is why a PDF or a text alone cannot be checked.
func nothingToCompare(path string) error {
	return fmt.Errorf("%s is a report as PDF or text: it has no hash of its own, and its figures "+
		"are for people to read. With --audit its hash is compared with that in the audit file of "+
		"its run; without, check the report in JSON or the page (.html) of the same run, or "+
		"compare the published file's SHA-256 with the one it shows by eye", name(path))
}

// readAudit reads the audit file, where one is given.
func (k *checking) readAudit(path string) error {
	if path == "" {
		return nil
	}
	text, err := k.files.bytes(k.ctx, "audit", path)
	if err != nil {
		return err
	}
	k.audit, err = report.ReadAudit(bytes.NewReader(text))
	return inPath(path, err)
}

// readPage reads what a page says of files, and takes its own hash.
func (k *checking) readPage(path string, text []byte) (err error) {
	if k.page, err = report.ReadPage(text); err != nil {
		return inPath(path, err)
	}
	k.rep = &report.Report{Inputs: k.page.Inputs, Outputs: k.page.Outputs}
	k.sums = append(k.sums, k.page.Report)
	k.answer(k.page.Intact, "page", "has the hash that it ends with",
		"does not have the hash that it ends with: it was changed after it was written")
	return nil
}

func inPath(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name(path), err)
}

func (k *checking) answer(same bool, what, yes, no string) {
	says := yes
	if !same {
		says, k.out.Same = no, false
	}
	k.out.Files = append(k.out.Files, FileMatch{what, same, says})
}

// together tells whether the report and the audit file are of one run: the audit file names the
// report, and the keyed hashes in the report are made with its key, of its inputs.
func (k *checking) together() {
	k.answer(k.named(), "report", "is the one that the audit file names",
		"is not the one that the audit file names: they are of different runs, or the report was changed")
	inputs, err := report.PublicInputs(k.audit.Inputs, &k.audit.Key)
	for i := range inputs {
		if k.page != nil { // which shows names as people may read them
			inputs[i].Name = report.Visible(inputs[i].Name)
		}
	}
	same := err == nil && slices.Equal(inputs, k.rep.Inputs)
	k.answer(same, "inputs of the report", "are those of the audit file, by their keyed hashes",
		"are not those of the audit file, by their keyed hashes: "+
			"they are of different runs, or one was changed")
}

// named tells whether the audit file names the report by its hash.
func (k *checking) named() bool {
	return slices.ContainsFunc(k.audit.Outputs, func(f report.File) bool {
		return f.Role == report.RoleReport && slices.Contains(k.sums, f.SHA256)
	})
}

// file compares one file with what the report and the audit file say of it.
func (k *checking) file(path string, roles []string) error {
	err := k.files.open(k.ctx, roles[0], path, "", func(r io.Reader) error {
		_, err := io.Copy(io.Discard, r)
		return err
	})
	if err != nil {
		return err
	}
	sum := k.files.Read[len(k.files.Read)-1].SHA256
	known := false
	compare := func(where string, lists ...[]report.File) {
		for _, f := range slices.Concat(lists...) {
			if !slices.Contains(roles, f.Role) || f.SHA256 == "" {
				continue
			}
			known = true
			k.answer(f.SHA256 == sum, f.Role,
				fmt.Sprintf("%s is the file that the %s names", name(path), where),
				fmt.Sprintf("%s is not the file that the %s names (%s)", name(path), where, f.Name))
		}
	}
	if k.rep != nil {
		compare("report", k.rep.Inputs, k.rep.Outputs)
	}
	if k.audit != nil {
		compare("audit file", k.audit.Inputs, k.audit.Outputs)
	}
	switch {
	case !known && roles[0] == report.RolePublished:
		k.answer(false, roles[0], "",
			fmt.Sprintf("%s: the report names no published file by its hash", name(path)))
	case !known && k.audit == nil:
		return fmt.Errorf("%s: the report names no %s by a plain hash: give the audit file too, with --audit",
			name(path), roles[0])
	case !known:
		return fmt.Errorf("%s: the run read no %s", name(path), roles[0])
	}
	return nil
}

// ReadReport reads a report and, where one is named, the audit file of the same run: an audit file
// of another run is an error.
func ReadReport(
	ctx context.Context, files *Files, path, audit string,
) (*report.Outcome, error) {
	k := &checking{ctx: ctx, files: files, out: &ReportMatch{Same: true}}
	if err := k.read(ReportCheck{Report: path, Audit: audit}); err != nil {
		return nil, stopped(ctx, err)
	}
	if k.page != nil {
		return nil, fmt.Errorf("%s is a page already: name the report in JSON", name(path))
	}
	if k.flat {
		return nil, fmt.Errorf("%s is a report as PDF or text: name the report in JSON", name(path))
	}
	if k.rep == nil {
		return nil, fmt.Errorf(
			"%s is an audit file: name the report, and this with --audit", name(path),
		)
	}
	out := &report.Outcome{Report: k.rep, FromFile: true, SHA256: k.sums[0]}
	if k.audit == nil {
		return out, nil
	}
	if k.together(); !k.out.Same {
		return nil, fmt.Errorf("%s is not the audit file of the run that made %s, or one of them was changed",
			name(audit), name(path))
	}
	out.Custodian = k.audit.Custodian
	return out, nil
}
