package pipeline

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mingle/dataset"
)

// The columns beside the sets of a file with a row an item are those that are the same on all rows
// of a transaction, whatever the format and the encoding. That of the transactions is none of them.
func TestColumnsBeside(t *testing.T) {
	text := "tid,item,Käufer,day\n1,a,p,x\n1,b,p,y\n2,a,q,x\n3,b,p,x\n"
	want := []dataset.Column{{Name: "Käufer", Values: []string{"p", "q", "p"}}}
	latin := bytes.ReplaceAll([]byte(text), []byte("ä"), []byte("\xe4"))
	files := map[string][]byte{"a.csv": []byte(text), "latin.csv": latin}
	d, err := dataset.Read(t.Context(), bytes.NewReader([]byte(text)), dataset.Options{
		Format: dataset.Long, LabelColumns: []string{"Käufer"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, format := range map[string]dataset.Format{
		"a.parquet": dataset.Parquet, "a.arrow": dataset.Arrow, "a.xlsx": dataset.Sheet,
	} {
		var out bytes.Buffer
		err := dataset.Write(&out, d, dataset.Options{
			Format: format, Name: name, TransactionColumn: "tid", ItemColumn: "item",
		})
		if err != nil {
			t.Fatal(err)
		}
		files[name] = out.Bytes()
	}
	for name, content := range files {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		var opts dataset.Options
		if name == "latin.csv" {
			opts.Encoding = "windows-1252"
		}
		var files Files
		read, opts, err := files.Transactions(t.Context(), "transactions", path, opts)
		if err != nil {
			t.Fatal(err)
		}
		got, err := files.ColumnsBeside(t.Context(), path, opts, read)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if got, err := files.ColumnsBeside(ended, path, opts, read); err == nil {
			t.Errorf("%s: no error after the end of the context, but %v", name, got)
		}
		if len(files.Read) != 1 {
			t.Errorf("%s: a report would name %v", name, files.Read)
		}
	}
}
