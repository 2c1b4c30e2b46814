package hdf5_test

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format"
	show "github.com/omnizarr/zarr/format/hdf5"
	"github.com/omnizarr/zarr/hdf5"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
	"github.com/omnizarr/zarr/store/refs"
)

var ctx = context.Background()

func check(t testing.TB, err error) {
	if err != nil {
		t.Helper() // which looks at the stack, and takes longer than most of what is checked
		t.Fatal(err)
	}
}

// archive gives the files of an archive of package hdf5, unpacked once.
func archive(t testing.TB, name string) map[string][]byte {
	t.Helper()
	files, err := unpack(name)()
	check(t, err)
	return files
}

var unpacked sync.Map

func unpack(name string) func() (map[string][]byte, error) {
	f, _ := unpacked.LoadOrStore(name, sync.OnceValues(func() (map[string][]byte, error) {
		plain, err := decompress(filepath.Join("testdata", name))
		if errors.Is(err, fs.ErrNotExist) {
			plain, err = decompress(filepath.Join("..", "..", "hdf5", "testdata", name))
		}
		if err != nil {
			return nil, err
		}
		files := map[string][]byte{}
		for r := tar.NewReader(bytes.NewReader(plain)); ; {
			h, err := r.Next()
			if err == io.EOF {
				return files, nil
			}
			if err != nil {
				return nil, err
			}
			files[h.Name] = make([]byte, h.Size)
			if _, err = io.ReadFull(r, files[h.Name]); err != nil {
				return nil, err
			}
		}
	}))
	return f.(func() (map[string][]byte, error))
}

// decompress gives what a file holds that zstd packed.
func decompress(name string) ([]byte, error) {
	packed, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.DecodeAll(packed, nil)
}

// fixtures are files and what h5py sees in them. OMNIZARR_HDF5 may name a folder
// that has more.
func fixtures(t testing.TB) map[string][]byte {
	t.Helper()
	dir := os.Getenv("OMNIZARR_HDF5")
	if dir == "" {
		return archive(t, "files.tar.zst")
	}
	files := map[string][]byte{}
	all, err := os.ReadDir(dir)
	check(t, err)
	for _, e := range all {
		files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name()))
		check(t, err)
	}
	return files
}

// beside lets files be opened that lie beside the first.
type beside struct{ store.Store }

func (b beside) Open(ctx context.Context, r refs.Reference) (store.Object, error) {
	if strings.HasPrefix(r.URL, "/") || strings.Contains(r.URL, "..") {
		return nil, fmt.Errorf("%s lies outside, which is not allowed", r.URL)
	}
	return store.Open(ctx, b.Store, strings.TrimPrefix(r.URL, "./"))
}

func (b beside) Resolve(_ context.Context, url string) (string, error) { return url, nil }
func (b beside) Close() error                                          { return nil }

// open shows a file as a store.
func open(files map[string][]byte, name string, opts ...format.Option) (*show.Store, error) {
	s := mem.New()
	for other, b := range files {
		kind, _, _ := strings.Cut(name, "-")
		refers := kind == "vds" || kind == "external" || kind == "links"
		if other != name && !(refers && (strings.HasPrefix(other, kind) || other == "target.h5")) { // which none refers to
			continue
		}
		if _, err := s.Put(ctx, other, b, store.PutOptions{}); err != nil {
			return nil, err
		}
	}
	env := format.Env{Options: opts, Files: func(s store.Store, _ string) format.Files { return beside{s} }}
	return show.Open(ctx, s, name, env)
}

type object struct {
	Kind    string
	Space   string
	Shape   []uint64
	DType   string
	Chunks  []uint64
	Filters []struct{ ID int }
	SHA     string `json:"sha256"`
	Raw     string `json:"raw_sha256"`
	Error   string `json:"h5py_error"`
	Note    string
	Values  json.RawMessage
}

var spelt = strings.NewReplacer("\\", "%5C", "%2F", "%252F")

