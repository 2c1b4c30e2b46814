package command

import (
	"archive/tar"
	"archive/zip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/omnizarr/zarr/internal/disk/disktest"
	"github.com/omnizarr/zarr/internal/thorough"
)

// A pickle that would run something runs nothing, wherever it stands: in a chunk as objects, among
// filters, as the compressor, in consolidated metadata, behind a link.
func TestPicklesRunNothing(t *testing.T) {
	dir := t.TempDir()
	canary := filepath.Join(dir, "canary")
	for _, call := range []string{"cposix\nsystem\n", "cos\nsystem\n", "csubprocess\ncall\n", "c__builtin__\neval\n", "cbuiltins\nexec\n", "cnumpy.core.multiarray\n_reconstruct\n"}[:thorough.Least(1, 6, 6)] {
		evil := fmt.Sprintf("\x80\x02%s(U%c%stR.", call, len("touch "+canary), "touch "+canary)
		for name, codecs := range map[string]string{
			"filter":     `"filters":[{"id":"pickle"}],"compressor":null`,
			"twice":      `"filters":[{"id":"pickle"},{"id":"pickle"}],"compressor":null`,
			"compressor": `"filters":null,"compressor":{"id":"pickle"}`,
			"both":       `"filters":[{"id":"pickle"}],"compressor":{"id":"zlib","level":1}`,
		} {
			root := filepath.Join(dir, name+".zarr")
			must(t, os.RemoveAll(root))
			must(t, os.MkdirAll(filepath.Join(root, "a"), 0o777))
			array := fmt.Sprintf(`{"zarr_format":2,"shape":[1],"chunks":[1],"dtype":"|O","fill_value":null,"order":"C",%s}`, codecs)
			for file, text := range map[string]string{
				".zgroup": `{"zarr_format":2}`, "a/.zarray": array, "a/0": evil,
				".zattrs":    fmt.Sprintf(`{"namespace":"core","neurodata_type":"NWBFile","zarr_link":[{"name":"l","path":"/a","source":"."}],".specloc":%q}`, evil),
				".zmetadata": fmt.Sprintf(`{"zarr_consolidated_format":1,"metadata":{".zgroup":{"zarr_format":2},"a/.zarray":%s,"a/.zattrs":{"p":%q}}}`, array, evil),
			} {
				must(t, os.WriteFile(filepath.Join(root, filepath.FromSlash(file)), []byte(text), 0o666))
			}
			for _, args := range [][]string{{"cat", "--as", "json", root + "/a"}, {"cat", "--as", "json", root + "/l"}, {"verify", root}, {"dump", root}, {"info", root + "/a"}, {"validate", root},
				{"copy", root, filepath.Join(dir, "copies", name+".zarr")}} {
				if code, out, _ := ran(t, args...); code == 0 && args[0] == "cat" {
					t.Errorf("%s %q: read as %s", name, call, out)
				}
			}
		}
	}
	if _, err := os.Lstat(canary); err == nil {
		t.Error("something was run")
	}
}

