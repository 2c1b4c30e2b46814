package plain_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/serve/plain"
	"github.com/omnizarr/zarr/serve/servetest"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

func attributes(t testing.TB, text string) *meta.Attributes {
	t.Helper()
	a, err := meta.ParseAttributes([]byte(text))
	check(t, err)
	return a
}

const multiscales04 = `{"multiscales":[{"version":"0.4","axes":[{"name":"y","type":"space"},{"name":"x","type":"space"}],"datasets":[{"path":"0","coordinateTransformations":[{"type":"scale","scale":[1,1]}]}]}],"mine":{"kept":9007199254740993}}`

// What OME-NGFF and xarray say goes by the version of Zarr; other attributes stay as they are.
func TestConventionsFollowTheVersion(t *testing.T) {
	s := mem.New()
	g, err := zarr.CreateGroupIn(t.Context(), s, "", zarr.As("zarr2"))
	check(t, err)
	check(t, g.SetAttributes(t.Context(), attributes(t, multiscales04)))
	a, err := g.CreateArray(t.Context(), "0", zarr.ArraySpec{Shape: []int{4, 4}, DataType: "float32", FillValue: []byte("-1"), Attributes: attributes(t, `{"_ARRAY_DIMENSIONS":["y","x"],"units":"K"}`)})
	check(t, err)
	check(t, zarr.Write(t.Context(), a, zarr.All(), servetest.Counting[float32](16)))
	bare, err := g.CreateArray(t.Context(), "bare", zarr.ArraySpec{Shape: []int{4, 4}, DataType: "uint8"})
	check(t, err)
	check(t, zarr.Write(t.Context(), bare, zarr.All(), servetest.Counting[uint8](16)))

	src := given(t, g)
	three := shown(t, src, plain.Options{Version: 3})
	var root struct {
		Attributes struct {
			OME         struct{ Version string }
			Multiscales any
			Mine        struct{ Kept json.Number }
		}
		Consolidated struct {
			Metadata map[string]struct {
				Names      []string `json:"dimension_names"`
				Attributes map[string]any
			}
		} `json:"consolidated_metadata"`
	}
	check(t, json.Unmarshal(get(t, three, "zarr.json"), &root))
	level := root.Consolidated.Metadata["0"]
	if root.Attributes.OME.Version != "0.5" || root.Attributes.Multiscales != nil || root.Attributes.Mine.Kept != "9007199254740993" ||
		!slices.Equal(level.Names, []string{"y", "x"}) || level.Attributes["_FillValue"] != "AAAAAAAA8L8=" || level.Attributes["units"] != "K" || level.Attributes["_ARRAY_DIMENSIONS"] != nil {
		t.Errorf("as v3: %+v", root)
	}
	two := shown(t, src, plain.Options{Version: 2})
	var old struct {
		Metadata map[string]map[string]any
		Format   int `json:"zarr_consolidated_format"`
	}
	check(t, json.Unmarshal(get(t, two, ".zmetadata"), &old))
	if old.Format != 1 || len(old.Metadata) != 6 || old.Metadata[".zattrs"]["multiscales"] == nil || old.Metadata[".zattrs"]["ome"] != nil ||
		fmt.Sprint(old.Metadata["0/.zattrs"]["_ARRAY_DIMENSIONS"]) != "[y x]" || old.Metadata["0/.zarray"]["fill_value"] != -1.0 {
		t.Errorf("as v2: %+v", old)
	}

	// The other way: what a copy in Zarr v3 says becomes what Zarr v2 says.
	again := mem.New()
	g3, err := zarr.CreateGroupIn(t.Context(), again, "")
	check(t, err)
	check(t, g3.SetAttributes(t.Context(), attributes(t, `{"ome":{"version":"0.5","multiscales":[{"axes":[{"name":"y","type":"space"},{"name":"x","type":"space"}],"datasets":[{"path":"0","coordinateTransformations":[{"type":"scale","scale":[1,1]}]}]}]}}`)))
	_, err = g3.CreateArray(t.Context(), "0", zarr.ArraySpec{Shape: []int{4, 4}, DataType: "uint8", DimensionNames: []string{"y", "x"}})
	check(t, err)
	two = shown(t, given(t, g3), plain.Options{Version: 2})
	m, err := ngff.Read(attributes(t, string(get(t, two, ".zattrs"))))
	check(t, err)
	if m.Version != "0.4" || !strings.Contains(string(get(t, two, "0/.zattrs")), `"_ARRAY_DIMENSIONS"`) || !strings.Contains(string(get(t, two, "0/.zarray")), `"dimension_separator": "/"`) {
		t.Errorf("as v2: %+v", m)
	}
}

