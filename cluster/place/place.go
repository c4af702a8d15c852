// Package place tells where paths lead: to this machine, or to a storage far away; and whether one
// lies in another, so that nothing is written over what is read.
package place

import (
	"fmt"
	"net"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Scheme is that of a path; "": a folder of this machine.
func Scheme(path string) string {
	s, _, has := strings.Cut(path, ":")
	if !has || strings.Contains(s, "/") || s == "file" {
		return ""
	}
	return s
}

// Local is a path of this machine without its scheme.
func Local(path string) string {
	rest, _ := strings.CutPrefix(path, "file:")
	for strings.HasPrefix(rest, "//") {
		rest = rest[1:]
	}
	if abs, err := filepath.Abs(rest); err == nil {
		return abs
	}
	return rest
}

// Named is a path, and what it is for people.
type Named struct{ What, Path string }

func (n Named) String() string { return fmt.Sprintf("%s (%s)", n.What, n.Path) }

// Apart refuses a path that is written to where it is, has in it, or lies in one of others. Those
// that are "" are none.
func Apart(written Named, others ...Named) error {
	for _, o := range others {
		if written.Path == "" || o.Path == "" {
			continue
		}
		within, around := Inside(written.Path, o.Path), Inside(o.Path, written.Path)
		how := ""
		switch {
		case within && around:
			how = "is the same as"
		case within:
			how = "lies in"
		case around:
			how = "is a folder that has in it"
		default:
			continue
		}
		return fmt.Errorf("%s %s %s: choose another place", written, how, o)
	}
	return nil
}

// Quoted is the paths in a query of Spark SQL, which stand between backticks.
func Quoted(query string) (paths []string) {
	for i, text := range strings.Split(query, "`") {
		if i%2 == 1 && strings.Contains(text, "/") {
			paths = append(paths, text)
		}
	}
	return paths
}

// Inside tells whether a path is another, or lies in it, as far as that can be seen from here: of
// paths far away their names tell.
func Inside(path, folder string) bool {
	switch {
	case Scheme(path) == "" && Scheme(folder) == "":
		return insideHere(resolved(Local(path)), resolved(Local(folder)))
	case Scheme(path) == "" || Scheme(folder) == "":
		return false
	}
	p, f := apart(path), apart(folder)
	one := p.host == f.host || p.host == "" || f.host == "" // the usual host may be the one named
	return p.scheme == f.scheme && one &&
		(p.path == f.path || strings.HasPrefix(p.path, strings.TrimSuffix(f.path, "/")+"/"))
}

// insideHere looks at each folder that a path lies in: file systems know folders by several names.
func insideHere(path, folder string) bool {
	it, err := os.Stat(folder)
	for {
		if path == folder {
			return true
		}
		if there, wrong := os.Stat(path); err == nil && wrong == nil && os.SameFile(there, it) {
			return true
		}
		up := filepath.Dir(path)
		if up == path {
			return false
		}
		path = up
	}
}

// resolved follows the links of a path as far as it is there.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	up := filepath.Dir(path)
	if up == path {
		return path
	}
	return filepath.Join(resolved(up), filepath.Base(path))
}

// far is a path far away, taken apart.
type far struct{ scheme, host, path string }

// families are schemes that lead to the storage of another.
var families = map[string]string{
	"s3a": "s3", "s3n": "s3", "abfss": "abfs", "wasbs": "wasb", "webhdfs": "hdfs", "swebhdfs": "hdfs",
}

func apart(at string) far {
	scheme, rest, _ := strings.Cut(at, ":")
	f := far{scheme: strings.ToLower(scheme)}
	if of, is := families[f.scheme]; is {
		f.scheme = of
	}
	if whole, has := strings.CutPrefix(rest, "//"); has {
		f.host, rest, _ = strings.Cut(whole, "/")
	}
	f.host = strings.ToLower(f.host)
	if host, _, err := net.SplitHostPort(f.host); err == nil { // the usual port may be left out
		f.host = host
	}
	f.path = path.Clean("/" + rest)
	return f
}
