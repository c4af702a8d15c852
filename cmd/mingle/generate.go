package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mingle/dataset"
	"mingle/dataset/bag"
	"mingle/dataset/rows"
	"mingle/generate"
	"mingle/hierarchy"
	"mingle/internal/memory"
	"mingle/internal/publish"
	"mingle/report"
)

// generator is a command that makes transactions. run returns the names of the items and what emits
// the transactions.
type generator struct {
	use, short, long, example string
	run                       func() (labels []string, baskets func(generate.Emit) error, err error)

	catalogue string // shop: where its hierarchy goes
	tree      func() *hierarchy.Tree
}

func (a *app) generator(g *generator) *cobra.Command {
	var out outputFlags
	var format string
	cmd := &cobra.Command{
		Use: g.use, Short: g.short, Long: g.long, Example: g.example,
		Args: arguments(0, 0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := required(cmd, "output"); err != nil {
				return err
			}
			layout, err := generatedFormat(out.path, format)
			if err != nil {
				return err
			}
			labels, baskets, err := g.run()
			if err != nil {
				return err
			}
			return a.generate(cmd.Context(), g, &out, generated{labels, baskets, layout})
		},
	}
	out.register(cmd.Flags(), "the file of transactions to write")
	cmd.Flags().StringVar(
		&format, "format", "",
		"its format: "+fileFormatNames()+" (default: by the extension; .csv is basket)",
	)
	return cmd
}

// generatedFormat is the one asked for, or that of the extension.
func generatedFormat(path, asked string) (dataset.Format, error) {
	if asked == string(dataset.Database) || path != publish.Stdout && rows.Is(path) {
		return "", usagef("%s: generated data are not written to databases: name a file of another "+
			"format", fileName(path))
	}
	if asked != "" {
		return dataset.ParseFormat(asked)
	}
	base := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(path), ".gz"), ".zst")
	switch filepath.Ext(base) {
	case ".csv":
		return dataset.Basket, nil
	case "":
		if path == publish.Stdout {
			return dataset.Fimi, nil
		}
	}
	format, _, err := dataset.FormatOf(base)
	if err != nil {
		return "", usagef("%w with --format", err)
	}
	return format, nil
}

// generated is a file to be made.
type generated struct {
	labels  []string
	baskets func(generate.Emit) error
	format  dataset.Format
}

// generate writes the transactions, and the catalogue of a shop: both or none.
func (a *app) generate(ctx context.Context, g *generator, out *outputFlags, d generated) error {
	set, err := a.newSet(out.force, nil,
		publish.Target{Role: "output", Path: out.path}, publish.Target{
			Role: "catalogue", Path: g.catalogue,
		})
	if err != nil {
		return err
	}
	defer set.Abort()
	n := 0
	err = a.create(set, out.path, publish.Public, func(w io.Writer) (err error) {
		n, err = a.writeGenerated(ctx, w, d)
		return err
	})
	if err != nil {
		return err
	}
	text := fmt.Sprintf(
		"%s: %s over %s\n", out.path, count(n, "transaction"), count(len(d.labels), "item"),
	)
	if g.catalogue != "" {
		err := a.create(set, g.catalogue, publish.Public, func(w io.Writer) error {
			return hierarchy.Write(w, g.tree(), hierarchy.ARX)
		})
		if err != nil {
			return err
		}
		text += fmt.Sprintf(
			"%s: %s, %s groups\n", g.catalogue, count(len(d.labels), "item"),
			report.Number(g.tree().Nodes()-len(d.labels)),
		)
	}
	if err := set.Commit(); err != nil {
		return err
	}
	return a.console.print(
		text, map[string]any{"written": out.path, "transactions": n, "items": len(d.labels)},
	)
}

// writeGenerated streams fimi files, whose size is bounded by the disk alone; other formats need
// memory for the data.
func (a *app) writeGenerated(ctx context.Context, w io.Writer, d generated) (n int, err error) {
	counted := func(emit generate.Emit) error {
		return d.baskets(func(tx []int32) error {
			if n++; n%10_000 == 0 {
				a.console.progress("transactions", int64(n), 0)
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
			}
			return emit(tx)
		})
	}
	if d.format == dataset.Fimi && !strings.ContainsAny(strings.Join(d.labels[:1], ""), " \t") {
		out := bufio.NewWriterSize(w, 1<<16)
		err := counted(func(tx []int32) error { return fimiLine(out, d.labels, tx) })
		if err != nil {
			return n, err
		}
		return n, out.Flush()
	}
	data, err := generate.Dataset(d.labels, counted)
	if err != nil {
		return n, err
	}
	return n, dataset.Write(w, data, dataset.Options{Format: d.format})
}

