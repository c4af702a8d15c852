package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/publish"
	"mingle/report"
)

// hierarchyFanout is "mingle hierarchy fanout".
func (a *app) hierarchyFanout() *cobra.Command {
	var fan int
	m := maker{
		use:   "fanout INPUT -f N -o HIERARCHY",
		short: "Group the items in their order, n of them a group, up to one root",
	}
	m.long = `Makes a balanced hierarchy over the items of a file in their natural order (9 before 10). A
group is named after its first and last item.`
	m.make = func(items []string) (*hierarchy.Tree, error) { return hierarchy.Fanout(items, fan) }
	cmd := a.maker(&m)
	cmd.Flags().IntVarP(&fan, "fan-out", "f", 5, "members of a group (at least 2)")
	return cmd
}

// hierarchyPrefix is "mingle hierarchy prefix".
func (a *app) hierarchyPrefix() *cobra.Command {
	var lengths []int
	var root string
	m := maker{
		use:   "prefix INPUT --lengths 3,1 -o HIERARCHY",
		short: "Group codes such as ICD-9 by their first characters",
	}
	m.long = `Makes a hierarchy over the codes of a file: a level of groups for each prefix length.`
	m.make = func(items []string) (*hierarchy.Tree, error) {
		return hierarchy.Prefix(
			items, lengths, root,
		)
	}
	cmd := a.maker(&m)
	cmd.Flags().IntSliceVar(&lengths, "lengths", []int{3, 1}, "the lengths of the prefixes")
	cmd.Flags().StringVar(&root, "root", "*", "the name of the node above all")
	return cmd
}

// maker is a command that makes a hierarchy from the items of a file.
type maker struct {
	use, short, long string
	make             func(items []string) (*hierarchy.Tree, error)
	inputs           []string // flags that name what is read beside the items
}

func (a *app) maker(m *maker) *cobra.Command {
	var layout layoutFlags
	var out outputFlags
	var format string
	cmd := &cobra.Command{
		Use: m.use, Short: m.short, Long: m.long,
		Args: arguments(1, 1, "one file of transactions, whose items are the leaves"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := required(cmd, "output"); err != nil {
				return err
			}
			inputs := []string{args[0]}
			for _, name := range m.inputs {
				given, err := cmd.Flags().GetStringSlice(name)
				if err != nil {
					return err
				}
				inputs = append(inputs, given...)
			}
			set, err := out.set(a, "hierarchy", inputs...)
			if err != nil {
				return err
			}
			items, err := a.items(cmd.Context(), args[0], &layout)
			if err != nil {
				return err
			}
			t, err := m.make(items)
			if err != nil {
				return err
			}
			return a.writeHierarchy(t, set, hierarchyTarget{out.path, format})
		},
	}
	out.register(cmd.Flags(), "the hierarchy to write")
	cmd.Flags().StringVar(&format, "format", "arx", "its layout: arx, pairs, amnesia, json")
	layout.register(cmd.Flags(), false)
	return cmd
}

// items are the items that occur in a file, in their natural order.
func (a *app) items(ctx context.Context, path string, layout *layoutFlags) ([]string, error) {
	opts, err := layout.options()
	if err != nil {
		return nil, err
	}
	d, _, err := a.files(0).Transactions(ctx, "transactions", path, opts)
	if err != nil {
		return nil, err
	}
	var items []string
	for it, n := range d.Supports() {
		if n > 0 {
			items = append(items, d.Dict().Label(int32(it)))
		}
	}
	slices.SortFunc(items, dataset.CompareLabels)
	return items, nil
}

// hierarchyTarget is a hierarchy to be written, and its layout as the user named it.
type hierarchyTarget struct{ path, format string }

