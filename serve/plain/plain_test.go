package plain_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/format/tiff/export"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/kind/std"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/serve/kept"
	"github.com/omnizarr/zarr/serve/plain"
	"github.com/omnizarr/zarr/serve/servetest"
	"github.com/omnizarr/zarr/serve/source"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// serve gives a source of what lies at a URL.
func serve(t testing.TB, url string) *source.Source {
	t.Helper()
	set := source.NewSet(source.Options{Kinds: std.Kinds()})
	t.Cleanup(func() { check(t, set.Close()) })
	s, err := set.Add("", url)
	check(t, err)
	return s
}

// given gives a source of a node.
func given(t testing.TB, n zarr.Node) *source.Source {
	t.Helper()
	set := source.NewSet(source.Options{Kinds: std.Kinds()})
	t.Cleanup(func() { check(t, set.Close()) })
	s, err := set.AddNode("given", n)
	check(t, err)
	return s
}

// shown shows a source.
func shown(t testing.TB, src plain.Nodes, opt plain.Options) *plain.Store {
	t.Helper()
	if opt.Cache == nil {
		c, err := kept.New(64<<20, "", 0)
		check(t, err)
		t.Cleanup(func() { check(t, c.Close()) })
		opt.Cache = c
	}
	s, err := plain.New(src, opt)
	check(t, err)
	return s
}

func get(t testing.TB, s store.Reader, key string) []byte {
	t.Helper()
	data, _, err := s.Get(t.Context(), key, store.All(), nil)
	if err != nil {
		t.Fatalf("%s: %v", key, err)
	}
	return data
}

// lookup gets a value that may be missing.
func lookup(t testing.TB, s store.Reader, key string) ([]byte, bool) {
	t.Helper()
	data, _, err := s.Get(t.Context(), key, store.All(), nil)
	if errors.Is(err, store.ErrNotExist) {
		return nil, false
	}
	check(t, err)
	return data, true
}

// raw are the elements of an array of numbers.
func raw(t testing.TB, a *zarr.Array) []byte {
	t.Helper()
	v, err := a.Make(a.Shape()...)
	check(t, err)
	check(t, a.ReadInto(t.Context(), zarr.All(), v))
	return v.Data
}

// values are the elements of an array as JSON, in C order.
func values(t testing.TB, a *zarr.Array) []string {
	t.Helper()
	v, err := a.Make(a.Shape()...)
	check(t, err)
	check(t, a.ReadInto(t.Context(), zarr.All(), v))
	var blobs nd.Blobs
	if v.Heap != nil {
		blobs = v.Heap.Blobs()
	}
	var out []string
	v.Each(func(elem []byte) {
		text, err := a.DataType().AppendValue(nil, elem, blobs)
		check(t, err)
		out = append(out, string(text))
	})
	return out
}

// nodes opens all nodes of a source, by their paths.
func nodes(t testing.TB, src plain.Nodes) map[string]zarr.Node {
	t.Helper()
	out := map[string]zarr.Node{}
	var walk func(at string)
	walk = func(at string) {
		n, err := src.Node(t.Context(), at)
		if errors.Is(err, zarr.ErrNoNode) {
			return
		}
		check(t, err)
		out[at] = n
		names, err := src.Names(t.Context(), at)
		check(t, err)
		for _, name := range names {
			walk(path.Join(at, name))
		}
	}
	walk("/")
	return out
}

// same checks that an array that is shown has the shape and the elements of another.
func same(t *testing.T, was, is *zarr.Array) {
	t.Helper()
	if !slices.Equal(was.Shape(), is.Shape()) {
		t.Errorf("%s: shape %v, want %v", was.URL(), is.Shape(), was.Shape())
		return
	}
	if dtype.Equal(was.DataType(), is.DataType()) && len(was.DataType().Refs()) == 0 && !bytes.Equal(was.FillValue(), is.FillValue()) {
		t.Errorf("%s: fill value %v, want %v", was.URL(), is.FillValue(), was.FillValue())
	}
	if dtype.Equal(was.DataType(), is.DataType()) && len(was.DataType().Refs()) == 0 {
		if !bytes.Equal(raw(t, was), raw(t, is)) {
			t.Errorf("%s: other elements", was.URL())
		}
		return
	}
	want, got := values(t, was), values(t, is)
	for i := range want {
		if want[i] != got[i] && !(is.DataType().Kind() == dtype.String && was.DataType().Kind() != dtype.String && unquoted(got[i]) == want[i]) {
			t.Errorf("%s: element %d of type %s is %s, want %s", was.URL(), i, is.DataType().Name(), got[i], want[i])
			return
		}
	}
}

