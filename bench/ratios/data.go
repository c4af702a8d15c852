package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// set is a data set: a file of the public data, or how it is generated.
type set struct {
	name      string
	file      string
	generated []string
}

var sets = []set{
	{name: "bms-webview-1", file: "bms-webview-1/bms-webview-1.dat.gz"},
	{name: "bms-webview-2", file: "bms-webview-2/bms-webview-2.dat.gz"},
	{name: "retail", file: "retail/retail.dat.gz"},
	{name: "t10i4d100k", file: "t10i4d100k/t10i4d100k.dat.gz"},
	shaped("kosarak-like", "990002", "41270", "2498", "8.1"), // of the size of kosarak
	shaped("pos-like", "515597", "1657", "164", "6.5"),       // of the shape of BMS-POS
}

func shaped(name, transactions, items, longest, average string) set {
	return set{name: name, generated: []string{
		"generate", "shape", "--transactions", transactions, "--items", items,
		"--longest", longest, "--average", average, "--seed", "1",
	}}
}

// prepare makes a data set's file, and its hierarchy of fan-out 5, unless they are there.
func (b *bench) prepare(s set) error {
	data := filepath.Join(b.dir, s.name+".dat")
	tree := filepath.Join(b.dir, s.name+".csv")
	if _, err := os.Stat(tree); err == nil {
		return nil
	}
	var err error
	if s.file != "" {
		err = unpack(filepath.Join(b.public, s.file), data)
	} else {
		_, err = start(b.mingle, append(s.generated, "-o", data, "--force")...)
	}
	if err != nil {
		return err
	}
	_, err = start(b.mingle, "hierarchy", "fanout", data, "-f", "5", "-o", tree)
	return err
}

func unpack(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	plain, err := gzip.NewReader(in)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer out.Close()
	if _, err := io.Copy(out, plain); err != nil {
		return err
	}
	return out.Close()
}