// fimiLine writes numbers: the labels of all generators but the shop's.
func fimiLine(out *bufio.Writer, labels []string, tx []int32) error {
	for i, it := range tx {
		if i > 0 {
			out.WriteByte(' ')
		}
		out.WriteString(labels[it])
	}
	return out.WriteByte('\n')
}

// sizes are the flags that every generator of numbered items has.
func sizes(f *pflag.FlagSet, transactions, items *int, seed *uint64) {
	f.IntVar(transactions, "transactions", 10_000, "number of transactions")
	f.IntVar(items, "items", 1000, "number of items")
	f.Uint64Var(seed, "seed", 1, "seed")
}

// bytesPerItem is what a generator holds at least of an item: its label, and its place among the
// others. (quest 64, shape 68, zipf 97, as the largest resident set with 10,000,000 items.)
const bytesPerItem = 64

// bytesPerPattern is what the generator of patterns holds of one with so many items on average.
// (103 with 4, measured in the same way.)
func bytesPerPattern(items float64) float64 { return 90 + 4*items }

// bytesPerRecord is what the generator of bags holds of a record at least. (income: 180 with
// 1,000,000 records, measured in the same way, with what is garbage by then.)
const bytesPerRecord = 64

// numbered are the labels of a generator's items. It refuses parameters that are wrong, and what
// would need more memory than it may hold; more is what it holds beside the items, in bytes.
func (a *app) numbered(items int, more float64, faults error) ([]string, error) {
	switch {
	case faults != nil:
		return nil, usagef("%w", faults)
	case items < 1:
		return nil, usagef("--items (%d) must be at least 1", items)
	}
	err := a.holds(float64(items)*bytesPerItem+more, "to draw from "+count(items, "item"))
	if err != nil {
		return nil, err
	}
	return generate.Labels(items), nil
}

// holds refuses what needs more bytes than may be held.
func (a *app) holds(need float64, what string) error {
	if need <= float64(a.memory.bound) {
		return nil
	}
	return &memory.Short{
		What: what, Least: int64(min(need, math.MaxInt64/2)), Bound: a.memory.bound,
	}
}

func (a *app) generateQuest() *cobra.Command {
	var p generate.QuestParams
	cmd := a.generator(&generator{
		use:     "quest",
		short:   "As the generator of the frequent-itemset papers (T10I4D100K and the like)",
		long:    "Makes transactions out of patterns that recur, shortened at random (Agrawal and Srikant 1994).",
		example: "  mingle generate quest --transactions 100000 --length 10 --pattern 4 --items 1000 -o t10i4d100k.dat",
		run: func() ([]string, func(generate.Emit) error, error) {
			labels, err := a.numbered(
				p.Items, float64(p.Patterns)*bytesPerPattern(p.AvgPattern), p.Validate(),
			)
			return labels, func(emit generate.Emit) error { return generate.Quest(p, emit) }, err
		},
	})
	f := cmd.Flags()
	sizes(f, &p.Transactions, &p.Items, &p.Seed)
	f.Float64Var(&p.AvgLength, "length", 10, "average items a transaction")
	f.Float64Var(&p.AvgPattern, "pattern", 4, "average items a pattern")
	f.IntVar(&p.Patterns, "patterns", 2000, "number of patterns")
	f.Float64Var(
		&p.Correlation, "correlation", 0.25, "share of a pattern taken from the one before",
	)
	f.Float64Var(&p.Corruption, "corruption", 0.5, "how much patterns are shortened")
	return cmd
}

func (a *app) generateZipf() *cobra.Command {
	var p generate.ZipfParams
	var lengths string
	cmd := a.generator(&generator{
		use: "zipf", short: "Independent items of unequal popularity",
		long:    "Makes transactions of independent items; the popularity of the item of rank r is r^-exponent.",
		example: "  mingle generate zipf --transactions 50000 --items 2000 --length 5 --exponent 1 -o zipf.dat",
		run: func() ([]string, func(generate.Emit) error, error) {
			p.Lengths = generate.Lengths(lengths)
			labels, err := a.numbered(p.Items, 0, p.Validate())
			return labels, func(emit generate.Emit) error { return generate.Zipf(p, emit) }, err
		},
	})
	f := cmd.Flags()
	sizes(f, &p.Transactions, &p.Items, &p.Seed)
	f.Float64Var(&p.Average, "length", 5, "average items a transaction")
	f.Float64Var(&p.Exponent, "exponent", 1, "0: all items equal, larger: more unequal")
	f.StringVar(
		&lengths, "lengths", string(generate.Geometric),
		"distribution of the lengths: poisson or geometric",
	)
	return cmd
}

