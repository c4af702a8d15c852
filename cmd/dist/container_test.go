package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/pipeline"
)

// containerUser is whom the containers run as.
const containerUser = 65532

// builder is buildah with a store of its own, which ends with the test.
type builder struct {
	program, busybox, store string
	t                       *testing.T
}

// newBuilder finds buildah. The test is skipped where there is none, or where it may not build.
func newBuilder(t *testing.T) *builder {
	t.Helper()
	found, err := exec.Command("sh", filepath.Join("tools", "container.sh"), "find").Output()
	paths := strings.Fields(string(found))
	if err != nil || len(paths) != 2 {
		t.Skip("there is no buildah, or no busybox: tools/container.sh installs both")
	}
	b := &builder{program: paths[0], busybox: paths[1], store: t.TempDir(), t: t}
	t.Cleanup(func() { b.run("rm", "--all") })
	if out, err := b.run("from", "scratch"); err != nil {
		t.Skipf("buildah may build nothing here: %v\n%s", err, out)
	}
	return b
}

func (b *builder) run(args ...string) (string, error) {
	cmd := exec.Command(b.program, append([]string{
		"--root", filepath.Join(b.store, "root"), "--runroot", filepath.Join(b.store, "run"),
	}, args...)...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (b *builder) must(args ...string) string {
	b.t.Helper()
	out, err := b.run(args...)
	if err != nil {
		b.t.Fatalf("buildah %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(out)
}

// build builds a container file beside what is in the folder dir.
func (b *builder) build(tag, file, dir string) {
	b.t.Helper()
	b.must("build", "--isolation", "chroot", "--quiet", "--pull-never", "-t", tag, "-f", file, dir)
}

// start runs what a container of an image runs, with folders mounted.
func (b *builder) start(image string, mounts []string, command ...string) (int, string) {
	b.t.Helper()
	args := []string{"run", "--isolation", "chroot"}
	for _, m := range mounts {
		args = append(args, "--volume", m)
	}
	args = append(append(args, b.must("from", "--pull-never", image), "--"), command...)
	out, err := b.run(args...)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		b.t.Fatal(err)
	}
	if err == nil {
		return 0, out
	}
	return exit.ExitCode(), out
}

// TestContainer builds what the archive for Linux has, runs a release in it, and then the nightly
// jobs of examples/ on top of it.
func TestContainer(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	b := newBuilder(t)
	unpacked := unpackedArchive(t)
	b.build("mingle", filepath.Join(unpacked, containerfile), unpacked)

	container := b.must("from", "--pull-never", "mingle")
	root := b.must("mount", container)
	checkRoot(t, root)
	if code, out := b.start("mingle", nil, "/usr/bin/mingle", "version"); code != 0 ||
		!strings.Contains(out, pipeline.Version) {
		t.Errorf("exit code %d: %s", code, out)
	}
	t.Run("release", func(t *testing.T) { releaseInContainer(t, b) })
	b.fakeBusybox()
	t.Run("nightly", func(t *testing.T) { nightlyInContainer(t, b) })
	t.Run("nightly-tables", func(t *testing.T) { tablesInContainer(t, b) })
}

// unpackedArchive compiles the program, packs the archive of Linux, and unpacks it.
func unpackedArchive(t *testing.T) string {
	t.Helper()
	platform := "linux/" + runtime.GOARCH
	binary, err := build(t.Context(), platform)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(containerfile)
	if err != nil {
		t.Fatal(err)
	}
	made := map[string][]byte{}
	beside := []file{{containerfile, text, 0o644}}
	if err := pack(made, platform, binary, beside, when); err != nil {
		t.Fatal(err)
	}
	base, dir := "mingle-"+pipeline.Version+"-linux-"+runtime.GOARCH, t.TempDir()
	zr, err := gzip.NewReader(bytes.NewReader(made[base+".tar.gz"]))
	if err != nil {
		t.Fatal(err)
	}
	r := tar.NewReader(zr)
	for head, err := r.Next(); err != io.EOF; head, err = r.Next() {
		if err != nil {
			t.Fatal(err)
		}
		place := filepath.Join(dir, head.Name)
		if head.Typeflag == tar.TypeDir {
			err = os.Mkdir(place, 0o755)
		} else if text, err = io.ReadAll(r); err == nil {
			err = os.WriteFile(place, text, os.FileMode(head.Mode))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, base)
}

// checkRoot makes sure that there is nothing in a container but the binary, and two folders in
// which anybody may write; what the builder puts there itself is empty.
func checkRoot(t *testing.T, root string) {
	t.Helper()
	var files []string
	err := filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			files = append(files, strings.TrimPrefix(path, root))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 1 || files[0] != "/usr/bin/mingle" {
		t.Errorf("the files of the container are %v", files)
	}
	for _, dir := range []string{"tmp", "data"} {
		info, err := os.Stat(filepath.Join(root, dir))
		if err != nil || info.Mode() != os.ModeDir|os.ModeSticky|0o777 {
			t.Errorf("/%s: %v, %v", dir, info, err)
		}
	}
}

// ownedFolder is a folder of the containers' user. Only root can make one.
func ownedFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chown(dir, containerUser, containerUser); err != nil {
		t.Skip("this user may not give a folder to the user of the container: ", err)
	}
	return dir
}

// A release file is run without a shell; a folder of somebody else is not written to.
func releaseInContainer(t *testing.T, b *builder) {
	data, others := ownedFolder(t), t.TempDir()
	for _, dir := range []string{data, others} {
		for from, to := range map[string]string{
			"examples/shop/baskets.csv":   "in/baskets.csv",
			"examples/shop/catalogue.csv": "catalogue.csv",
			"cmd/dist/testdata/shop.yaml": "release.yaml",
		} {
			copyTo(t, from, filepath.Join(dir, to))
		}
	}
	command := []string{"/usr/bin/mingle", "run", "release.yaml", "--quiet"}
	if code, out := b.start("mingle", []string{data + ":/data"}, command...); code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	for name, mode := range map[string]os.FileMode{"published.csv": 0o644, "audit.json": 0o600} {
		info, err := os.Stat(filepath.Join(data, name))
		if err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if code, out := b.start("mingle", []string{others + ":/data"}, command...); code != 2 ||
		!strings.Contains(out, "permission denied") {
		t.Errorf("a folder of somebody else: exit code %d: %s", code, out)
	}
}

// fakeBusybox makes an image of this system's busybox under the name of the one that is fetched.
func (b *builder) fakeBusybox() {
	b.t.Helper()
	dir := b.t.TempDir()
	copyTo(b.t, b.busybox, filepath.Join(dir, "busybox"))
	text := "FROM scratch\nCOPY --chmod=755 busybox /bin/busybox\n" +
		"RUN [\"/bin/busybox\", \"--install\", \"/bin\"]\n"
	file := filepath.Join(dir, "Containerfile")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
	b.build("busybox", file, dir)
}

// nightlyInContainer publishes a day, and stops one that was cut short.
func nightlyInContainer(t *testing.T, b *builder) {
	b.build("nightly", filepath.Join("examples", "nightly", "Containerfile"), ".")
	baskets, public, secret := t.TempDir(), ownedFolder(t), ownedFolder(t)
	copyTo(t, "examples/shop/baskets.csv", filepath.Join(baskets, "2026-11-21.csv"))
	short := []byte("2% milk\n")
	if err := os.WriteFile(filepath.Join(baskets, "2026-11-22.csv"), short, 0o644); err != nil {
		t.Fatal(err)
	}
	mounts := []string{
		baskets + ":/baskets:ro", public + ":/nightly/public", secret + ":/nightly/secret",
	}
	night := func(day string) (int, string) {
		return b.start("nightly", mounts, "sh", "/nightly/nightly.sh", day)
	}
	if code, out := night("2026-11-21"); code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	if code, out := night("2026-11-22"); code == 0 {
		t.Errorf("a day of one basket is published: %s", out)
	}
	if got := strings.Join(append(namesIn(t, public), namesIn(t, secret)...), " "); got !=
		"2026-11-21 2026-11-21.json" {
		t.Errorf("there is %s", got)
	}
	if got := strings.Join(namesIn(t, filepath.Join(public, "2026-11-21")), " "); got !=
		"page.html published.csv report.json" {
		t.Errorf("of the day there is %s", got)
	}
}

// tablesInContainer publishes a Parquet file.
func tablesInContainer(t *testing.T, b *builder) {
	b.build("nightly-tables", filepath.Join("examples", "nightly-tables", "Containerfile"), ".")
	in, public, secret := t.TempDir(), ownedFolder(t), ownedFolder(t)
	text, err := os.ReadFile("examples/shop/baskets.csv")
	if err != nil {
		t.Fatal(err)
	}
	var baskets [][]string
	for line := range strings.Lines(string(text)) {
		baskets = append(baskets, strings.Split(strings.TrimSuffix(line, "\n"), ","))
	}
	f, err := os.Create(filepath.Join(in, "baskets.parquet"))
	if err == nil {
		opts := dataset.Options{Format: dataset.Parquet}
		err = dataset.Write(f, dataset.FromLabels(baskets), opts)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	code, out := b.start("nightly-tables", []string{
		in + ":/nightly/in:ro", public + ":/nightly/public", secret + ":/nightly/secret",
	}, "sh", "/nightly/nightly.sh", "parquet.yaml")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	if got := strings.Join(namesIn(t, public), " "); got !=
		"baskets.parquet page.html report.json" {
		t.Errorf("there is %s", got)
	}
}

func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func copyTo(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err == nil {
		err = os.WriteFile(to, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