// unquoted is the text in a JSON string that holds JSON.
func unquoted(text string) string {
	var out string
	if json.Unmarshal([]byte(text), &out) != nil {
		return ""
	}
	return out
}

// Every format reads back from either version as it is in the source, with and without
// consolidated metadata, and whatever codecs are asked for.
func TestEveryFormatReadsBack(t *testing.T) {
	dir := servetest.Samples(t)
	for _, name := range []string{"plain.zarr", "sub/old.zarr", "sub/cells.n5", "image.tif", "packed.zip", servetest.Session} {
		src := serve(t, filepath.Join(dir, name))
		want := nodes(t, src)
		if len(want) < 2 {
			t.Errorf("%s: only %d nodes", name, len(want))
		}
		options := []plain.Options{{Version: 3}, {Version: 2}, {Version: 3, Codecs: "gzip"}, {Version: 2, Codecs: "blosc"}, {Version: 3, Codecs: "none"}, {Version: 2, Codecs: "none"},
			{Version: 3, Codecs: `[{"name":"bytes","configuration":{"endian":"big"}},{"name":"crc32c"}]`}}
		if thorough.Least(name != "plain.zarr", name == servetest.Session, false) { // which is large
			options = options[:2]
		}
		for _, opt := range options {
			t.Run(fmt.Sprint(name, " v", opt.Version, " ", opt.Codecs), func(t *testing.T) {
				s := shown(t, src, opt)
				for _, open := range [][]zarr.Option{{zarr.As(fmt.Sprint("zarr", opt.Version))}, {zarr.As(fmt.Sprint("zarr", opt.Version)), zarr.BypassConsolidated()}} {
					root, err := zarr.OpenStore(t.Context(), s, "", open...)
					check(t, err)
					if g, ok := root.(*zarr.Group); ok && g.Consolidated() != (len(open) == 1) {
						t.Errorf("consolidated: %v", g.Consolidated())
					}
					found := 0
					for at, n := range want {
						got := root
						if at != "/" {
							got, err = root.(*zarr.Group).Open(t.Context(), strings.TrimPrefix(at, "/"))
							check(t, err)
						}
						found++
						if a, ok := n.(*zarr.Array); ok {
							same(t, a, got.(*zarr.Array))
						}
					}
					if g, ok := root.(*zarr.Group); ok {
						for _, err := range g.Walk(t.Context()) {
							check(t, err)
							found--
						}
						if found != 1 {
							t.Errorf("%d nodes are not found by a walk", found-1)
						}
					}
				}
			})
		}
	}
}

// Chunks whose codecs clients know are the bytes of the source, and ranges of them are
// ranges of the source: nothing is decoded.
func TestChunksPassThrough(t *testing.T) {
	dir := servetest.Samples(t)
	for _, c := range []struct {
		name, key, from string
		version         int
	}{
		{"plain.zarr", "a/c/0/0", "a/c/0/0", 3}, // a shard
		{"plain.zarr", "deep/b/c/0", "deep/b/c/0", 3},
		{"plain.zarr", "deep/b/0", "deep/b/c/0", 2},
		{"sub/old.zarr", "a/1.0", "a/1.0", 2},
		{"sub/old.zarr", "a/1.0", "a/1.0", 3}, // which says that it has keys of Zarr v2
		{"packed.zip", "a/c/0", "a/c/0", 3},
	} {
		src := serve(t, filepath.Join(dir, c.name))
		root, err := src.Node(t.Context(), "/")
		check(t, err)
		want := get(t, root.Store(), c.from)
		s := shown(t, src, plain.Options{Version: c.version})
		if got := get(t, s, c.key); !bytes.Equal(got, want) {
			t.Errorf("%s: %s as v%d is not what is stored", c.name, c.key, c.version)
		}
		_, stored, err := root.Store().Get(t.Context(), c.from, store.Suffix(0), nil)
		check(t, err)
		part, info, err := s.Get(t.Context(), c.key, store.Part(2, 3), nil)
		if err != nil || !bytes.Equal(part, want[2:5]) || info != stored {
			t.Errorf("%s: %s: %v %+v %v", c.name, c.key, part, info, err)
		}
		o, err := s.Open(t.Context(), c.key)
		check(t, err)
		direct, err := store.Open(t.Context(), root.Store(), c.from)
		check(t, err)
		if was, is := fmt.Sprintf("%T", direct), fmt.Sprintf("%T", o); was != is {
			t.Errorf("%s: %s is a %s, not a %s of the source", c.name, c.key, is, was)
		}
		check(t, o.Close())
		check(t, direct.Close())
	}
}