func (a *app) generateShape() *cobra.Command {
	var p generate.ShapeParams
	cmd := a.generator(&generator{
		use: "shape", short: "To a given shape: transactions, items, longest, average",
		long: `Makes exactly so many transactions over so many items, all of which occur, with the given longest
and average.`,
		example: "  mingle generate shape --transactions 515597 --items 1657 --longest 164 --average 6.5 -o like-pos.dat.gz",
		run: func() ([]string, func(generate.Emit) error, error) {
			labels, err := a.numbered(p.Items, 0, p.Validate())
			return labels, func(emit generate.Emit) error { return generate.Shape(p, emit) }, err
		},
	})
	f := cmd.Flags()
	sizes(f, &p.Transactions, &p.Items, &p.Seed)
	f.IntVar(&p.Longest, "longest", 50, "items of the longest transaction")
	f.Float64Var(&p.Average, "average", 5, "average items a transaction")
	f.Float64Var(&p.Exponent, "exponent", 1, "0: all items equally popular, larger: more unequal")
	return cmd
}

func (a *app) generateShop() *cobra.Command {
	var p generate.ShopParams
	var shop *generate.Shop
	g := &generator{
		use: "shop", short: "The baskets of a made-up shop, with readable names and its catalogue",
		long: `Makes baskets of products with readable names, and with --catalogue the hierarchy: product,
category, department.`,
		example: "  mingle generate shop --transactions 3000 -o baskets.csv --catalogue catalogue.csv",
		tree:    func() *hierarchy.Tree { return shop.Tree() },
	}
	g.run = func() (labels []string, baskets func(generate.Emit) error, err error) {
		if shop, err = generate.NewShop(p); err != nil {
			return nil, nil, usagef("%w", err)
		}
		return shop.Labels(), shop.Baskets, nil
	}
	cmd := a.generator(g)
	f := cmd.Flags()
	f.StringVar(&g.catalogue, "catalogue", "", "write the hierarchy of the products to this file")
	writes(f, "catalogue")
	f.IntVar(&p.Transactions, "transactions", 3000, "number of baskets")
	f.IntVar(
		&p.Products, "items", 0,
		"number of products, "+strconv.Itoa(generate.MaxProducts)+" at most (default: all)",
	)
	f.Float64Var(&p.Average, "length", 6, "average items a basket")
	f.Uint64Var(&p.Seed, "seed", 1, "seed")
	return cmd
}

// generateIncome is "mingle generate income".
func (a *app) generateIncome() *cobra.Command {
	var income generate.Income
	var out outputFlags
	cmd := &cobra.Command{
		Use:   "income -n N -o OUTPUT",
		Short: "Bags of yearly incomes by source: skewed, rounded, from 1 to 197297, 2.27 values a record",
		Args:  arguments(0, 0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := required(cmd, "output"); err != nil {
				return err
			}
			if income.Records < 0 {
				return usagef("--records (%d) must not be negative", income.Records)
			}
			if err := a.holds(float64(income.Records)*bytesPerRecord,
				"to draw "+count(income.Records, "record")); err != nil {
				return err
			}
			set, err := out.set(a, "output")
			if err != nil {
				return err
			}
			b := income.Bags()
			err = a.writeFile(set, out.path, publish.Public, func(w io.Writer) error {
				return bag.Write(w, b, &bag.Layout{Format: dataset.Basket})
			})
			if err != nil {
				return err
			}
			return a.console.print(b.String()+"\n", map[string]any{"written": out.path, "records": b.Len(), "values": len(b.Terms()), "occurrences": b.Occurrences()})
		},
	}
	out.register(cmd.Flags(), "the file to write, a record a line")
	cmd.Flags().IntVarP(&income.Records, "records", "n", 1000, "records to make")
	cmd.Flags().Uint64Var(&income.Seed, "seed", 1, "the same seed makes the same records")
	return cmd
}
