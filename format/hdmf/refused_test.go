package hdmf_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/nwbtest"
)

// The files here were written by hdmf_zarr, and its own reader fails on them.

func object(t testing.TB, f *hdmf.File, at string) hdmf.Object {
	t.Helper()
	o, err := f.Object(context.Background(), at)
	check(t, err)
	return o
}

func dataset(t testing.TB, f *hdmf.File, at string) *hdmf.Dataset {
	t.Helper()
	d, ok := object(t, f, at).(*hdmf.Dataset)
	if !ok {
		t.Fatalf("%s is no dataset", at)
	}
	return d
}

func group(t testing.TB, f *hdmf.File, at string) *hdmf.Group {
	t.Helper()
	g, ok := object(t, f, at).(*hdmf.Group)
	if !ok {
		t.Fatalf("%s is no group", at)
	}
	return g
}

func TestAttributesThatReferToEachOtherAreNoError(t *testing.T) {
	for _, name := range []string{"custom_cycle_v2", "custom_cycle_v3"} {
		f := fixture(t, name)
		at := hdmf.Object(group(t, f, "/one"))
		for step := range 4 {
			var next hdmf.Object
			for _, a := range at.Attributes() {
				if len(a.References) == 1 && !a.List {
					o, err := f.Resolve(context.Background(), a.References[0])
					check(t, err)
					next = o
				}
			}
			if next == nil || next.Path() == at.Path() {
				t.Fatalf("%s: %s leads nowhere", name, at.Path())
			}
			at = next
			if want := []string{"/two", "/one"}[step%2]; at.Path() != want {
				t.Errorf("%s: step %d leads to %s, want %s", name, step, at.Path(), want)
			}
		}
		seen(t, f)
	}
}

func TestCompoundsInJSONHaveTheValuesOfPickledOnes(t *testing.T) {
	var want expected
	check(t, json.Unmarshal(nwbtest.Read(t, "session_v2.nwb.expected.json"), &want))
	f := fixture(t, "session_v2_json_compound.nwb")
	got := seen(t, f)
	if len(got) != len(want.Nodes) {
		t.Errorf("%d nodes, want %d", len(got), len(want.Nodes))
	}
	compounds := 0
	for at, w := range want.Nodes {
		m, ok := got[at]
		if !ok {
			t.Errorf("%s is missing", at)
			continue
		}
		if w.Kind == "dataset" && at != "/file_create_date" {
			checkDataset(t, at, m.Object.(*hdmf.Dataset), w)
		}
		if w.DType == "compound" {
			compounds++
		}
	}
	if compounds < 4 {
		t.Errorf("%d compounds were compared", compounds)
	}
	f = fixture(t, "custom_v2_json_compound")
	v, err := dataset(t, f, "/ref_table").Read(context.Background(), zarr.All())
	check(t, err)
	names, err := v.Field("name")
	check(t, err)
	numbers, err := v.Field("idx")
	check(t, err)
	targets, err := v.Field("target")
	check(t, err)
	list, err := numbers.Ints()
	check(t, err)
	if names.Text(0) != "röw" || names.Text(1) != "row two" || !slices.Equal(list, []int64{1, 2}) {
		t.Errorf("%q %q %v", names.Text(0), names.Text(1), list)
	}
	for i := range 2 {
		r, err := targets.Reference(i)
		check(t, err)
		o, err := f.Resolve(context.Background(), r)
		check(t, err)
		if o.Path() != "/x" {
			t.Errorf("%s", o.Path())
		}
	}
	var custom expected
	check(t, json.Unmarshal(nwbtest.Read(t, "custom_v2_pickle.expected.json"), &custom))
	checkDataset(t, "/compound_text", dataset(t, f, "/compound_text"), custom.Nodes["/types/compound_text"])
}

func TestReferencesOfALinkedGroupAreThoseOfItsFile(t *testing.T) {
	for _, dir := range []string{"external_v2", "external_v3"} {
		f := fixture(t, dir+"/linked_refs")
		series := group(t, f, "/acquisition/es")
		source := series.File()
		if relative(t, f, source) != "../source.nwb.zarr" {
			t.Fatalf("%s: es lies in %s", dir, source.URL())
		}
		table := dataset(t, f, "/acquisition/es/electrodes")
		a, ok := table.Attribute("table")
		if !ok || len(a.References) != 1 {
			t.Fatalf("%s: %+v", dir, a)
		}
		o, err := table.File().Resolve(context.Background(), a.References[0])
		check(t, err)
		if o.File() != source || o.Path() != "/general/extracellular_ephys/electrodes" {
			t.Errorf("%s: the table is %s of %s", dir, o.Path(), o.File().URL())
		}
		if typ := o.Type().Name; typ != "DynamicTable" && typ != "ElectrodesTable" {
			t.Errorf("%s: %s", dir, o.Type())
		}
	}
}

func TestALinkToItselfIsAnErrorOnlyWhereItIsFollowed(t *testing.T) {
	f := fixture(t, "external_v2/sub/exported")
	all := seen(t, f)
	m := all["/file_create_date"]
	if m.Link == nil {
		t.Fatalf("%+v", m)
	}
	if _, err := m.Link.Target(context.Background()); !errors.Is(err, hdmf.ErrLinks) {
		t.Errorf("%v", err)
	}
	var want expected
	check(t, json.Unmarshal(nwbtest.Read(t, "external_v3/sub/exported.nwb.expected.json"), &want))
	at := "/acquisition/linked_data/data"
	link := all[at].Link
	if link == nil {
		t.Fatalf("%s is no link", at)
	}
	o, err := link.Target(context.Background())
	check(t, err)
	if o.Path() != want.Nodes[at].Target.Path || relative(t, f, o.File()) != want.Nodes[at].Target.File {
		t.Errorf("%s of %s", o.Path(), o.File().URL())
	}
}

func TestAFileNextToTheFolderNeedsLeave(t *testing.T) {
	for _, dir := range []string{"external_v2", "external_v3"} {
		f := open(t, nwbtest.Unpack(t, dir+"/sub/exported.nwb.zarr")+"/"+dir+"/sub/exported.nwb.zarr")
		_, err := f.Object(context.Background(), "/acquisition/second/data")
		if !errors.Is(err, zarr.ErrNotAllowed) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

func TestTheTwoLayoutsGiveTheSameValues(t *testing.T) {
	two, three := fixture(t, "session_v2.nwb"), fixture(t, "session_v3.nwb")
	if two.Layout() != hdmf.V2 || three.Layout() != hdmf.V3 {
		t.Errorf("%s, %s", two.Layout(), three.Layout())
	}
	for at, m := range seen(t, two) {
		d, ok := m.Object.(*hdmf.Dataset)
		if !ok || d.DType().Kind == hdmf.Bytes {
			continue
		}
		other := dataset(t, three, at)
		v, err := d.Read(context.Background(), zarr.All())
		check(t, err)
		w, err := other.Read(context.Background(), zarr.All())
		check(t, err)
		if !reflect.DeepEqual(d.Shape(), other.Shape()) || digest(t, v) != digest(t, w) {
			t.Errorf("%s differs", at)
		}
	}
}
