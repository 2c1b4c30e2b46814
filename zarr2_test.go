package zarr_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
	"github.com/omnizarr/zarr/store/mem"
)

// readKey is a value of a store as text, "" if there is none.
func readKey(s store.Store, key string) string {
	text, _, err := s.Get(ctx, key, store.All(), nil)
	if err != nil {
		return ""
	}
	return string(text)
}

func TestZarr2ArraysAreMadeAndRead(t *testing.T) {
	for _, c := range []struct{ typ, codecs, member string }{
		{"int32", `["bytes"]`, ""},
		{"int32", `[{"name":"bytes","configuration":{"endian":"little"}}]`, `"dtype": "<i4"`},
		{"uint16", `[{"name":"bytes","configuration":{"endian":"big"}},"gzip"]`, `"id": "gzip"`},
		{"float64", `[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"bytes","configuration":{"endian":"little"}},"zstd"]`, `"order": "F"`},
		{"complex64", "", `"dtype": "<c8"`},
		{"bool", "", `"dtype": "|b1"`},
		{`{"name":"numpy.datetime64","configuration":{"unit":"ns","scale_factor":1}}`, "", `"dtype": "<M8[ns]"`},
		{`{"name":"fixed_length_utf32","configuration":{"length_bytes":12}}`, "", `"dtype": "<U3"`},
		{`{"name":"struct","configuration":{"fields":[{"name":"a","data_type":"int16"},{"name":"b","data_type":"float32"}]}}`, "", `"<f4"`},
		{"r24", "", `"dtype": "|V3"`},
	} {
		t.Run(c.typ+c.codecs, func(t *testing.T) {
			s := mem.New()
			a, err := zarr.CreateArrayIn(ctx, s, "g/a", zarr.ArraySpec{
				Shape: []int{5, 7}, Chunks: []int{2, 3}, DataType: c.typ, Codecs: json.RawMessage(c.codecs),
			}, zarr.As("zarr2"))
			if c.member == "" {
				wantError(t, err, "endian")
				return
			}
			check(t, err)
			if got := readKey(s, "g/a/.zarray"); !strings.Contains(got, c.member) || a.Format() != "zarr2" {
				t.Errorf("%s, %s", a.Format(), got)
			}
			if readKey(s, "g/.zgroup") == "" || readKey(s, ".zgroup") == "" || readKey(s, "g/a/zarr.json") != "" {
				t.Error("the groups above are not Zarr v2")
			}
			size := a.DataType().Size()
			data := make([]byte, 35*size)
			for i := range data {
				data[i] = byte(i % 2)
			}
			v := nd.Of(data, size, 5, 7)
			check(t, a.WriteFrom(ctx, zarr.All(), v))
			if readKey(s, "g/a/0.0") == "" {
				t.Error("no chunk 0.0")
			}
			n := must[zarr.Node](t)(zarr.OpenStore(ctx, s, "g/a"))
			back := must[nd.View](t)(readAny(n.(*zarr.Array), zarr.All()))
			if !bytes.Equal(back.Data, data) {
				t.Errorf("read %x, want %x", back.Data, data)
			}
		})
	}
}