// keyed spells a path of the fixtures as one of the hierarchy.
func keyed(path string) (string, bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	for i, p := range parts {
		switch {
		case p == "":
		case strings.HasPrefix(p, "$bytes:"):
			return "", false
		case p == "c" || p == "zarr.json" || strings.Trim(p, ".") == "":
			parts[i] = fmt.Sprintf("%%%02X%s", p[0], p[1:])
		default:
			parts[i] = spelt.Replace(p)
		}
	}
	return strings.Join(parts, "/"), true
}

func TestFixtures(t *testing.T) {
	files := fixtures(t)
	var names []string
	for name := range files {
		if doc, ok := strings.CutSuffix(name, ".expected.json"); ok {
			names = append(names, doc)
		}
	}
	slices.Sort(names)
	all, right, values, unread := 0, 0, 0, 0
	for i, name := range names {
		if i%thorough.Least(4, 1, 1) != 0 {
			continue
		}
		var e struct{ Objects map[string]object }
		check(t, json.Unmarshal(files[name+".expected.json"], &e))
		s, err := open(files, name, show.AsStored)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		data := files[name]
		f, err := hdf5.Open(bytes.NewReader(data), int64(len(data)), hdf5.Options{})
		check(t, err)
		for path, o := range e.Objects {
			key, ok := keyed(path)
			if !ok || o.Kind != "dataset" && o.Kind != "group" {
				continue
			}
			fail := func(format string, args ...any) {
				t.Errorf("%s %s: %s", name, path, fmt.Sprintf(format, args...))
			}
			n, err := zarr.OpenStore(ctx, s, key)
			if err != nil {
				fail("%v", err)
				continue
			}
			if o.Kind == "group" {
				if _, ok := n.(*zarr.Group); !ok {
					fail("is no group")
				}
				continue
			}
			all++
			a, ok := n.(*zarr.Array)
			if !ok {
				fail("is no array")
				continue
			}
			got, err := compare(f, a, path, o)
			switch {
			case err != nil:
				fail("%v", err)
			case got == "unread":
				unread++
				right++
			case got == "values":
				values++
				right++
			default:
				right++
			}
		}
		check(t, f.Close())
		check(t, s.Close())
	}
	t.Logf("%d files, %d datasets, %d right, values of %d, codecs missing of %d", len(names), all, right, values, unread)
	if all == 0 || right != all {
		t.Errorf("%d of %d datasets are wrong", all-right, all)
	}
}

// known are the filters that codecs undo.
var known = map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 307: true, 32015: true, 32001: true, 32000: true, 32004: true, 32008: true, 32026: true}

func compare(f *hdf5.File, a *zarr.Array, path string, o object) (string, error) {
	shape := o.Shape
	if o.Space == "null" {
		shape = []uint64{0}
	}
	for i, n := range a.Shape() {
		if i >= len(shape) || uint64(n) != shape[i] || len(shape) != len(a.Shape()) {
			return "", fmt.Errorf("shape %d, not %d", a.Shape(), shape)
		}
	}
	chunks := uint64(1)
	for i, n := range o.Chunks {
		if uint64(a.ChunkShape()[i]) != n {
			return "", fmt.Errorf("chunks %d, not %d", a.ChunkShape(), o.Chunks)
		}
		chunks *= (shape[i] + n - 1) / n
	}
	if chunks > 20_000 && !thorough.Enabled {
		return "", nil // package hdf5 reads these indexes whole; here it is done as for shorter ones
	}
	if o.SHA == "" || o.Error != "" || o.Space == "null" || strings.Contains(path, "time_never") || strings.Contains(o.Note, "as h5py has it") {
		return "", nil
	}
	for _, x := range o.Filters {
		if !known[x.ID] {
			return "unread", nil
		}
	}
	x, err := f.Lookup(path)
	if err != nil {
		return "", err
	}
	d, err := x.Dataset()
	if err != nil {
		return "", err
	}
	var b []byte
	switch a.DataType().Name() {
	case "string":
		list, err := zarr.Read[string](ctx, a, zarr.All())
		if bytes.Contains(o.Values, []byte("$dangling")) || bytes.Contains(o.Values, []byte("$bytes")) {
			if err == nil {
				return "", errors.New("a reference to nothing, or text that is none, is no error")
			}
			return "", nil
		}
		if err != nil {
			return "", err
		}
		if d.Type.Class == hdf5.Reference {
			return "", samePaths(list.Data, o.Values)
		}
		for _, s := range list.Data {
			b = append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
		}
	case "omnizarr.json", "omnizarr.list":
		list, err := zarr.Read[json.RawMessage](ctx, a, zarr.All())
		if err != nil {
			return "", err
		}
		return "", sameJSON(list.Data, o.Values)
	default:
		v := nd.Make(a.DataType().Size(), a.Shape()...)
		if err := a.ReadInto(ctx, zarr.All(), v); err != nil {
			return "", err
		}
		mem := v.Data
		for len(mem) > 0 {
			if b, mem, err = canonical(b, d.Type, mem); err != nil {
				return "", err
			}
		}
	}
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != o.SHA {
		return "", fmt.Errorf("values of %s differ: %.100x, not %.100s", a.DataType().Name(), b, o.Values)
	}
	return "values", nil
}

