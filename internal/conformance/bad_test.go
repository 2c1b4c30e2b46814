package conformance_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/alloctest"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// badCase is a broken store and what is demanded of a reader.
type badCase struct {
	Name   string `json:"name"`
	Store  string `json:"store"`
	When   string `json:"when"`
	Expect string `json:"expect"`
	Reason string `json:"reason"`
	MaxMB  int64  `json:"max_mb"`
}

// What the errors say; a case that may open or be read says "".
var badReasons = map[string]string{
	"unknown-key-optional": "", "shard-overlap": "", "rectilinear-run-bomb": "",
	"zip-slip": "", "zip-duplicate": "", "consolidated-traversal": "", "v2-and-v3": "", "v2-zmetadata-traversal": "",

	"json-truncated": "not JSON", "json-empty-file": "not JSON", "json-trailing-garbage": "more text behind the value",
	"json-array-root": "must be an object", "json-not-utf8": "UTF-8", "json-bare-nan-fill": "fill_value",
	"json-duplicate-shape": "two members", "json-deep-nesting": "nested deeper",
	"format-4": "zarr_format", "format-string": "zarr_format", "node-type-unknown": "node_type", "node-type-missing": "node_type",
	"missing-shape": "shape", "missing-data_type": "data_type", "missing-chunk_grid": "chunk_grid",
	"missing-chunk_key_encoding": "chunk_key_encoding", "missing-fill_value": "fill_value", "missing-codecs": "codecs",
	"unknown-key": "must_understand", "unknown-key-plain-value": "must_understand",
	"unknown-codec": "unknown codec", "unknown-codec-optional": "unknown codec",
	"unknown-grid-optional": "unknown chunk grid", "unknown-dtype-optional": "unknown data type",
	"unknown-dtype": "unknown data type", "unknown-grid": "unknown chunk grid", "unknown-key-encoding": "unknown chunk key encoding",
	"bad-separator": "separator", "storage-transformer": "storage transformer",
	"shape-negative": "shape", "shape-float": "must be an integer", "shape-string": "must be an integer", "shape-2p64": "does not fit",
	"shape-overflow": "than can be counted", "chunk-huge": "want 4398046511104",
	"chunk-zero": "chunk_shape", "chunk-negative": "chunk_shape", "chunk-rank": "dimensions",
	"dimension-names-rank": "dimension_names", "dimension-names-type": "dimension_names", "attributes-list": "attributes",
	"codecs-empty": "codecs", "codecs-no-serializer": "into bytes", "codecs-two-serializers": "both turn arrays into bytes",
	"codecs-order": "works on bytes", "codecs-transpose-late": "works on arrays", "transpose-repeat": "no permutation", "transpose-rank": "axes",
	"bytes-no-endian": "endian", "bytes-bad-endian": "endian", "gzip-level": "level", "codec-unknown-option": "unknown member",
	"fill-out-of-range": "fill_value", "fill-negative-unsigned": "fill_value", "fill-float-for-int": "fill_value",
	"fill-string-for-int": "fill_value", "fill-int-for-bool": "fill_value", "fill-short-hex": "hexadecimal digits",
	"fill-bad-nan-text": "fill_value", "fill-complex-scalar": "fill_value", "fill-null": "must not be null",
	"rectilinear-short": "chunk_shapes", "rectilinear-zero": "chunk_shapes", "rectilinear-kind": "kind", "rectilinear-rank": "chunk_shapes",
	"chunk-short": "want 12", "chunk-long": "12 bytes", "chunk-empty": "got 0 bytes",
	"gzip-truncated": "codec gzip", "gzip-crc": "codec gzip", "gzip-garbage": "codec gzip", "gzip-wrong-length": "codec gzip",
	"gzip-bomb": "260934 bytes, at most", "zstd-bomb": "at most 12", "zstd-size-lie": "its header claims", "zstd-truncated": "codec zstd",
	"blosc-size-lie": "codec blosc", "blosc-truncated": "codec blosc", "blosc-short-header": "codec blosc",
	"crc32c-corrupt": "checksum", "crc32c-short": "got 3 bytes, want 16",
	"vlen-count": "values", "vlen-huge-item": "bytes", "vlen-huge-count": "4294967295 values", "vlen-bad-utf8": "UTF-8",
	"bool-not-0-1":    "for bool",
	"shard-index-crc": "checksum", "shard-too-short": "too short", "shard-empty": "too short", "shard-out-of-bounds": "reaches past",
	"shard-into-index": "reaches past", "shard-huge-length": "length", "shard-offset-wrap": "offset", "shard-half-missing": "half missing",
	"shard-inner-length": "inner chunk", "shard-inner-not-divisor": "do not divide", "shard-inner-zero": "positive",
	"shard-inner-rank": "axes", "shard-index-compressed": "index_codecs", "shard-location": "index_location",
	"shard-no-inner-codecs": "into bytes", "shard-nested-200": "nested deeper", "shard-index-bomb": "index",
	"v2-object-no-codec": "how objects are stored", "v2-pickle": "os.system", "v2-order": "order", "v2-dtype": "dtype",
	"v2-dtype-no-endian": "byte order", "v2-chunk-zero": "chunks", "v2-unknown-compressor": "unknown codec",
	"v2-fill-nan-int": "fill_value", "v2-separator": "dimension_separator", "v2-rank": "chunks", "v2-missing-dtype": `missing member "dtype"`,
	"v2-delta-mismatch": "codec numcodecs.delta", "v2-lz4-size-bomb": "codec numcodecs.lz4",
	"zip-bomb": "12 bytes", "zip-truncated": "not a valid zip archive", "zip-crc": "CRC", "consolidated-kind": "unknown kind",
}