// counting counts how often chunks are read, and can fail.
type counting struct {
	store.Store
	reads atomic.Int64
	fail  atomic.Bool
}

func (c *counting) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	if strings.HasPrefix(key, "c/") {
		c.reads.Add(1)
		if c.fail.Load() {
			return dst, store.Info{}, errors.New("the disk is gone")
		}
	}
	return c.Store.Get(ctx, key, r, dst)
}

func (c *counting) Open(ctx context.Context, key string) (store.Object, error) {
	return store.Open(ctx, struct{ store.Reader }{c}, key)
}

// array makes an array in memory, and gives the store that it is in.
func array(t testing.TB, spec zarr.ArraySpec, fill func(i int) byte) (*zarr.Array, *counting) {
	t.Helper()
	s := &counting{Store: mem.New()}
	a, err := zarr.CreateArrayIn(t.Context(), s, "", spec)
	check(t, err)
	if fill != nil {
		v, err := a.Make(a.Shape()...)
		check(t, err)
		for i := range v.Data {
			v.Data[i] = fill(i)
		}
		check(t, a.WriteFrom(t.Context(), zarr.All(), v))
	}
	return a, s
}

const lz4 = `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"numcodecs.lz4"}]`

// A chunk is made once, however many ask for it; what is wrong in it is told, and not
// shown as fill values; and it is made again when it can be.
func TestChunksAreMadeOnce(t *testing.T) {
	a, s := array(t, zarr.ArraySpec{Shape: []int{300, 300}, DataType: "uint16", Chunks: []int{200, 300}, Codecs: []byte(lz4)}, func(i int) byte { return byte(i % 251) })
	p := shown(t, given(t, a), plain.Options{})
	s.reads.Store(0)
	s.fail.Store(true)
	if data, _, err := p.Get(t.Context(), "c/0/0", store.All(), nil); err == nil || errors.Is(err, store.ErrNotExist) || !strings.Contains(err.Error(), "the disk is gone") {
		t.Errorf("a chunk that cannot be read gave %d bytes and %v", len(data), err)
	}
	s.fail.Store(false)
	s.reads.Store(0)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if _, _, err := p.Get(t.Context(), "c/0/0", store.Suffix(10), nil); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := s.reads.Load(); n != 1 {
		t.Errorf("the chunk was read %d times", n)
	}
	_, info, err := p.Get(t.Context(), "c/0/0", store.Suffix(0), nil)
	whole := get(t, p, "c/0/0")
	if err != nil || info.Size != int64(len(whole)) || info.ETag == "" {
		t.Errorf("%+v, %v for %d bytes", info, err, len(whole))
	}
	// Bytes that do not decode.
	_, err = s.Store.Put(t.Context(), "c/1/0", []byte("no chunk"), store.PutOptions{})
	check(t, err)
	if _, _, err := p.Get(t.Context(), "c/1/0", store.All(), nil); !errors.Is(err, zarr.ErrData) {
		t.Errorf("a damaged chunk gave %v", err)
	}
}

// What is not stored, and what holds nothing but the fill value, is not there; so is what
// lies outside of the array, and what is no key.
func TestMissingChunks(t *testing.T) {
	a, s := array(t, zarr.ArraySpec{Shape: []int{600, 300}, DataType: "uint16", Chunks: []int{200, 300}, Codecs: []byte(lz4), FillValue: []byte("7")}, nil)
	v, err := a.Make(200, 300)
	check(t, err)
	v.Each(func(elem []byte) { elem[0] = 7 })
	check(t, a.WriteFrom(t.Context(), zarr.Box([]int{200, 0}, []int{200, 300}), v))
	v.Data[0] = 8
	check(t, a.WriteFrom(t.Context(), zarr.Box([]int{400, 0}, []int{200, 300}), v))
	s.reads.Store(0)
	for version, missing := range map[int][]string{
		3: {"c/0/0", "c/1/0", "c/3/0", "c/0", "c/0/0/0", "c/00/0", "c/-1/0", "c", "x", "c/x/0", "0.0", "2.0", "2/0", ".zarray", ".zattrs", ".zgroup", ".zmetadata", "a/zarr.json", "c/2/0/zarr.json", "../zarr.json"},
		2: {"0/0", "1/0", "3/0", "2.0", "2", "zarr.json", ".zgroup", ".zmetadata", "c/2/0", "2/0/.zarray"},
	} {
		p := shown(t, given(t, a), plain.Options{Version: version})
		for _, key := range missing {
			if _, _, err := p.Get(t.Context(), key, store.All(), nil); !errors.Is(err, store.ErrNotExist) && !(strings.HasPrefix(key, "..") && errors.Is(err, store.ErrBadKey)) {
				t.Errorf("v%d: %s gave %v", version, key, err)
			}
		}
		get(t, p, map[int]string{3: "c/2/0", 2: "2/0"}[version])
		n, err := zarr.OpenStore(t.Context(), p, "")
		check(t, err)
		same(t, a, n.(*zarr.Array))
	}
}

