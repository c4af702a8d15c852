package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"mingle/dataset"
	"mingle/dataset/bag"
	"mingle/generate"
	"mingle/hierarchy"
	"mingle/internal/disk"
	"mingle/measure"
	"mingle/pipeline"
)

// source is the data of a cell: sets bound to a hierarchy, or bags.
type source struct {
	config    Data
	key       Cell // with only what the data depends on
	data      *dataset.Dataset
	sensitive *dataset.Dataset // nil: none
	tree      *hierarchy.Tree
	bags      *bag.Bags
	mined     *measure.Mined // nil: not mined yet, or it could not be
	minedErr  error
	err       error // why it cannot be had
}

// errAbsent says that a file of data is not at hand.
var errAbsent = errors.New("the data is not at hand")

// sourceKey is the part of a cell that its data depends on.
func sourceKey(c Cell) Cell {
	return Cell{Data: c.Data, First: c.First, Fold: c.Fold, Copies: c.Copies, Fanout: c.Fanout}
}

// load gets the data of a cell; the last is kept, because cells of the same data follow each other.
// So is why it could not be had: a server that does not answer is waited for once.
func (r *Runner) load(ctx context.Context, c Cell) (*source, error) {
	key := sourceKey(c)
	if r.last != nil && r.last.key == key {
		return r.last, r.last.err
	}
	r.last = nil
	at := slices.IndexFunc(r.Plan.Data, func(d Data) bool { return d.Name == c.Data })
	s := &source{key: key, config: r.Plan.Data[at]}
	s.err = r.fill(ctx, s, s.config)
	r.last = s
	return s, s.err
}

func (r *Runner) fill(ctx context.Context, s *source, d Data) error {
	if d.Income > 0 {
		s.bags = generate.Income{Records: cmp.Or(s.key.First, d.Income), Seed: 1}.Bags()
		return nil
	}
	raw, catalogue, err := r.raw(ctx, d)
	if err != nil {
		return err
	}
	labels := slices.SortedFunc(slices.Values(raw.Dict().Labels()), dataset.CompareLabels)
	if s.key.Fold > 0 {
		raw, labels = fold(raw, labels, s.key.Fold)
	}
	if raw, err = r.reshape(s, d, raw); err != nil {
		return err
	}
	if catalogue != nil && s.key.Fold == 0 {
		s.tree = catalogue
	} else if d.Hierarchy != "" && s.key.Fold == 0 {
		s.tree, err = hierarchy.Open(
			within(r.Dir, d.Hierarchy),
			hierarchy.ReadOptions{Columns: d.Columns, AddRoot: d.Root},
		)
	} else {
		s.tree, err = hierarchy.Fanout(labels, cmp.Or(s.key.Fanout, 5))
	}
	if err == nil && s.sensitive != nil {
		s.tree, err = s.tree.Without(s.sensitive.Dict().Labels())
	}
	if err == nil {
		s.data, err = s.tree.Encode(raw)
	}
	return absent(err)
}

// reshape takes the first transactions, copies them, and takes the sensitive items out, as the cell
// and its data have it.
func (r *Runner) reshape(s *source, d Data, raw *dataset.Dataset) (*dataset.Dataset, error) {
	if n := s.key.First; n > 0 && n < raw.Len() {
		head := make([]int32, n)
		for i := range head {
			head[i] = int32(i)
		}
		raw = raw.Select(head)
	}
	if s.key.Copies > 1 {
		raw = copies(raw, s.key.Copies)
	}
	if d.Sensitive == "" {
		return raw, nil
	}
	f, err := disk.Open(within(r.Dir, d.Sensitive))
	if err != nil {
		return nil, absent(err)
	}
	defer f.Close()
	items, err := pipeline.ReadItems(f, d.Sensitive)
	if err != nil {
		return nil, err
	}
	raw, s.sensitive, err = dataset.Split(raw, items)
	return raw, err
}

// raw makes or reads the transactions; what is made may bring its hierarchy.
func (r *Runner) raw(ctx context.Context, d Data) (*dataset.Dataset, *hierarchy.Tree, error) {
	if p := d.Shape; p != nil {
		data, err := generate.Dataset(generate.Labels(p.Items), func(emit generate.Emit) error {
			return generate.Shape(generate.ShapeParams(*p), emit)
		})
		return data, nil, err
	}
	if p := d.Shop; p != nil {
		shop, err := generate.NewShop(p.params())
		if err != nil {
			return nil, nil, err
		}
		data, err := generate.Dataset(shop.Labels(), shop.Baskets)
		return data, shop.Tree(), err
	}
	data, err := r.read(ctx, d)
	return data, nil, err
}

// absent tells a missing file by its name: results say nothing of the directories of the machine.
func absent(err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if missing, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%w: no file %s", errAbsent, filepath.Base(missing.Path))
	}
	return errAbsent
}

// fold maps items to the rank of their label modulo n. Items that become the same in a transaction
// are one.
func fold(d *dataset.Dataset, sorted []string, n int) (*dataset.Dataset, []string) {
	labels := make([]string, n)
	for i := range labels {
		labels[i] = fmt.Sprint(i)
	}
	to := make([]int32, len(sorted))
	for rank, label := range sorted {
		id, _ := d.Dict().ID(label)
		to[id] = int32(rank % n)
	}
	return d.Recode(dataset.MustDictionary(labels), to), labels
}

// copies repeats the data; in each copy but the first an occurrence is replaced by a random item
// with a probability of 1 %.
func copies(d *dataset.Dataset, n int) *dataset.Dataset {
	b := dataset.NewBuilder(d.Dict())
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	for c := range n {
		for i := range d.Len() {
			tx := slices.Clone(d.Tx(i))
			for at := range tx {
				if c > 0 && rng.IntN(100) == 0 {
					tx[at] = int32(rng.IntN(d.Dict().Len()))
				}
			}
			b.Add(tx)
		}
	}
	return b.Build()
}
