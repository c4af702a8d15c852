package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"mingle/hierarchy"
	"mingle/internal/disk"
)

// hierarchyICD is "mingle hierarchy icd".
func (a *app) hierarchyICD() *cobra.Command {
	var (
		tables  []string
		version int
		o       hierarchy.ICDOptions
	)
	m := maker{
		use:    "icd INPUT --ranges TABLE -o HIERARCHY",
		short:  "Group codes of ICD-9-CM or ICD-10 by chapters, blocks and categories",
		inputs: []string{"ranges"},
	}
	m.long = `Makes a hierarchy over the codes of a file, from tables of chapters and blocks, which are public:
a line for each, such as 001-139,Infectious diseases or A00-B99,Infectious diseases. Ranges may be
inside others, and categories (250,Diabetes) may be named too; several tables are taken together.
Dots, small letters and missing leading zeros make no difference: 8.45 is 008.45 and 00845. The
leaves are the codes of the file, as they are written there: give a list of all codes, one a line,
where the hierarchy shall not tell which of them occur.`
	m.make = func(items []string) (*hierarchy.Tree, error) {
		if version != 0 && version != 9 && version != 10 {
			return nil, usagef("--icd (%d) must be 9 or 10", version)
		}
		if len(tables) == 0 {
			return nil, usagef("mingle hierarchy icd needs --ranges: a table of chapters and blocks")
		}
		var ranges []hierarchy.CodeRange
		for _, path := range tables {
			more, err := codeRanges(path)
			if err != nil {
				return nil, err
			}
			ranges = append(ranges, more...)
		}
		o.Version = hierarchy.ICDVersion(version)
		return hierarchy.ICD(items, ranges, o)
	}
	cmd := a.maker(&m)
	f := cmd.Flags()
	f.StringSliceVar(&tables, "ranges", nil, "tables of chapters, blocks and categories")
	f.IntVar(&version, "icd", 0, "the edition: 9 or 10 (default: by the tables)")
	f.BoolVar(&o.Titles, "titles", false, "name the groups with their titles, not by their codes alone")
	f.StringVar(&o.Other, "other", "", "a group for items that are no code in any range (default: they are errors)")
	f.StringVar(&o.Root, "root", "*", "the name of the node above all")
	return cmd
}

func codeRanges(path string) ([]hierarchy.CodeRange, error) {
	in, err := disk.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: it cannot be read: %w", path, err)
	}
	defer in.Close()
	return hierarchy.ReadCodeRanges(in, path)
}