// Names that lead elsewhere on some system are refused, or are names like others: what lies beside
// the root is neither read nor changed.
func TestNamesReachNothingOutside(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	must(t, os.MkdirAll(secret, 0o777))
	const document = `{"zarr_format":3,"node_type":"group","attributes":{"secret":"told"}}`
	must(t, os.WriteFile(filepath.Join(secret, "zarr.json"), []byte(document), 0o666))
	root := filepath.Join(dir, "root.zarr")
	must(t, os.MkdirAll(root, 0o777))
	must(t, os.WriteFile(filepath.Join(root, "zarr.json"), []byte(`{"zarr_format":3,"node_type":"group"}`), 0o666))
	must(t, os.Symlink(secret, filepath.Join(root, "link")))
	must(t, os.Symlink("../secret/zarr.json", filepath.Join(root, "single")))
	names := []string{"..", "../secret", "a/../../secret", "./../secret", "..\\secret", "a\\..\\..\\secret", "C:\\secret", "c:secret", "\\\\host\\share", "/" + secret, "link", "single",
		"\x00", "../secret\x00", "con", "NUL", "com1.txt", "a.", "a ", "\u2025/secret", "\uff0e\uff0e/secret", "%2e%2e/secret", "..%2fsecret", "..;/secret"}
	archive := filepath.Join(dir, "slip.zip")
	f, err := os.Create(archive)
	must(t, err)
	z := zip.NewWriter(f)
	for _, name := range append(names, "zarr.json") {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name + "/zarr.json"})
		must(t, err)
		fmt.Fprint(w, `{"zarr_format":3,"node_type":"group"}`)
	}
	w, err := z.Create("zarr.json")
	must(t, err)
	fmt.Fprint(w, `{"zarr_format":3,"node_type":"group"}`)
	must(t, z.Close())
	must(t, f.Close())
	beside := func() string {
		list, err := os.ReadDir(dir)
		must(t, err)
		return fmt.Sprint(disktest.Files(t, secret), list)
	}
	before := beside()
	for _, name := range names {
		for _, args := range [][]string{{"info", "--json", root + "|zarr3:" + name}, {"cat", root + "|zarr3:" + name}, {"attrs", "set", root + "|zarr3:" + name, "x", "1"}} {
			code, out, _ := ran(t, args...)
			if strings.Contains(out, "told") {
				t.Errorf("%q: %v: %d %s", name, args[0], code, out)
			}
		}
	}
	_, _, _ = ran(t, "copy", archive, filepath.Join(dir, "out", "slip.zarr"))
	_, _, _ = ran(t, "copy", root, filepath.Join(dir, "out", "root.zarr"))
	for path, text := range disktest.Files(t, filepath.Join(dir, "out")) {
		if strings.Contains(text, "told") {
			t.Errorf("the copy has %s", path)
		}
	}
	must(t, os.RemoveAll(filepath.Join(dir, "out")))
	if after := beside(); after != before {
		t.Errorf("beside the root there is %s, was %s", after, before)
	}
}

// An array that lies beyond the end of its file is told once, however many chunks it claims, and
// hides no other.
func TestArraysBeyondTheEndOfTheirFile(t *testing.T) {
	url := unpacked(t, "bad", "f04-dims-larger-than-data.h5")
	code, out, told := ran(t, "tree", url)
	if code != 1 || !strings.Contains(out, "── single ") || !strings.Contains(told, "beyond the end of the file") {
		t.Errorf("tree: %d %s %s", code, out, told)
	}
	code, out, _ = ran(t, "verify", url)
	if n := strings.Count(out, "✗ /d:"); code != 1 || n != 1 || strings.Contains(out, "/single") {
		t.Errorf("verify: %d, %d times, %.2000s", code, n, out)
	}
}

// A file of HDF5 that has links and references, and no types, is none of HDMF.
func TestPlainHDF5(t *testing.T) {
	url := unpacked(t, "files", "base-v110.h5")
	if code, out, told := ran(t, "info", url); code != 0 || strings.Contains(out, "HDMF") || !strings.Contains(out, "HDF5") {
		t.Errorf("info: %d %s %s", code, out, told)
	}
	if _, out, _ := ran(t, "info", "--json", url); !strings.Contains(out, `"format": "hdf5"`) {
		t.Errorf("info: %.300s", out)
	}
	if _, out, _ := ran(t, "validate", url); strings.Contains(out, "schema") {
		t.Errorf("validate: %s", out)
	}
	for _, to := range []string{"zarr3", "zarr2"}[:thorough.Least(1, 2, 2)] {
		at := filepath.Join(t.TempDir(), to)
		if code, _, told := ran(t, "copy", "--verify", "--to", to, url, at); code != 0 {
			t.Fatalf("copy to %s: %d %s", to, code, told)
		}
		if code, out, told := ran(t, "diff", "--plain", url, at); code != 0 {
			t.Errorf("diff with %s: %d %s %s", to, code, out, told)
		}
	}
}

// unpacked is a file of those that the tests of HDF5 have.
func unpacked(t *testing.T, archive, name string) string {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "hdf5", "testdata", archive+".tar.zst"))
	must(t, err)
	defer f.Close()
	d, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1))
	must(t, err)
	defer d.Close()
	files := tar.NewReader(d)
	for {
		h, err := files.Next()
		must(t, err)
		if filepath.Base(h.Name) == name {
			break
		}
	}
	b, err := io.ReadAll(files)
	must(t, err)
	to := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(to, b, 0o666))
	return to
}
