package hdmf_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, url string, opts ...hdmf.Option) *hdmf.File {
	t.Helper()
	f, err := hdmf.Open(context.Background(), url, opts...)
	check(t, err)
	t.Cleanup(func() { check(t, f.Close()) })
	return f
}

// fixture opens a fixture: in memory, or unpacked where it has neighbours, or a
// name that it is known by.
func fixture(t testing.TB, name string) *hdmf.File {
	t.Helper()
	if strings.HasPrefix(name, "session") || strings.HasPrefix(name, "custom") {
		s := mem.New()
		for key, data := range nwbtest.Files(t, name+".zarr") {
			_, err := s.Put(ctx, key, data, store.PutOptions{})
			check(t, err)
		}
		n, err := zarr.OpenStore(ctx, s, "")
		check(t, err)
		return hdmf.Of(ctx, n.(*zarr.Group))
	}
	folder, inside, _ := strings.Cut(name, "/")
	if inside == "" {
		return open(t, filepath.Join(nwbtest.Unpack(t, name+".zarr"), name+".zarr"))
	}
	dir := nwbtest.Unpack(t, folder+"/"+inside+".nwb.zarr", folder+"/source.nwb.zarr")
	var opts []hdmf.Option
	if strings.HasPrefix(inside, "sub/") { // it links to its folder's neighbours
		opts = append(opts, hdmf.Allow(dir))
	}
	return open(t, filepath.Join(dir, folder, filepath.FromSlash(inside)+".nwb.zarr"), opts...)
}

func checkValues(t *testing.T, at string, f *hdmf.File, v *hdmf.Values, want expectedValues) {
	t.Helper()
	name := want.DType
	if name == "str_" {
		name = "string"
	}
	if v.Name != name {
		t.Errorf("%s: type %s, want %s", at, v.Name, want.DType)
	}
	if want.SHA256 != "" && digest(t, v) != want.SHA256 {
		t.Errorf("%s: values differ from those of the real reader", at)
	}
	if want.Values == nil {
		return
	}
	if v.Len() != len(want.Values) {
		t.Errorf("%s: %d values, want %d", at, v.Len(), len(want.Values))
		return
	}
	for i, w := range want.Values {
		if got := element(t, v, i, f); !reflect.DeepEqual(got, w) {
			t.Errorf("%s: element %d is %v, want %v", at, i, got, w)
		}
	}
}

func checkDataset(t *testing.T, at string, d *hdmf.Dataset, w expectedNode) {
	t.Helper()
	if !slices.Equal(d.Shape(), w.Shape) || d.Shape() == nil || d.Scalar() != w.Scalar || !slices.Equal(d.Array().Shape(), w.Stored) || w.Chunks != nil && !slices.Equal(chunks(t, d.Array()), w.Chunks) {
		t.Errorf("%s: shape %v, stored %v in %v, scalar %v, want %+v", at, d.Shape(), d.Array().Shape(), chunks(t, d.Array()), d.Scalar(), w)
	}
	if said := stored(t, d); (w.HDMF != nil || d.File().Zarr().Format() != "hdf5") && !reflect.DeepEqual(said, w.HDMF) {
		t.Errorf("%s: stored type %v, want %v", at, said, w.HDMF)
	}
	v, err := d.Read(context.Background(), zarr.All())
	if err != nil {
		t.Errorf("%s: %v", at, err)
		return
	}
	if w.DType != "compound" {
		checkValues(t, at, d.File(), v, w.expectedValues)
		return
	}
	if v.Kind != hdmf.Compound || len(v.Fields) != len(w.Fields) {
		t.Errorf("%s: %v has %d fields, want %d", at, v.DType.Name, len(v.Fields), len(w.Fields))
		return
	}
	for i, wf := range w.Fields {
		if v.Fields[i].Name != wf.Name {
			t.Errorf("%s: field %d is %s, want %s", at, i, v.Fields[i].Name, wf.Name)
		}
		field, err := v.Field(wf.Name)
		if err != nil {
			t.Errorf("%s.%s: %v", at, wf.Name, err)
			continue
		}
		checkValues(t, at+"."+wf.Name, d.File(), field, wf.expectedValues)
	}
}