func TestZarr2NodesChangeInPlace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x.zarr")
	g := closing(t, must[*zarr.Group](t)(zarr.CreateGroup(ctx, dir, zarr.As("zarr2"))))
	a := must[*zarr.Array](t)(g.CreateArray(ctx, "a", zarr.ArraySpec{
		Shape: []int{4}, Chunks: []int{2}, DataType: "int32", DimensionNames: []string{"t"}, Keys: json.RawMessage(`{"name":"v2","configuration":{"separator":"/"}}`),
	}))
	check(t, zarr.Write(ctx, a, zarr.All(), []int32{1, 2, 3, 4}))
	check(t, zarr.Append(ctx, a, 0, []int32{5, 6, 7}))
	attrs := must[*meta.Attributes](t)(meta.ParseAttributes([]byte(`{"x": NaN}`)))
	check(t, a.SetAttributes(ctx, attrs))
	check(t, g.SetAttributes(ctx, attrs))
	check(t, g.Consolidate(ctx))

	// Without the URL saying so, what is there counts.
	for _, opts := range [][]zarr.Option{nil, {zarr.BypassConsolidated()}, {zarr.As("zarr2")}} {
		root := closing(t, must[*zarr.Group](t)(zarr.OpenGroup(ctx, dir, opts...)))
		if root.Format() != "zarr2" || (root.Metadata().Consolidated == nil) {
			t.Errorf("format %s", root.Format())
		}
		b := must[*zarr.Array](t)(root.Array(ctx, "a"))
		got, err := zarr.Read[int32](ctx, b, zarr.All())
		check(t, err)
		if !slices.Equal(got.Data, []int32{1, 2, 3, 4, 5, 6, 7}) || b.Format() != "zarr2" || !slices.Equal(b.DimensionNames(), []string{"t"}) {
			t.Errorf("%v, %s, %v", got, b.Format(), b.DimensionNames())
		}
		if text := must[[]byte](t)(b.Attributes().MarshalJSON()); !strings.Contains(string(text), "NaN") {
			t.Errorf("attributes %s", text)
		}
	}
	for _, name := range []string{".zgroup", ".zattrs", ".zmetadata", "a/.zarray", "a/.zattrs", "a/0", "a/3"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	_, err := zarr.Open(ctx, dir, zarr.As("zarr3"))
	wantError(t, err, "no Zarr node here")
	closing(t, must[zarr.Node](t)(zarr.Open(ctx, "file://"+dir+"|zarr2:a")))
	_, err = zarr.Open(ctx, "file://"+dir+"|zarr3:a")
	wantError(t, err, "no Zarr node here")

	// Consolidated metadata tells of nodes whose own documents are gone.
	check(t, os.Remove(filepath.Join(dir, "a", ".zarray")))
	root := closing(t, must[*zarr.Group](t)(zarr.OpenGroup(ctx, dir)))
	must[*zarr.Array](t)(root.Array(ctx, "a"))
	root = closing(t, must[*zarr.Group](t)(zarr.OpenGroup(ctx, dir, zarr.BypassConsolidated())))
	_, err = root.Array(ctx, "a")
	wantError(t, err, "no Zarr node here")
}

func TestANodeWithBothDocumentsIsZarr3UnlessAsked(t *testing.T) {
	dir := t.TempDir()
	three := closing(t, must[*zarr.Array](t)(zarr.CreateArray(ctx, dir, zarr.ArraySpec{Shape: []int{3}, DataType: "int8"})))
	check(t, zarr.Write(ctx, three, zarr.All(), []int8{3, 3, 3}))
	check(t, os.WriteFile(filepath.Join(dir, ".zarray"), []byte(`{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"|i1","order":"C","fill_value":2,"filters":null,"compressor":null}`), 0o666))
	for format, want := range map[string][]int8{"": {3, 3, 3}, "zarr2": {2, 2}, "zarr3": {3, 3, 3}} {
		a := closing(t, must[*zarr.Array](t)(zarr.OpenArray(ctx, dir, zarr.As(format))))
		got, err := zarr.Read[int8](ctx, a, zarr.All())
		if err != nil || !slices.Equal(got.Data, want) {
			t.Errorf("format %s: %v, %v", format, got, err)
		}
		// A store that came out of a node stays what it is, unless asked.
		for again, want := range map[string]string{"": a.Format(), "zarr2": "zarr2", "zarr3": "zarr3"} {
			if n := must[zarr.Node](t)(zarr.OpenStore(ctx, a.Store(), "", zarr.As(again))); n.Format() != want {
				t.Errorf("opened as %s, then as %s: %s", format, again, n.Format())
			}
		}
	}
}

func TestANodeOfTheOtherFormatIsInTheWay(t *testing.T) {
	spec := zarr.ArraySpec{Shape: []int{3}, DataType: "int8"}
	for _, f := range [][2]string{{"zarr3", "zarr2"}, {"zarr2", "zarr3"}} {
		s := mem.New()
		must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "a", spec, zarr.As(f[0])))
		if _, err := zarr.CreateArrayIn(ctx, s, "a", spec, zarr.As(f[1])); !errors.Is(err, zarr.ErrExist) {
			t.Errorf("%v: %v", f, err)
		}
		if _, err := zarr.CreateGroupIn(ctx, s, "a", zarr.As(f[1])); !errors.Is(err, zarr.ErrExist) {
			t.Errorf("%v: %v", f, err)
		}
		over := spec
		over.Overwrite = true
		must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "a", over, zarr.As(f[1])))
		if n := must[zarr.Node](t)(zarr.OpenStore(ctx, s, "a")); n.Format() != f[1] {
			t.Errorf("%v: %s", f, n.Format())
		}
	}
}

