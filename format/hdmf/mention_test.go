package hdmf_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
)

// The files of both layouts have the same links and references.
func TestReferencesOfBothLayouts(t *testing.T) {
	seen := map[string]map[string]int{}
	for _, name := range []string{"session_v2.nwb", "session_v3.nwb"} {
		f := fixture(t, name)
		counts := map[string]int{}
		for m, err := range hdmf.References(ctx, f.Root(), false) {
			check(t, err)
			if m.Err != nil {
				t.Errorf("%s: %s: %v", name, m.Path(), m.Err)
				continue
			}
			o, err := m.Target(ctx)
			if err != nil {
				t.Errorf("%s: %s: %v", name, m.Path(), err)
				continue
			}
			counts[fmt.Sprint(m.Kind(), " ", m.Path(), " ", m.Attribute, m.Index, m.Field, " ", o.Path())]++
		}
		seen[name] = counts
		if len(counts) < 20 {
			t.Errorf("%s: %v", name, counts)
		}
	}
	for at, n := range seen["session_v2.nwb"] {
		if seen["session_v3.nwb"][at] != n {
			t.Errorf("%s is there %d times in one layout and %d times in the other", at, n, seen["session_v3.nwb"][at])
		}
	}
}

func TestReferencesThatAreNone(t *testing.T) {
	w := newWriter(t)
	ref := func(path string) map[string]any {
		return map[string]any{"_REFERENCE": map[string]any{"source": ".", "path": path}}
	}
	w.group("", "namespace", "a", "data_type", "b", "good", ref("/d"), "bad", map[string]any{"_REFERENCE": 7}, "list", []any{ref("/d"), ref("/none")},
		"_LINKS", []any{map[string]any{"name": "l", "source": ".", "path": "/d"}, map[string]any{"source": ".", "path": "/d"}})
	array[string](w, "d", "string", []int{4, 2}, []int{1, 2}, nil, "_DTYPE", "object_reference")
	d := w.array("d")
	check(t, zarr.Write(ctx, d, zarr.Slice("2"), []string{"/d", ""}))
	check(t, zarr.Write(ctx, d, zarr.Slice("0"), []string{`{"path": 1}`, `{"source": ".", "path": "/d", "region": [{"start": 0, "stop": 9}]}`}))
	var got []string
	for m, err := range hdmf.References(ctx, w.file().Root(), true) {
		check(t, err)
		_, lost := m.Target(ctx)
		got = append(got, fmt.Sprint(m.Kind(), " ", m.Path(), " ", m.Attribute, m.Index, " ", m.To, " ", m.Empty, lost == nil))
		if m.Err != nil && m.Attribute == "bad" && !errors.Is(m.Err, hdmf.ErrNoReference) {
			t.Error(m.Err)
		}
	}
	want := []string{
		"object / good[] /d false true", "object / bad[]  false false", "object / list[0] /d false true", "object / list[1] /none false false",
		"link / []  false false",
		"object /d [0 0]  false false", "region /d [0 1] /d[0:9] false false", "object /d [2 0] /d false true", "object /d [2 1]  true false",
		"link /l [] /d false true",
	}
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A reference to a region that has none leads nowhere, also behind one to the whole of
// the same dataset.
func TestRegionsThatAreMissing(t *testing.T) {
	w := newWriter(t)
	ref := func(kind string, more ...any) map[string]any {
		to := map[string]any{"source": ".", "path": "/d"}
		if more != nil {
			to["region"] = more
		}
		return map[string]any{"zarr_dtype": kind, "value": to}
	}
	part := map[string]any{"start": 0, "stop": 1}
	w.group("", "namespace", "a", "data_type", "b", "a", ref("object"), "b", ref("region"), "c", []any{ref("region", part), ref("object"), ref("region")})
	array[string](w, "d", "string", []int{2}, []int{2}, nil, "_DTYPE", "region_reference")
	check(t, zarr.Write(ctx, w.array("d"), zarr.All(), []string{"/d", `{"source": ".", "path": "/d", "region": [{"start": 0, "stop": 1}]}`}))
	var got []string
	for m, err := range hdmf.References(ctx, w.file().Root(), true) {
		check(t, err)
		_, lost := m.Target(ctx)
		got = append(got, fmt.Sprint(m.Kind(), " ", m.Attribute, m.Index, " ", lost))
	}
	const none = "is a reference to a region, and has no region"
	want := []string{"object a[] <nil>", "region b[] " + none, "region c[0] <nil>", "object c[1] <nil>", "region c[2] " + none, "region [0] " + none, "region [1] <nil>"}
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("%q, want %q", got, want)
	}
}