func checkSchemas(t *testing.T, f *hdmf.File, want map[string]map[string]map[string]string) {
	t.Helper()
	texts, err := f.SchemaTexts(context.Background())
	check(t, err)
	got := map[string]map[string]map[string]string{}
	for _, s := range texts {
		check(t, s.Err)
		if got[s.Namespace] == nil {
			got[s.Namespace] = map[string]map[string]string{}
		}
		if got[s.Namespace][s.Version] == nil {
			got[s.Namespace][s.Version] = map[string]string{}
		}
		sum := sha256.Sum256([]byte(s.Text))
		got[s.Namespace][s.Version][s.Source] = hex.EncodeToString(sum[:])
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("schemas: %d namespaces differ from the expected %d", len(got), len(want))
	}
}

// seen gathers all nodes of a file by path.
func seen(t testing.TB, f *hdmf.File) map[string]hdmf.Member {
	t.Helper()
	out := map[string]hdmf.Member{"/": {Object: f.Root()}}
	for m, err := range f.Root().Walk(context.Background()) {
		check(t, err)
		at := ""
		if m.Link != nil {
			at = m.Link.At()
		} else {
			at = m.Object.Path()
		}
		if path.Base(at) != m.Name {
			t.Errorf("%s is called %s", at, m.Name)
		}
		out[at] = m
	}
	return out
}

func members(t testing.TB, g *hdmf.Group) []string {
	t.Helper()
	names := []string{}
	for m, err := range g.Members(context.Background()) {
		check(t, err)
		names = append(names, m.Name)
	}
	return names
}

func checkFile(t *testing.T, f *hdmf.File, text []byte) {
	t.Helper()
	var want expected
	check(t, json.Unmarshal(text, &want))
	got := seen(t, f)
	for _, at := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want.Nodes[at]; !ok {
			t.Errorf("%s is not expected", at)
		}
	}
	for at, w := range want.Nodes {
		m, ok := got[at]
		if !ok {
			t.Errorf("%s is missing", at)
			continue
		}
		if (m.Link != nil) != (w.Kind == "link") {
			t.Errorf("%s: want a %s", at, w.Kind)
			continue
		}
		if m.Link != nil {
			o, err := m.Link.Target(context.Background())
			check(t, err)
			_, dataset := o.(*hdmf.Dataset)
			if dataset != (w.TargetKind == "dataset") || o.Path() != w.Target.Path || relative(t, f, o.File()) != w.Target.File {
				t.Errorf("%s: leads to %s of %s, want %+v", at, o.Path(), o.File().URL(), w.Target)
			}
			continue
		}
		if a := attributes(t, m.Object, f); !reflect.DeepEqual(a, w.Attributes) {
			t.Errorf("%s: attributes\n%v, want\n%v", at, a, w.Attributes)
		}
		switch o := m.Object.(type) {
		case *hdmf.Group:
			if names := members(t, o); w.Kind != "group" || !slices.Equal(names, w.Members) {
				t.Errorf("%s: members %v, want a %s of %v", at, names, w.Kind, w.Members)
			}
		case *hdmf.Dataset:
			if w.Kind != "dataset" {
				t.Errorf("%s: want a %s", at, w.Kind)
			}
			checkDataset(t, at, o, w)
		}
		found, err := f.Object(context.Background(), at)
		if err != nil || found.Path() != at {
			t.Errorf("%s: opened by itself: %v", at, err)
		}
	}
	if want.Specifications.Location != "" { // the dump of the oldest file lacks them
		checkSchemas(t, f, want.Specifications.Namespaces)
	}
}

func TestFilesAreWhatTheRealReaderSees(t *testing.T) {
	for i, name := range []string{
		"session_v2.nwb", "session_v2_plain.nwb", "session_v2_json.nwb", "session_v3.nwb", "session_v3_plain.nwb",
		"custom_v2_pickle", "custom_v2_json", "custom_v3", "legacy_v2_0.10.nwb",
		"external_v2/source", "external_v2/linked", "external_v2/copied",
		"external_v3/source", "external_v3/linked", "external_v3/copied", "external_v3/sub/exported",
	} {
		if (i+1)%thorough.Least(4, 1, 1) != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			want := name + ".expected.json"
			if strings.Contains(name, "/") {
				want = name + ".nwb.expected.json"
			}
			checkFile(t, fixture(t, name), nwbtest.Read(t, want))
		})
	}
}
