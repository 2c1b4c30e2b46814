package command

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/kind/std"
)

// wrongThings makes a folder with what people try to open.
func wrongThings(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	must(t, sampleIn("s.zarr"))
	for _, dir := range []string{"empty", "pages"} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	called(t, "copy", "--quiet", "s.zarr/image", "pages/one.tif")
	called(t, "copy", "--quiet", "s.zarr/image", "pages/two.tif")
	called(t, "copy", "--quiet", "--to", "tiff", "--overviews", "s.zarr/image", "levels.tif")
	for name, text := range map[string]string{
		"a.h5": "\x89HDF\r\n\x1a\nxxxxxxxx", "b.nwb": "\x89HDF\r\n\x1a\nxxxxxxxx", "p.png": "\x89PNG\r\n\x1a\nxxxx", "j.jpg": "\xff\xd8\xff\xe0xxxxx", "c.nc": "CDF\x01xxxxx",
		"t.parquet": "PAR1xxxxPAR1", "g.tar.gz": "\x1f\x8b\x08\x00xxxxx", "h.txt": "hello, world", "zero": "", "bin": "\x00\x01\x02\x03\x04", "text/readme.md": "hello",
		"half.zarr/.omnizarr-unfinished": "{}", "bad.zarr/zarr.json": "{", "broken.tif": "II*\x00\xff\xff\xff\x7f",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// What is wrong is told in one line: what it is, what there is, what may be meant.
func TestWrongThingsAreToldInWords(t *testing.T) {
	wrongThings(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/closed") {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		http.FileServer(http.Dir(".")).ServeHTTP(w, r)
	}))
	defer server.Close()
	for _, c := range []struct {
		call string
		code int
		want string
	}{
		{"info a.h5", 1, `^omnizarr: open .*a\.h5.*: superblock at address 0: version 120 is not known`},
		{"tree b.nwb", 1, "superblock at address 0"},
		{"copy c.nc out.zarr", 1, "a NetCDF-3 file"},
		{"verify p.png", 1, "a PNG picture"},
		{"validate j.jpg", 1, "a JPEG picture"},
		{"cat t.parquet", 1, "a Parquet table"},
		{"dump g.tar.gz", 1, "a gzip file: unpack it first"},
		{"info h.txt", 1, "a text file, neither a folder nor a zip archive"},
		{"info zero", 1, "an empty file, neither"},
		{"info bin", 1, "a file, neither"},
		{"info empty", 1, "no Zarr node here .*; the folder is empty$"},
		{"info text", 1, "; the folder has 1 item: readme.md$"},
		{"info pages", 1, "; a folder of 2 TIFF files, open one: pages/one.tif$"},
		{"info levels.tif/9", 1, `open levels.tif/9: there is no such node; levels.tif has [2-9] nodes: 0, 1`},
		{"info pages/one.tif/9", 1, "pages/one.tif is an array, with no nodes inside$"},
		{"info pages/one.tif/ifd/7", 1, "pages/one.tif/ifd has 1 node: 0$"},
		{"info s.zarr/imag", 1, `open s.zarr/imag: there is no such node; s.zarr has 3 nodes: cells, image, weather; did you mean image\?$`},
		{"cat s.zarr/cells/volum", 1, `s.zarr/cells has 3 nodes: names, table, volume; did you mean volume\?$`},
		{"stats s.zarr/nothing/at/all", 1, "s.zarr has 3 nodes"},
		{"info s.zar", 1, `open s.zar: no such file or folder; did you mean s.zarr\?$`},
		{"info nowhere/at/all", 1, "there is no nowhere in "},
		{"cat s.zarr", 1, "is a group, not an array; it has 3 nodes: cells, image, weather$"},
		{"info s.zarr/image/c/0/0", 1, "it lies in the hierarchy s.zarr/image, open that$"},
		{"info half.zarr", 1, "unfinished"},
		{"info broken.tif", 1, "broken.tif: .*offset 2147483647"},
		{"info bad.zarr", 1, "bad.zarr: zarr.json: not JSON"},
		{"info " + server.URL + "/nothing.zarr", 1, "/nothing.zarr: no Zarr node here"},
		{"info " + server.URL + "/s.zarr/imag", 1, `/s.zarr has 3 nodes: cells, image, weather; did you mean image\?$`},
		{"info " + server.URL + "/closed/a.zarr", 1, "/closed/a.zarr: .*403"},
		{"info ftp://example.org/a", 1, `no store is registered for scheme "ftp"`},
		{"repair levels.tif", 1, "a TIFF file cannot be repaired"},
		{"refs s.zarr", 1, "is no HDMF file"},
		{"cat --slice q=1 s.zarr/image", 1, `no axis is named "q", only y, x`},
		{"cat --slice 999 s.zarr/image", 1, "index 999 is outside an axis of 240"},
		{"demo --no-serve --dir text", 1, "text holds other files"},
		{"codec encode --codecs [\"bytes\"] --data-type uint9 --shape [4]", 1, `unknown data type "uint9"`},
		{"codec decode --codecs [\"byts\"] --data-type uint8 --shape [4]", 1, "codec byts: unknown codec"},
		{"inof s.zarr", 2, `unknown command "inof", did you mean info\?$`},
		{"info --jsn s.zarr", 2, `unknown flag: --jsn, did you mean --json\?$`},
		{"s.zarr", 2, `unknown command "s.zarr", to look at it: omnizarr info s.zarr$`},
		{"info --workers much s.zarr", 2, "--workers much: must be a whole number$"},
		{"completion fsh", 2, `unknown command "fsh", did you mean fish or zsh\?$|unknown command "fsh", did you mean `},
		{"copy --to zar3 s.zarr y.zarr", 2, "--to zar3: must be one of zarr3"},
		{"cat --as cvs s.zarr/image", 2, "--as cvs: must be one of raw, json, csv, npy, text"},
		{"verify --sample none s.zarr", 2, "--sample none: "},
	} {
		code, out, errs := ran(t, strings.Fields(c.call)...)
		first, _, _ := strings.Cut(errs, "\n")
		if code != c.code || !strings.HasPrefix(first, "omnizarr: ") || out != "" {
			t.Errorf("%s: exit code %d, %q, %q", c.call, code, out, errs)
		}
		matches(t, first, c.want)
		if c.code == exitUsage && !strings.Contains(errs, "--help' for how to call it.") || c.code == exitWrong && strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: %q", c.call, errs)
		}
	}
}