// Images of other formats say how their channels are shown, and call their axis c.
func TestImagesOfOtherFormats(t *testing.T) {
	src := serve(t, filepath.Join(servetest.Samples(t), "image.tif"))
	for version, name := range map[int]string{3: "zarr.json", 2: ".zattrs"} {
		s := shown(t, src, plain.Options{Version: version})
		text := get(t, s, name)
		if version == 3 {
			var doc struct{ Attributes json.RawMessage }
			check(t, json.Unmarshal(text, &doc))
			text = doc.Attributes
		}
		m, err := ngff.Read(attributes(t, string(text)))
		check(t, err)
		if m.OMERO == nil || len(m.OMERO.Channels) != 1 || m.OMERO.Channels[0].Window == nil || m.OMERO.Channels[0].Window.End != 255 || m.OMERO.Channels[0].Color == nil || len(m.Images[0].Levels) != 3 {
			t.Errorf("v%d: %+v", version, m)
		}
	}
}

// An array of Zarr v2 whose chunks pass through has its own documents beside zarr.json, and
// both tell of the same chunks; one whose chunks are written anew has not.
func TestDocumentsOfZarr2BesideZarr3(t *testing.T) {
	s := mem.New()
	g, err := zarr.CreateGroupIn(t.Context(), s, "", zarr.As("zarr2"))
	check(t, err)
	for name, codecs := range map[string]string{"known": `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"zstd","configuration":{"level":1}}]`, "foreign": lz4} {
		a, err := g.CreateArray(t.Context(), name, zarr.ArraySpec{Shape: []int{4, 4}, DataType: "uint16", Chunks: []int{2, 2}, Codecs: []byte(codecs)})
		check(t, err)
		check(t, zarr.Write(t.Context(), a, zarr.All(), servetest.Counting[uint16](16)))
	}
	p := shown(t, given(t, g), plain.Options{})
	for _, key := range []string{"known/.zarray", "known/.zattrs", "known/0.1", "known/zarr.json", "foreign/zarr.json", "foreign/c/0/0"} {
		get(t, p, key)
	}
	for _, key := range []string{".zgroup", ".zattrs", ".zmetadata", "known/.zgroup", "known/c/0/1", "known/0/1", "foreign/.zarray", "foreign/.zattrs", "foreign/0.1"} {
		if _, ok := lookup(t, p, key); ok {
			t.Errorf("there is %s", key)
		}
	}
	for _, as := range []string{"zarr2", "zarr3"} {
		n, err := zarr.OpenStore(t.Context(), p, "known", zarr.As(as))
		check(t, err)
		was, err := g.Array(t.Context(), "known")
		check(t, err)
		same(t, was, n.(*zarr.Array))
	}
}

// asked counts how often nodes are asked for.
type asked struct {
	plain.Nodes
	nodes atomic.Int64
}

func (a *asked) Node(ctx context.Context, at string) (zarr.Node, error) {
	a.nodes.Add(1)
	return a.Nodes.Node(ctx, at)
}

// A hierarchy with many nodes is not looked through: there is no consolidated metadata, and
// opening it costs as much as ever.
func TestManyNodesAreNotConsolidated(t *testing.T) {
	s := mem.New()
	g, err := zarr.CreateGroupIn(t.Context(), s, "")
	check(t, err)
	_, err = g.CreateGroup(t.Context(), "few/one")
	check(t, err)
	for i := range 1001 {
		_, err := s.Put(t.Context(), fmt.Sprintf("many/g%d/zarr.json", i), []byte(`{"zarr_format":3,"node_type":"group"}`), store.PutOptions{})
		check(t, err)
	}
	_, err = s.Put(t.Context(), "many/zarr.json", []byte(`{"zarr_format":3,"node_type":"group"}`), store.PutOptions{})
	check(t, err)
	for version, name := range map[int]string{3: "zarr.json", 2: ".zmetadata"} {
		src := &asked{Nodes: given(t, g)}
		p := shown(t, src, plain.Options{Version: version})
		for _, at := range []string{"", "many/"} {
			text, ok := lookup(t, p, at+name)
			if version == 2 && ok || strings.Contains(string(text), "consolidated_metadata") {
				t.Errorf("v%d: %q is consolidated", version, at)
			}
		}
		text, ok := lookup(t, p, "few/"+name)
		if version == 3 && !strings.Contains(string(text), `"one"`) || !ok {
			t.Errorf("v%d: what is small is not consolidated: %s", version, text)
		}
		if n := src.nodes.Load(); n > 20 {
			t.Errorf("v%d: %d nodes were asked for", version, n)
		}
		n := 0
		for e, err := range p.List(t.Context(), "many/", "/") {
			check(t, err)
			n++
			_ = e
		}
		if n != map[int]int{3: 1002, 2: 1003}[version] {
			t.Errorf("v%d: %d names are listed", version, n)
		}
	}
}

