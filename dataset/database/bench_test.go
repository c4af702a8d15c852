//go:build unix

package database

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"mingle/dataset"
	"mingle/internal/pgtest"
	"mingle/internal/testdata"
)

// BenchmarkPostgres reads online-retail-ii twenty times over, a row an item, 10 million rows,
// beside psql's \copy to a file: the time on the clock, and that of the client's processor.
func BenchmarkPostgres(b *testing.B) {
	psql, err := exec.LookPath("psql")
	if err != nil {
		b.Skip("there is no psql here")
	}
	s := pgtest.Start(b)
	fillRetail(b, s)
	to := location(b, s.URL+"#retail")
	var clocks, processors [2]time.Duration
	for b.Loop() {
		clock, processor := spent(func() {
			d, err := load(b.Context(), to, "", dataset.Options{})
			if err != nil || d.Len() == 0 {
				b.Fatal(err)
			}
		})
		clocks[0], processors[0] = clocks[0]+clock, processors[0]+processor
		out := filepath.Join(b.TempDir(), "retail.tsv")
		cmd := exec.Command(psql, s.URL, "-q", "-c", "\\copy retail to '"+out+"'")
		clock, _ = spent(func() {
			if text, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, text)
			}
		})
		clocks[1] += clock
		processors[1] += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		os.Remove(out)
	}
	n := float64(b.N)
	b.ReportMetric(clocks[0].Seconds()/n, "s/read")
	b.ReportMetric(clocks[1].Seconds()/n, "s/psql")
	b.ReportMetric(processors[0].Seconds()/n, "cpu-s/read")
	b.ReportMetric(processors[1].Seconds()/n, "cpu-s/psql")
	b.ReportMetric(clocks[0].Seconds()/clocks[1].Seconds(), "read/psql")
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

// fillRetail makes the table retail, of 20 copies.
func fillRetail(b *testing.B, s *pgtest.Server) {
	path := testdata.Path(b, "online-retail-ii/online-retail-ii-invoices.dat.gz")
	ask(b, s, "CREATE TABLE retail (transaction integer, item integer)")
	cmd := exec.Command("psql", s.URL, "-q", "-c", "\\copy retail from stdin")
	pipe, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	out := bufio.NewWriter(pipe)
	number := 0
	for range 20 {
		f, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		text, err := gzip.NewReader(f)
		if err != nil {
			b.Fatal(err)
		}
		lines := bufio.NewScanner(text)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			number++
			for _, item := range strings.Fields(lines.Text()) {
				fmt.Fprintf(out, "%d\t%s\n", number, item)
			}
		}
		f.Close()
	}
	out.Flush()
	pipe.Close()
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
}