func TestWithoutAFillValueAllChunksAreStored(t *testing.T) {
	s := mem.New()
	_, err := s.Put(ctx, ".zarray", []byte(`{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"|u1","compressor":null,"fill_value":null,"order":"C","filters":null}`), store.PutOptions{})
	check(t, err)
	a := must[zarr.Node](t)(zarr.OpenStore(ctx, s, "")).(*zarr.Array)
	check(t, zarr.Write(ctx, a, zarr.All(), make([]uint8, 4)))
	check(t, zarr.Write(ctx, a, zarr.Slice("3"), []uint8{7}))
	check(t, zarr.Write(ctx, a, zarr.Slice("3"), []uint8{0}))
	if readKey(s, "0") == "" || readKey(s, "1") == "" {
		t.Error("readers of Zarr v2 see no defined values without these chunks")
	}
	check(t, a.Resize(ctx, 6))
	if !strings.Contains(readKey(s, ".zarray"), `"fill_value": null`) {
		t.Error(readKey(s, ".zarray"))
	}
}

func TestManyMakeOneZarr2NodeAtOnce(t *testing.T) {
	for range 50 {
		s := mem.New()
		must[*zarr.Group](t)(zarr.CreateGroupIn(ctx, s, "", zarr.As("zarr2")))
		var wg sync.WaitGroup
		var made atomic.Int32
		for i := range 4 {
			wg.Go(func() {
				attrs, err := meta.ParseAttributes([]byte(`{"by":` + strconv.Itoa(i) + `}`))
				if err != nil {
					return
				}
				a, err := zarr.CreateArrayIn(ctx, s, "a", zarr.ArraySpec{Shape: []int{i}, DataType: "int8", Attributes: attrs})
				if err == nil {
					made.Add(1)
					if got := readKey(s, "a/.zattrs"); !strings.Contains(got, strconv.Itoa(a.Shape()[0])) {
						t.Errorf("array %v has attributes %s", a.Shape(), got)
					}
				}
			})
			wg.Go(func() {
				if _, err := zarr.CreateGroupIn(ctx, s, "a"); err == nil {
					made.Add(100)
				}
			})
		}
		wg.Wait()
		if n := made.Load(); n != 1 && n%100 != 0 || readKey(s, "a/.zarray") != "" && readKey(s, "a/.zgroup") != "" {
			t.Errorf("made %d", n)
		}
	}
}

func TestWhatANodeLeftIsNotAdopted(t *testing.T) {
	s := mem.New()
	for key, text := range map[string]string{
		"g/.zattrs": `{"old":1}`, "g/.zmetadata": `{"zarr_consolidated_format":1,"metadata":{"ghost/.zgroup":{"zarr_format":2}}}`,
	} {
		_, err := s.Put(ctx, key, []byte(text), store.PutOptions{})
		check(t, err)
	}
	must[*zarr.Group](t)(zarr.CreateGroupIn(ctx, s, "g", zarr.As("zarr2")))
	g := must[zarr.Node](t)(zarr.OpenStore(ctx, s, "g")).(*zarr.Group)
	if g.Attributes().Len() > 0 || g.Metadata().Consolidated != nil {
		t.Errorf("attributes %v", g.Attributes().Names())
	}
}

func TestGroupsWithoutADocumentOnRequest(t *testing.T) {
	dir := t.TempDir()
	s := closing(t, must[*file.Store](t)(file.Open(dir, file.Options{})))
	for _, key := range []string{"deep/er/a/.zarray", "deep/b/.zarray"} {
		_, err := s.Put(ctx, key, []byte(`{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"|i1","order":"C","fill_value":null,"filters":null,"compressor":null}`), store.PutOptions{})
		check(t, err)
	}
	_, err := zarr.Open(ctx, dir)
	wantError(t, err, "no Zarr node here")
	g := closing(t, must[*zarr.Group](t)(zarr.OpenGroup(ctx, dir, zarr.ImplicitGroup())))
	var paths []string
	for n, err := range g.Walk(ctx) {
		check(t, err)
		paths = append(paths, n.Path())
	}
	if !slices.Equal(paths, []string{"deep/b", "deep/er/a"}) {
		t.Errorf("nodes %v", paths)
	}
}