// A folder of stores is a group whose stores are opened one by one.
func TestFolderOfStores(t *testing.T) {
	src := &asked{Nodes: serve(t, servetest.Samples(t))}
	for _, nodes := range []plain.Nodes{src, plain.Pyramids(src, nil)} {
		p := shown(t, nodes, plain.Options{})
		if text := get(t, p, "zarr.json"); strings.Contains(string(text), "consolidated") {
			t.Errorf("a folder is consolidated: %s", text)
		}
		if n := src.nodes.Load(); n > 4 {
			t.Errorf("%d nodes were opened", n)
		}
		if got := list(t, p, "", "/"); !strings.Contains(got, "image.tif/ ") || !strings.Contains(got, "sub/ ") || !strings.HasSuffix(got, " zarr.json") {
			t.Errorf("listed: %s", got)
		}
		for _, key := range []string{"plain.zarr/zarr.json", "sub/old.zarr/zarr.json", "image.tif/zarr.json"} {
			if text := get(t, p, key); !strings.Contains(string(text), "consolidated") {
				t.Errorf("%s is not consolidated", key)
			}
		}
		get(t, p, "sub/cells.n5/s0/c/0/0")
		get(t, p, "sub/old.zarr/a/0.0")
		src.nodes.Store(0)
	}
}

func TestList(t *testing.T) {
	src := serve(t, filepath.Join(servetest.Samples(t), "plain.zarr"))
	for version, want := range map[int]map[string]string{
		3: {"": "a/ deep/ zarr.json", "a/": "a/c/ a/zarr.json", "a/c/": "a/c/0/ a/c/1/", "a/c/1/": "a/c/1/0", "deep/": "deep/b/ deep/zarr.json", "nothing/": "", "a/c/7/": "", "a/x/": ""},
		2: {"": ".zattrs .zgroup a/ deep/", "a/": "a/.zarray a/.zattrs a/0/", "a/0/": "a/0/0", "deep/b/": "deep/b/.zarray deep/b/.zattrs deep/b/0"},
	} {
		s := shown(t, src, plain.Options{Version: version})
		for prefix, want := range want {
			if got := list(t, s, prefix, "/"); got != want {
				t.Errorf("v%d: below %q: %s, want %s", version, prefix, got, want)
			}
		}
		all := strings.Fields(list(t, s, "", ""))
		if !slices.IsSorted(all) || len(all) != map[int]int{3: 4 + 2 + 1, 2: 2 + 3 + 2 + 3}[version] {
			t.Errorf("v%d: all: %v", version, all)
		}
		for _, key := range all {
			get(t, s, key)
		}
	}
}

func list(t testing.TB, s store.Reader, prefix, delimiter string) string {
	t.Helper()
	var keys []string
	for e, err := range s.List(t.Context(), prefix, delimiter) {
		check(t, err)
		if e.IsPrefix != strings.HasSuffix(e.Key, "/") {
			t.Errorf("%+v", e)
		}
		keys = append(keys, e.Key)
	}
	return strings.Join(keys, " ")
}

func TestReadOnlyAndWrongOptions(t *testing.T) {
	a, _ := array(t, zarr.ArraySpec{Shape: []int{4}, DataType: "uint8"}, nil)
	src := given(t, a)
	s := shown(t, src, plain.Options{})
	if _, err := s.Put(t.Context(), "c/0", nil, store.PutOptions{}); !errors.Is(err, store.ErrReadOnly) {
		t.Error(err)
	}
	if err := s.Delete(t.Context(), "c/0"); !errors.Is(err, store.ErrReadOnly) {
		t.Error(err)
	}
	for _, o := range []plain.Options{{Version: 1}, {Codecs: "zip"}, {Codecs: "[1]"}, {Codecs: "[]"}, {Codecs: `[{"name":"nobody-has-it"}]`}} {
		if _, err := plain.New(src, o); err == nil {
			t.Errorf("%+v is no error", o)
		}
	}
}