func (a *app) writeHierarchy(t *hierarchy.Tree, set *publish.Set, out hierarchyTarget) error {
	layout, err := hierarchy.ParseFormat(out.format)
	if err != nil {
		return usagef("--format: %w", err)
	}
	err = a.writeFile(set, out.path, publish.Public, func(w io.Writer) error {
		return hierarchy.Write(w, t, layout)
	})
	if err != nil {
		return err
	}
	return a.console.print(sizeText(out.path, t.Leaves(), t.Nodes(), t.Height(t.Root())+1),
		map[string]any{
			"written": out.path, "items": t.Leaves(), "groups": t.Nodes() - t.Leaves(),
			"levels": t.Height(t.Root()) + 1,
		})
}

// hierarchyConvert is "mingle hierarchy convert".
func (a *app) hierarchyConvert() *cobra.Command {
	var tree hierarchyFlags
	var out outputFlags
	var format string
	cmd := &cobra.Command{
		Use:   "convert HIERARCHY -o OUTPUT --format arx|pairs|amnesia|json",
		Short: "Write a hierarchy in another layout",
		Example: `  mingle generate shop -o shop.jsonl --catalogue catalogue.csv
  mingle hierarchy convert catalogue.csv -o catalogue.json --format json`,
		Args: arguments(1, 1, "one hierarchy"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := required(cmd, "output", "format"); err != nil {
				return err
			}
			set, err := out.set(a, "hierarchy", args[0])
			if err != nil {
				return err
			}
			t, err := a.readHierarchy(cmd.Context(), args[0], &tree)
			if err != nil {
				return err
			}
			return a.writeHierarchy(t, set, hierarchyTarget{out.path, format})
		},
	}
	out.register(cmd.Flags(), "the hierarchy to write")
	cmd.Flags().StringVar(&format, "format", "", "its layout: arx, pairs, amnesia, json")
	tree.layout(cmd.Flags())
	return cmd
}

func (a *app) readHierarchy(
	ctx context.Context, path string, flags *hierarchyFlags,
) (*hierarchy.Tree, error) {
	opts, err := flags.options()
	if err != nil {
		return nil, err
	}
	return a.files(0).Hierarchy(ctx, path, opts)
}