func TestBrokenStoresGiveClearErrors(t *testing.T) {
	dir := unzip(t, "testdata/bad-zarr.zip")
	var list struct{ Cases []badCase }
	check(t, json.Unmarshal(must[[]byte](t)(os.ReadFile(filepath.Join(dir, "cases.json"))), &list))
	if len(list.Cases) != len(badReasons) {
		t.Errorf("%d cases, %d reasons", len(list.Cases), len(badReasons))
	}
	for _, c := range list.Cases {
		t.Run(c.Name, func(t *testing.T) {
			reason, known := badReasons[c.Name]
			if !known {
				t.Fatalf("nothing is known of this case: %s", c.Expect)
			}
			var err error
			used := alloctest.Bytes(func() { err = runBad(t, c, filepath.Join(dir, c.Store)) })
			if used > c.MaxMB<<20 {
				t.Errorf("took %d bytes of memory", used)
			}
			if reason == "" {
				check(t, err)
				return
			}
			wantError(t, err, reason)
			if !strings.Contains(err.Error(), c.Store) {
				t.Errorf("error %q does not name the node", err)
			}
			if len(err.Error()) > 600 {
				t.Errorf("error of %d bytes: %.300s", len(err.Error()), err)
			}
		})
	}
}

// runBad does what a case asks for.
func runBad(t *testing.T, c badCase, path string) error {
	n, err := zarr.Open(ctx, path)
	if err != nil {
		if n != nil {
			t.Errorf("an error and %v", n)
		}
		return err
	}
	defer n.Close()
	if g, ok := n.(*zarr.Group); ok {
		return walkBad(t, c, g)
	}
	a := n.(*zarr.Array)
	if c.When == "open" && !strings.HasPrefix(c.Name, "zip-") {
		return nil
	}
	sel := zarr.All()
	if c.When == "read one element" {
		sel = zarr.Select(zarr.At(0))
	}
	v, err := readAny(a, sel)
	if err != nil {
		checkChunkError(t, c, err)
		return err
	}
	if c.Name == "shard-overlap" {
		got := values(a.DataType(), v)
		half := len(got) / 2
		for i := range half {
			if string(got[i]) != string(got[half+i]) {
				t.Errorf("inner chunks differ: %x", got)
			}
		}
	}
	return nil
}

// checkChunkError looks for the key of the chunk in what reading says.
func checkChunkError(t *testing.T, c badCase, err error) {
	t.Helper()
	var e *zarr.Error
	if !errors.As(err, &e) || e.Op != "read" || e.URL == "" {
		t.Errorf("error %#v does not say what was being read", err)
		return
	}
	whole := strings.Contains(err.Error(), "unknown codec") || strings.Contains(err.Error(), "than can be counted")
	if !whole && !strings.HasPrefix(e.Key, "c/") && !strings.HasPrefix(c.Name, "v2-") {
		t.Errorf("error %q does not name the chunk", err)
	}
	if whole == (e.Key != "") {
		t.Errorf("error of the node names the chunk %q", e.Key)
	}
}