// With pyramids an image is a group of levels, the finest of which is what is stored; other
// nodes stay as they are.
func TestPyramids(t *testing.T) {
	a, _ := array(t, zarr.ArraySpec{Shape: []int{700, 600}, DataType: "uint8", Chunks: []int{128, 128}, DimensionNames: []string{"y", "x"}}, func(i int) byte { return byte(i/600 + i%600) })
	cache, err := kept.New(64<<20, "", 0)
	check(t, err)
	defer cache.Close()
	for _, version := range []int{3, 2} {
		s := shown(t, plain.Pyramids(given(t, a), cache), plain.Options{Version: version})
		n, err := zarr.OpenStore(t.Context(), s, "")
		check(t, err)
		g := n.(*zarr.Group)
		m, err := ngff.Read(g.Attributes())
		check(t, err)
		if want := map[int]string{3: "0.5", 2: "0.4"}[version]; m.Version != want || len(m.Images[0].Levels) != 3 || m.OMERO == nil || len(m.OMERO.Channels) != 1 {
			t.Errorf("v%d: %+v", version, m)
		}
		for i, want := range [][]int{{700, 600}, {350, 300}, {175, 150}} {
			level, err := g.Array(t.Context(), fmt.Sprint(i))
			check(t, err)
			if !slices.Equal(level.Shape(), want) {
				t.Errorf("v%d: level %d has shape %v", version, i, level.Shape())
			}
			if data := raw(t, level); i == 0 && !bytes.Equal(data, raw(t, a)) {
				t.Errorf("v%d: the finest level is not the array", version)
			} else if i == 1 && data[1] != 3 { // of 0+2+1, 0+3+1 and so on
				t.Errorf("v%d: level 1 begins with %v", version, data[:4])
			}
		}
		key := map[int]string{3: "0/c/1/1", 2: "0/1/1"}[version]
		if !bytes.Equal(get(t, s, key), get(t, a.Store(), "c/1/1")) {
			t.Errorf("v%d: chunks of the finest level do not pass through", version)
		}
		if _, _, err := s.Get(t.Context(), "3/zarr.json", store.All(), nil); !errors.Is(err, store.ErrNotExist) {
			t.Errorf("v%d: a level too many: %v", version, err)
		}
	}
	dir := servetest.Samples(t)
	for _, name := range []string{"plain.zarr", "image.tif", servetest.Session} {
		src := serve(t, filepath.Join(dir, name))
		s := shown(t, plain.Pyramids(src, cache), plain.Options{})
		root, err := zarr.OpenStore(t.Context(), s, "")
		check(t, err)
		for at, n := range nodes(t, src) {
			if a, ok := n.(*zarr.Array); ok {
				is, err := root.(*zarr.Group).Array(t.Context(), strings.TrimPrefix(at, "/"))
				check(t, err)
				same(t, a, is)
			}
		}
	}
}

