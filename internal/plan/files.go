package plan

import (
	"bytes"
	"os"
	"path/filepath"
)

// WriteFigures writes one SVG a plot and the page, index.html, into a directory.
func (p *Plan) WriteFigures(dir string, rows []Row) error {
	for _, c := range p.Charts(rows) {
		var b bytes.Buffer
		if err := c.WriteSVG(&b); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, c.Name+".svg"), b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	if err := p.WritePage(&b, rows); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "index.html"), b.Bytes(), 0o644)
}
