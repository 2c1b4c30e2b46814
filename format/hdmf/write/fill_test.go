package write_test

import (
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// In the layout V2 missing text is 0 to other readers, so that no text is missing.
func TestEmptyTextIsWrittenInTheLayoutV2(t *testing.T) {
	src := mem.New()
	root := &write.Group{Datasets: map[string]*write.Dataset{
		"word": {Data: write.Scalar("")}, "words": {Data: write.Text([]string{"", "", "a", ""}), Chunks: []int{2}}, "bytes": {Data: write.Bytes([][]byte{{}})},
	}}
	check(t, write.Create(ctx, "test://", root, to(src, write.Options{})))
	if _, _, err := src.Get(ctx, "words/c/0", store.All(), nil); err == nil {
		t.Fatal("a chunk that should be missing is there")
	}
	dst := mem.New()
	check(t, copyFile(ctx, "test://", in(t, src), to(dst, write.Options{Layout: hdmf.V2})))
	e := edit(t, dst)
	check(t, e.AddDataset(ctx, "/more", &write.Dataset{Data: write.Text([]string{""})}))
	check(t, e.Commit(ctx))
	for _, key := range []string{"word/0", "words/0", "words/1", "bytes/0", "more/0"} {
		if _, _, err := dst.Get(ctx, key, store.All(), nil); err != nil {
			t.Error(err)
		}
	}
	want := dump(t, in(t, src))
	want["/more"] = dump(t, in(t, dst))["/more"]
	same(t, dump(t, in(t, dst)), want)
}

// What chunks that are not stored hold is kept, also where it is not zero.
func TestFillValuesAreKept(t *testing.T) {
	s := mem.New()
	put := func(key, text string) {
		t.Helper()
		_, err := s.Put(ctx, key, []byte(text), store.PutOptions{})
		check(t, err)
	}
	put(".zgroup", `{"zarr_format":2}`)
	for name, spec := range map[string]string{
		"floats": `"dtype":"<f4","fill_value":"NaN","filters":null`,
		"ints":   `"dtype":"<i2","fill_value":-7,"filters":null`,
		"words":  `"dtype":"|O","fill_value":"word","filters":[{"id":"vlen-utf8"}]`,
		"fixed":  `"dtype":"<U3","fill_value":"abc","filters":null`,
		"plain":  `"dtype":[["a","<i2"],["b","<i2"]],"fill_value":"AQACAA==","filters":null`,
		"mixed":  `"dtype":[["a","<i2"],["b","<U2"]],"fill_value":"AQBhAAAAYgAAAA==","filters":null`,
	} {
		put(name+"/.zarray", `{"zarr_format":2,"shape":[5],"chunks":[2],"compressor":null,"order":"C",`+spec+`}`)
		put(name+"/.zattrs", `{}`)
	}
	src := in(t, s)
	want := dump(t, src)
	for _, o := range layouts {
		dst := mem.New()
		check(t, copyFile(ctx, "test://", src, to(dst, o)))
		same(t, dump(t, in(t, dst)), want)
	}
}

func TestRegionsInAttributes(t *testing.T) {
	for layout, want := range map[hdmf.Layout]string{
		hdmf.V2: `"region":{"value":{"object_id":null,"path":"/things/grid","source":".","source_object_id":"00000000-0000-4000-8000-000000000001","region":[{"start":1,"stop":2}]},"zarr_dtype":"region"}`,
		hdmf.V3: `"region":{"_REFERENCE":{"source":".","path":"/things/grid","region":[{"start":1,"stop":2}]}}`,
	} {
		s := mem.New()
		root := tree(t)
		root.Attributes["region"] = hdmf.Reference{Path: "/things/grid", Region: &hdmf.Region{Axes: []hdmf.RegionAxis{{Start: 1, Stop: 2, Step: 1}}}}
		check(t, write.Create(ctx, "test://", root, to(s, write.Options{Layout: layout})))
		key := map[hdmf.Layout]string{hdmf.V2: ".zattrs", hdmf.V3: "zarr.json"}[layout]
		text, _, err := s.Get(ctx, key, store.All(), nil)
		check(t, err)
		if got := squeeze(text); !strings.Contains(got, want) {
			t.Errorf("%.800s lacks %s", got, want)
		}
	}
}