// A chunk that is huge is cut, and decoded once for all its parts; tiny ones are joined.
func TestGrids(t *testing.T) {
	a, s := array(t, zarr.ArraySpec{Shape: []int{5800, 5801}, DataType: "uint8", Chunks: []int{5800, 5801}, Codecs: []byte(lz4)}, nil)
	var data []byte
	for i := 0; len(data) < 5800*5801; i++ {
		data = append(data, bytes.Repeat([]byte{byte(i)}, 4096)...)
	}
	check(t, zarr.Write(t.Context(), a, zarr.All(), data[:5800*5801]))
	cache, err := kept.New(64<<20, "", 0)
	check(t, err)
	defer cache.Close()
	p := shown(t, given(t, a), plain.Options{Cache: cache})
	n, err := zarr.OpenStore(t.Context(), p, "")
	check(t, err)
	is := n.(*zarr.Array)
	if chunks := is.ChunkShape(); chunks[0]*chunks[1] > 2<<20 || chunks[0]*chunks[1] < 1<<20 {
		t.Errorf("chunks %v", chunks)
	}
	s.reads.Store(0)
	same(t, a, is)
	if n := s.reads.Load(); n > 3 { // one of them by same itself
		t.Errorf("the chunk was read %d times", n)
	}

	for _, c := range []struct{ shape, chunks, want []int }{
		{[]int{3, 1000, 2000}, []int{3, 1, 2000}, []int{3, 128, 2000}},
		{[]int{100, 500, 2000}, []int{1, 8, 2000}, []int{1, 500, 2000}},
		{[]int{64, 64, 64}, []int{16, 16, 16}, []int{64, 64, 64}},
		{[]int{1 << 20}, []int{100}, []int{25600}},
		{[]int{70, 90}, []int{32, 32}, []int{70, 90}},
		{[]int{1000, 1000}, []int{500, 500}, []int{500, 500}},
		{[]int{5}, []int{1000}, []int{1000}},
	} {
		a, _ := array(t, zarr.ArraySpec{Shape: c.shape, DataType: "uint8", Chunks: c.chunks, Codecs: []byte(lz4)}, nil)
		n, err := zarr.OpenStore(t.Context(), shown(t, given(t, a), plain.Options{}), "")
		check(t, err)
		if got := n.(*zarr.Array).ChunkShape(); !slices.Equal(got, c.want) {
			t.Errorf("shape %v, chunks %v became %v, want %v", c.shape, c.chunks, got, c.want)
		}
	}
}

// A chunk that somebody changes on disk is made anew, and has another tag.
func TestChangesAreSeen(t *testing.T) {
	url := filepath.Join(t.TempDir(), "a.zarr")
	a, err := zarr.CreateArray(t.Context(), url, zarr.ArraySpec{Shape: []int{600}, DataType: "uint8", Codecs: []byte(lz4), Chunks: []int{300}})
	check(t, err)
	defer a.Close()
	s := shown(t, serve(t, url), plain.Options{})
	var tags []string
	for i := range 3 {
		data := bytes.Repeat([]byte{byte(i + 1)}, 600)
		check(t, zarr.Write(t.Context(), a, zarr.All(), data))
		n, err := zarr.OpenStore(t.Context(), s, "")
		check(t, err)
		if got := raw(t, n.(*zarr.Array)); got[0] != data[0] {
			t.Errorf("%d: elements are those of %d", i, got[0])
		}
		_, info, err := s.Get(t.Context(), "c/0", store.Suffix(0), nil)
		check(t, err)
		tags = append(tags, info.ETag)
	}
	if slices.Sort(tags); len(slices.Compact(tags)) != 3 {
		t.Errorf("tags: %v", tags)
	}
}

// Pictures in JPEG are decoded much faster than they are compressed again: zstd holds them
// as they are, unless it is asked to compress.
func TestPicturesAreNotCompressedAgain(t *testing.T) {
	a, _ := array(t, zarr.ArraySpec{Shape: []int{3, 300, 400}, DataType: "uint8", DimensionNames: []string{"c", "y", "x"}}, func(i int) byte { return byte(i % 400 / 2) })
	url := filepath.Join(t.TempDir(), "photo.tif")
	_, err := copying.Copy(t.Context(), a, url, copying.Options{To: export.Format{Compression: "jpeg"}, Chunks: []int{3, 256, 256}, Lossy: true})
	check(t, err)
	src := serve(t, url)
	n, err := src.Node(t.Context(), "/")
	check(t, err)
	size := 1
	for _, length := range n.(*zarr.Array).ChunkShape() {
		size *= length
	}
	for codecs, most := range map[string]int{"": size + 64, "zstd": size / 4} {
		s := shown(t, src, plain.Options{Codecs: codecs})
		is, err := zarr.OpenStore(t.Context(), s, "")
		check(t, err)
		same(t, n.(*zarr.Array), is.(*zarr.Array))
		chunk := get(t, s, "c/0/0/0")
		if len(chunk) > most || codecs == "" && len(chunk) < size || string(chunk[:4]) != "\x28\xb5\x2f\xfd" {
			t.Errorf("%q: a chunk of %d elements has %d bytes", codecs, size, len(chunk))
		}
	}
}
