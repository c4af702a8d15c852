package generate

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"mingle/hierarchy"
)

// MaxProducts is the size of the shop's whole catalogue.
var MaxProducts = func() int {
	n := 0
	for _, c := range catalogue {
		n += c.size()
	}
	return n
}()

// ShopParams describe the baskets of a made-up shop.
type ShopParams struct {
	Transactions int // required, at least 1
	// 43 (one a category) to MaxProducts, default MaxProducts; spread over all categories
	Products int
	// mean length of the baskets that are no outliers, 1 to Products/2, default 6
	Average  float64
	Exponent float64 // 0..10, default 0.9: a product's popularity is its rank to the -Exponent
	// 0..1, default 0.5: chance that the next product is of a category that the basket has already
	Affinity float64
	// baskets of five times the average and more, whose products are drawn as if all were equally
	// popular; default one in a thousand, at least 1; negative: none
	Outliers int
	Seed     uint64
}

func (p ShopParams) withDefaults() ShopParams {
	if p.Products == 0 {
		p.Products = MaxProducts
	}
	if p.Average == 0 {
		p.Average = 6
	}
	if p.Exponent == 0 {
		p.Exponent = 0.9
	}
	if p.Affinity == 0 {
		p.Affinity = 0.5
	}
	if p.Outliers == 0 {
		p.Outliers = min(p.Transactions, max(1, p.Transactions/1000))
	}
	p.Outliers = max(0, p.Outliers)
	return p
}

// Validate returns every fault at once.
func (p ShopParams) Validate() error {
	p = p.withDefaults()
	var products, outliers error
	if p.Products < len(catalogue) || p.Products > MaxProducts {
		products = fmt.Errorf("products (%d) must be between %d, one a category, and %d",
			p.Products, len(catalogue), MaxProducts)
	}
	if p.Outliers > p.Transactions {
		outliers = fmt.Errorf("outliers (%d) must be at most the number of transactions (%d)",
			p.Outliers, p.Transactions)
	}
	return errors.Join(
		atLeast("transactions", p.Transactions, 1),
		products,
		between("average length", p.Average, 1, float64(p.Products)/2),
		between("exponent", p.Exponent, 0, 10),
		between("affinity", p.Affinity, 0, 1),
		outliers,
	)
}

// Shop is a catalogue of products on three levels, department > category > product, and the habits
// of its customers.
type Shop struct {
	p        ShopParams
	tree     *hierarchy.Tree
	category []int32 // of a product: its index in the catalogue
	from     []int32 // first product of a category; one more at the end
}

// NewShop stocks the shop. Products are item ids: the leaf ids of the tree, category by category.
func NewShop(p ShopParams) (*Shop, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	p = p.withDefaults()
	s := &Shop{p: p}
	b := hierarchy.NewBuilder()
	for i, c := range catalogue {
		n := p.Products*(i+1)/len(catalogue) - p.Products*i/len(catalogue)
		s.from = append(s.from, int32(len(s.category)))
		for _, product := range c.products()[:n] {
			s.category = append(s.category, int32(i))
			if err := b.Path([]string{product, c.name, c.department, "All products"},
				0); err != nil {
				return nil, err
			}
		}
	}
	s.from = append(s.from, int32(len(s.category)))
	var err error
	s.tree, err = b.Build(hierarchy.BuildOptions{})
	return s, err
}

// Tree is the catalogue; products are its leaves.
func (s *Shop) Tree() *hierarchy.Tree { return s.tree }

// Labels name the products in the order of their ids.
func (s *Shop) Labels() []string { return s.tree.LeafDict().Labels() }

// Baskets emits the transactions. A basket's first product is drawn by popularity; each further one
// is, with the chance Affinity, of the category of a product that is in the basket already, and
// else any. Outliers are spread evenly.
func (s *Shop) Baskets(emit Emit) error {
	c := newCustomers(s)
	for i := range s.p.Transactions {
		// the i-th basket is an outlier where i·Outliers/Transactions passes a whole number
		if (i+1)*s.p.Outliers/s.p.Transactions > i*s.p.Outliers/s.p.Transactions {
			c.stockUp()
		} else {
			c.shop()
		}
		if err := c.tx.emit(emit); err != nil {
			return err
		}
	}
	return nil
}

// customers fill baskets.
type customers struct {
	s          *Shop
	lengths    picker
	all        picker   // products by popularity
	byCategory []picker // products by popularity
	rng        *rand.Rand
	tx         *set
}

func newCustomers(s *Shop) *customers {
	n := s.p.Products
	popularity := make([]float64, n)
	rank := permutation(newRand(s.p.Seed, streamPlan), n)
	for i, w := range zipfWeights(n, s.p.Exponent) {
		popularity[rank[i]] = w
	}
	c := &customers{
		s: s, all: newPicker(popularity), rng: newRand(s.p.Seed, streamItems), tx: newSet(n),
		lengths: newPicker(geometricWeights(s.p.Average-1, n-1)),
	}
	for i := range len(s.from) - 1 {
		c.byCategory = append(c.byCategory, newPicker(popularity[s.from[i]:s.from[i+1]]))
	}
	return c
}

// shop fills the basket of an ordinary customer.
func (c *customers) shop() {
	c.tx.fill(1+int(c.lengths.pick(c.rng)), c.rng, func() int32 {
		if n := len(c.tx.items); n > 0 && c.rng.Float64() < c.s.p.Affinity {
			category := c.s.category[c.tx.items[c.rng.Uint64N(uint64(n))]]
			return c.s.from[category] + c.byCategory[category].pick(c.rng)
		}
		return c.all.pick(c.rng)
	})
}

// stockUp fills the basket of an outlier: five to ten times the average, of everything the shop
// has.
func (c *customers) stockUp() {
	least := int(float64(5 * c.s.p.Average))
	size := min(c.s.p.Products, least+int(c.rng.Uint64N(uint64(least+1))))
	c.tx.fill(size, c.rng, func() int32 { return int32(c.rng.Uint64N(uint64(c.s.p.Products))) })
}
