package nonreciprocal_test

import (
	"bufio"
	"compress/gzip"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/internal/testdata"
)

// load reads a public data set; items are numbered by their ids.
func load(t testing.TB, name string, most int) *dataset.Dataset {
	t.Helper()
	f, err := os.Open(testdata.Path(t, name+"/"+name+".dat.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var txs [][]int32
	seen := map[int32]bool{}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() && len(txs) < most {
		var tx []int32
		for _, field := range strings.Fields(lines.Text()) {
			it, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}
			tx = append(tx, int32(it))
			seen[int32(it)] = true
		}
		txs = append(txs, tx)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return encode(txs, seen)
}

func encode(txs [][]int32, seen map[int32]bool) *dataset.Dataset {
	var items []int32
	for it := range seen {
		items = append(items, it)
	}
	slices.Sort(items)
	var labels []string
	id := map[int32]int32{}
	for i, it := range items {
		labels = append(labels, strconv.Itoa(int(it)))
		id[it] = int32(i)
	}
	b := dataset.NewBuilder(dataset.MustDictionary(labels))
	for _, tx := range txs {
		for i := range tx {
			tx[i] = id[tx[i]]
		}
		b.Add(tx)
	}
	return b.Build()
}
