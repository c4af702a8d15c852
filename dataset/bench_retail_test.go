//go:build unix

package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"mingle/internal/testdata"
)

// retail20 is online-retail-ii twenty times over, 10 million items as they stand on the invoices,
// with their texts by number: the shop's codes, or the numbers of the items.
func retail20(b testing.TB, codes bool) (r Records, texts []string) {
	code := map[string]string{}
	for _, row := range testdata.Rows(b, "online-retail-ii/items.csv") {
		code[row[0]] = strings.TrimSpace(row[1])
	}
	text := bytes.Repeat(
		uncompressed(b, "online-retail-ii/online-retail-ii-invoices.dat.gz"), 20,
	)
	note := func(number string) error {
		if codes {
			number = code[number]
		}
		texts = append(texts, number)
		return nil
	}
	opts := Options{Format: Fimi, Workers: 1}
	r, _, err := ReadRecords(b.Context(), bytes.NewReader(text), opts, Values{Check: note})
	if err != nil {
		b.Fatal(err)
	}
	return r, texts
}

// spent is the time that work takes, on the clock and of this process's processors.
func spent(work func()) (clock, processor time.Duration) {
	used := func() time.Duration {
		var u syscall.Rusage
		syscall.Getrusage(syscall.RUSAGE_SELF, &u)
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	start, before := time.Now(), used()
	work()
	return time.Since(start), used() - before
}

// BenchmarkParquetBesideCSV reads online-retail-ii twenty times over from csv and from Parquet in
// turns: nanoseconds an item, and how many times as fast Parquet is, on the clock and by processor
// time.
func BenchmarkParquetBesideCSV(b *testing.B) {
	for _, kind := range []string{"numbers", "codes"} {
		d, names := retail20(b, kind == "codes")
		long := Options{Format: Parquet, TransactionColumn: "record", ItemColumn: "value"}
		for _, form := range []struct {
			name         string
			csv, parquet Options
		}{
			{"long", Options{Format: Long}, long},
			{"sets", Options{Format: Table, SetColumn: "values"}, Options{Format: Parquet}},
		} {
			var paths [2]string
			for i, opts := range []Options{form.csv, form.parquet} {
				paths[i] = filepath.Join(b.TempDir(), "retail."+string(opts.Format))
				writeRecords(b, paths[i], &d, names, opts)
			}
			form.parquet.SetColumn = form.csv.SetColumn
			for _, workers := range []int{1, 2} {
				form.csv.Workers, form.parquet.Workers = workers, workers
				b.Run(fmt.Sprintf("%s/%s/workers-%d", kind, form.name, workers), func(b *testing.B) {
					besides(b, paths, [2]Options{form.csv, form.parquet}, d.Occurrences())
				})
			}
		}
	}
}

func writeRecords(b *testing.B, path string, d *Records, texts []string, opts Options) {
	f, err := os.Create(path)
	if err == nil {
		err = errors.Join(WriteRecords(f, d, texts, opts), f.Close())
	}
	if err != nil {
		b.Fatal(err)
	}
}

// besides reads two files in turns; of the turns the least counts, as others may use the machine.
func besides(b *testing.B, paths [2]string, opts [2]Options, items int) {
	var clock, processor [2]time.Duration
	first := true
	for b.Loop() {
		for i, path := range paths {
			runtime.GC() // no file pays for what another one left
			c, p := spent(func() {
				back, err := Open(b.Context(), path, opts[i])
				if err != nil || back.Occurrences() != items {
					b.Fatal("it is not read as it was written", err)
				}
			})
			if first {
				clock[i], processor[i] = c, p
			}
			clock[i], processor[i] = min(clock[i], c), min(processor[i], p)
		}
		first = false
	}
	for i, format := range []string{"csv", "parquet"} {
		b.ReportMetric(float64(clock[i])/float64(items), format+"-ns/item")
		b.ReportMetric(float64(processor[i])/float64(items), format+"-cpu-ns/item")
	}
	b.ReportMetric(float64(clock[0])/float64(clock[1]), "times")
	b.ReportMetric(float64(processor[0])/float64(processor[1]), "cpu-times")
}