// canonical appends an element in memory as the digests have it, and gives what
// follows it.
func canonical(dst []byte, t *hdf5.Type, mem []byte) ([]byte, []byte, error) {
	take := func(n int) ([]byte, []byte, error) { return append(dst, mem[:n]...), mem[n:], nil }
	var err error
	switch t.Class {
	case hdf5.Compound:
		for _, m := range t.Members {
			if dst, mem, err = canonical(dst, m.Type, mem); err != nil {
				return dst, mem, err
			}
		}
		return dst, mem, nil
	case hdf5.Array:
		for range t.Len() {
			if dst, mem, err = canonical(dst, t.Base, mem); err != nil {
				return dst, mem, err
			}
		}
		return dst, mem, nil
	case hdf5.Enum:
		return canonical(dst, t.Base, mem)
	case hdf5.String:
		s := bytes.TrimRight(mem[:t.Size], "\x00")
		return append(binary.LittleEndian.AppendUint32(dst, uint32(len(s))), s...), mem[t.Size:], nil
	case hdf5.Reference: // the path in UTF-32
		const wide = 4 * 512
		text := "null"
		if path := bytes.ReplaceAll(bytes.TrimRight(mem[:wide], "\x00"), []byte("\x00"), nil); len(path) > 0 {
			text = fmt.Sprintf(`{"$ref":%q}`, path)
		}
		return append(binary.LittleEndian.AppendUint32(dst, uint32(len(text))), text...), mem[wide:], nil
	case hdf5.Float:
		if !t.IEEE() && (t.Size != 4 || t.Order == hdf5.VAX) {
			return take(8)
		}
	case hdf5.Integer:
		if t.Size == 3 {
			return take(4)
		}
	}
	return take(t.Size)
}

// samePaths compares references.
func samePaths(got []string, values json.RawMessage) error {
	if values == nil {
		return nil
	}
	var want []*struct {
		Path string `json:"$ref"`
	}
	if err := json.Unmarshal(values, &want); err != nil {
		return err
	}
	for i, w := range want {
		path := ""
		if w != nil {
			path = w.Path
		}
		if got[i] != path {
			return fmt.Errorf("reference %d leads to %q, not %q", i, got[i], path)
		}
	}
	return nil
}

// sameJSON compares values that have the same form in the fixtures: sequences of
// numbers and text.
func sameJSON(got []json.RawMessage, values json.RawMessage) error {
	if values == nil || bytes.Contains(values, []byte(`"$`)) {
		return nil
	}
	var want []any
	if err := json.Unmarshal(values, &want); err != nil {
		return err
	}
	for i, w := range want {
		var g any
		if err := json.Unmarshal(got[i], &g); err != nil {
			return err
		}
		if !reflect.DeepEqual(g, w) {
			return fmt.Errorf("element %d is %s, not %v", i, got[i], w)
		}
	}
	return nil
}