// hierarchyCheck is "mingle hierarchy check".
func (a *app) hierarchyCheck() *cobra.Command {
	var tree hierarchyFlags
	var layout layoutFlags
	var all bool
	cmd := &cobra.Command{
		Use:   "check HIERARCHY [DATA]",
		Short: "Is a hierarchy sound, and does it know every item of the data?",
		Long: `Reads a hierarchy and describes its levels. With data it lists the items that the hierarchy
does not know, with the number of transactions that have each; the exit code is then 2.`,
		Args: arguments(1, 2, "one hierarchy, and the data where it is at hand"),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := a.readHierarchy(cmd.Context(), args[0], &tree)
			if err != nil {
				return err
			}
			var d *dataset.Dataset
			if len(args) == 2 {
				opts, err := layout.options()
				if err != nil {
					return err
				}
				if d, _, err = a.files(0).Transactions(cmd.Context(), "transactions", args[1], opts); err != nil {
					return err
				}
			}
			r := hierarchy.Check(t, d)
			if err := a.console.print(checkText(args, r, all), r); err != nil {
				return err
			}
			if !r.OK() {
				return &codedError{codeInput, errVerdict}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "list all items that the hierarchy does not know, not the first 20 (--json lists all, too)")
	tree.layout(cmd.Flags())
	layout.register(cmd.Flags(), false)
	return cmd
}

// shownMissing is how many missing items are listed unless all are asked for.
const shownMissing = 20

func checkText(args []string, r hierarchy.CheckResult, all bool) string {
	var s strings.Builder
	n := report.Number
	s.WriteString(sizeText(args[0], r.Leaves, r.Nodes, len(r.Levels)))
	fmt.Fprintf(&s, "  %5s %8s %8s %16s\n", "level", "nodes", "items", "items below")
	for i, l := range r.Levels {
		below := n(l.LeastBelow)
		if l.MostBelow != l.LeastBelow {
			below += " to " + n(l.MostBelow)
		}
		fmt.Fprintf(&s, "  %5d %8s %8s %16s\n", i, n(l.Nodes), n(l.Leaves), below)
	}
	if len(r.Chains) > 0 {
		fmt.Fprintf(
			&s, "%s with a single member, which hides no more than the member does: %s\n",
			count(len(r.Chains), "group"), some(r.Chains),
		)
	}
	if len(args) == 1 {
		return s.String()
	}
	if len(r.Unused) > 0 {
		fmt.Fprintf(
			&s, "%s of the hierarchy not in the data (they count in the domain): %s\n",
			count(len(r.Unused), "item"), some(r.Unused),
		)
	}
	if r.OK() {
		fmt.Fprintf(&s, "every item of %s is in the hierarchy\n", args[1])
		return s.String()
	}
	fmt.Fprintf(&s, "%s of %s not in the hierarchy:\n", count(len(r.Missing), "item"), args[1])
	listed := len(r.Missing)
	if !all {
		listed = min(listed, shownMissing)
	}
	for _, m := range r.Missing[:listed] {
		group := ""
		if m.Group {
			group = " (it is the name of a group there)"
		}
		fmt.Fprintf(
			&s, "  %q in %s, first on line %d%s\n", m.Label, count(m.Count, "transaction"),
			m.FirstLine, group,
		)
	}
	if more := len(r.Missing) - listed; more > 0 {
		fmt.Fprintf(&s, "  ... and %s more: --all lists them\n", n(more))
	}
	if r.Hint != "" {
		fmt.Fprintf(&s, "%s\n", r.Hint)
	}
	return s.String()
}

// sizeText says how large a hierarchy is.
func sizeText(name string, leaves, nodes, levels int) string {
	return fmt.Sprintf("%s: %s, %s, %s\n", name, count(leaves, "item"), count(nodes-leaves, "group"),
		count(levels, "level"))
}

// count counts things.
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return report.Number(n) + " " + thing
}

// some names the first few.
func some(labels []string) string {
	const shown = 5
	text := strings.Join(labels[:min(shown, len(labels))], ", ")
	if more := len(labels) - shown; more > 0 {
		text += fmt.Sprintf(", and %s more", report.Number(more))
	}
	return text
}

// hierarchyRanges is "mingle hierarchy ranges".
func (a *app) hierarchyRanges() *cobra.Command {
	var layout bagFlags
	var ranges rangeFlags
	var out outputFlags
	var format string
	cmd := &cobra.Command{
		Use:   "ranges INPUT --width W --fan-out N -o HIERARCHY",
		Short: "Group the numbers of a file by rounding, in ever wider ranges",
		Example: `  mingle generate income -o payments.csv
  mingle hierarchy ranges payments.csv --width 100 --fan-out 2 -o ranges.csv`,
		Args: arguments(1, 1, "one file of records, whose values are the leaves"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := required(cmd, "output"); err != nil {
				return err
			}
			l, err := layout.options()
			if err != nil {
				return err
			}
			set, err := out.set(a, "hierarchy", args[0])
			if err != nil {
				return err
			}
			b, err := a.files(0).Bags(cmd.Context(), args[0], &l)
			if err != nil {
				return err
			}
			ranges.options.Kind = l.Kind
			ranges.options.Ended = func() error { return context.Cause(cmd.Context()) }
			t, err := hierarchy.Ranges(b.Terms(), ranges.options)
			if err != nil {
				return err
			}
			return a.writeHierarchy(t, set, hierarchyTarget{out.path, format})
		},
	}
	f := cmd.Flags()
	out.register(f, "the hierarchy to write")
	f.StringVar(&format, "format", "arx", "its layout: arx, pairs, amnesia, json")
	ranges.register(f)
	layout.register(f, false)
	return cmd
}