// TestExitCodes holds every command to its exit codes: 1 for data and requests that are
// wrong, 2 for wrong usage. A command that is not listed fails the test.
func TestExitCodes(t *testing.T) {
	wrongThings(t)
	// How each command is called with a URL, where it is one of several arguments.
	calls := map[string][]string{
		"info": {"URL"}, "tree": {"URL"}, "cat": {"URL"}, "dump": {"URL"}, "refs": {"URL"}, "verify": {"URL"}, "validate": {"URL"}, "repair": {"URL"},
		"copy": {"URL", "out.zarr"}, "stats": {"URL"}, "migrate": {"URL"}, "adopt": {"URL"}, "show": {"URL"}, "plot": {"URL"}, "bench": {"URL"},
		"diff": {"URL", "s.zarr"}, "ls": {"URL"}, "attrs get": {"URL"}, "attrs set": {"URL", "a", "1"}, "attrs rm": {"URL", "a"},
		"serve": {"--addr", "127.0.0.1:0", "URL"}, "view": {"--addr", "127.0.0.1:0", "--no-open", "URL"},
	}
	many := []string{"serve", "view"} // take any number of URLs
	without := []string{"help", "version", "demo", "man", "codec encode", "codec decode", "completion bash", "completion zsh", "completion fish", "completion powershell"}
	var leaves func(cmd *cobra.Command, path string) []string
	leaves = func(cmd *cobra.Command, path string) (out []string) {
		for _, c := range cmd.Commands() {
			out = append(out, leaves(c, strings.TrimSpace(path+" "+c.Name()))...)
		}
		if len(out) == 0 {
			out = []string{path}
		}
		return out
	}
	wrong := []string{"gone.zarr", "a.h5", "half.zarr", "bad.zarr"}[:thorough.Least(2, 4, 4)]
	if thorough.Enabled {
		wrong = append(wrong, "s.zarr/gone", "empty", "h.txt", "zero", "broken.tif", "ftp://example.org/a", "levels.tif/9")
	}
	a := &app{kinds: std.Kinds()}
	for _, name := range leaves(a.root(), "") {
		words := strings.Fields(name)
		if code, out, _ := ran(t, append(words, "--help")...); code != exitOK || !strings.Contains(out, "Usage:") {
			t.Errorf("%s --help: exit code %d", name, code)
		}
		if code, _, errs := ran(t, append(words, "--no-such-flag")...); code != exitUsage && name != "help" {
			t.Errorf("%s --no-such-flag: exit code %d, %s", name, code, errs)
		}
		args, ok := calls[name]
		if !ok {
			known := false
			for _, w := range without {
				known = known || w == name
			}
			if !known {
				t.Errorf("%s is no command of this test: add how it is called", name)
			}
			continue
		}
		if code, _, errs := ran(t, words...); code != exitUsage {
			t.Errorf("%s without a URL: exit code %d, %s", name, code, errs)
		}
		if code, _, errs := ran(t, append(words, "a", "b", "c", "d", "e")...); code != exitUsage && !slices.Contains(many, name) {
			t.Errorf("%s with too many arguments: exit code %d, %s", name, code, errs)
		}
		for _, url := range wrong {
			if url == "empty" && slices.Contains(many, name) {
				continue // a folder, which may hold stores one day
			}
			call := append([]string{}, words...)
			for _, arg := range args {
				call = append(call, strings.ReplaceAll(arg, "URL", url))
			}
			code, _, errs := ran(t, call...)
			if code != exitWrong || !strings.HasPrefix(errs, "omnizarr: ") || strings.Contains(errs, "panic") || strings.Contains(errs, "goroutine") {
				t.Errorf("%q: exit code %d, %s", call, code, errs)
			}
			if _, err := os.Stat("out.zarr"); err == nil {
				t.Fatalf("%q has made something", call)
			}
		}
	}
}