// walkBad looks at hierarchies with names that lead elsewhere.
func walkBad(t *testing.T, c badCase, g *zarr.Group) error {
	var paths []string
	for n, err := range g.Walk(ctx) {
		if err != nil {
			return err
		}
		paths = append(paths, n.Path())
	}
	switch c.Name {
	case "zip-slip":
		if !slices.Equal(paths, []string{"ok"}) {
			t.Errorf("nodes %v", paths)
		}
		a := must[*zarr.Array](t)(g.Array(ctx, "ok"))
		_, err := readAny(a, zarr.All())
		check(t, err)
	case "zip-duplicate":
		if len(paths) > 0 {
			t.Errorf("nodes %v: the first of two documents won", paths)
		}
	case "v2-zmetadata-traversal":
		if !slices.Equal(paths, []string{"a"}) {
			t.Errorf("nodes %v", paths)
		}
	case "consolidated-traversal":
		for _, p := range paths {
			if p != "fine" && p != "__reserved" {
				t.Errorf("node %q", p)
			}
		}
		for _, p := range []string{"../escape", "/abs", "..", "a/../../b"} {
			if n, err := g.Open(ctx, p); err == nil {
				t.Errorf("%q opened as %s", p, n.URL())
			}
		}
	default:
		t.Errorf("opened as a group with %v", paths)
	}
	return nil
}

func TestNoLinkLeadsOutOfAStore(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making symbolic links needs rights that a test has not")
	}
	dir := t.TempDir()
	outside := filepath.Join(dir, "secret")
	check(t, os.WriteFile(outside, []byte{1, 0, 0, 0, 2, 0, 0, 0}, 0o666))
	a := must[*zarr.Array](t)(zarr.CreateArray(ctx, filepath.Join(dir, "s.zarr"), zarr.ArraySpec{
		Shape: []int{2}, Chunks: []int{2}, DataType: "int32", Codecs: json.RawMessage(littleBytes),
	}))
	defer a.Close()
	check(t, os.MkdirAll(filepath.Join(dir, "s.zarr", "c"), 0o777))
	check(t, os.Symlink(outside, filepath.Join(dir, "s.zarr", "c", "0")))
	got, err := zarr.Read[int32](ctx, a, zarr.All())
	if err == nil || errors.Is(err, store.ErrNotExist) {
		t.Errorf("read %v through a link, %v", got, err)
	}
	wantError(t, err, a.URL(), "c/0")
	// Writing replaces the link and leaves what it pointed to.
	if err := zarr.Write(ctx, a, zarr.All(), []int32{8, 9}); err == nil {
		if b := must[[]byte](t)(os.ReadFile(outside)); b[0] != 1 {
			t.Error("a write went through the link")
		}
	}
	// The whole folder of chunks as a link.
	check(t, os.RemoveAll(filepath.Join(dir, "s.zarr", "c")))
	check(t, os.Mkdir(filepath.Join(dir, "elsewhere"), 0o777))
	check(t, os.WriteFile(filepath.Join(dir, "elsewhere", "0"), make([]byte, 8), 0o666))
	check(t, os.Symlink(filepath.Join(dir, "elsewhere"), filepath.Join(dir, "s.zarr", "c")))
	if _, err := zarr.Read[int32](ctx, a, zarr.All()); err == nil {
		t.Error("read through a linked folder")
	}
	_ = zarr.Write(ctx, a, zarr.All(), []int32{8, 9})
	if b := must[[]byte](t)(os.ReadFile(filepath.Join(dir, "elsewhere", "0"))); b[0] != 0 {
		t.Error("a write went through a linked folder")
	}
}

func TestNoPartOfABrokenArrayIsReturned(t *testing.T) {
	a := newArray(t, zarr.ArraySpec{Shape: []int{4}, Chunks: []int{2}, DataType: "uint8", Codecs: json.RawMessage(`["bytes"]`)})
	check(t, zarr.Write(ctx, a, zarr.All(), []uint8{1, 2, 3, 4}))
	_, err := a.Store().Put(ctx, "a/c/1", []byte{1}, store.PutOptions{})
	check(t, err)
	got, err := zarr.Read[uint8](ctx, a, zarr.All())
	wantError(t, err, "c/1", "got 1 bytes, want 2")
	if got.Data != nil || got.Shape != nil {
		t.Errorf("an error and %v", got)
	}
	if v := nd.Make(1, 2); a.ReadInto(ctx, zarr.Slice("0:2"), v) != nil || v.Data[1] != 2 {
		t.Errorf("what is whole is %v", v.Data)
	}
}
