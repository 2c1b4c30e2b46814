package view_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/view"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

func TestLinksAreNodes(t *testing.T) {
	for _, name := range []string{"session_v2.nwb.zarr", "session_v3.nwb.zarr"} {
		g := open(t, file(t, name))
		if g.Metadata().Consolidated != nil || g.Format() != "zarr3" {
			t.Errorf("%s: consolidated metadata, or %s", name, g.Format())
		}
		probe, err := g.Group(ctx, "general/extracellular_ephys/shank0/device")
		check(t, err)
		if string(probe.Attributes().Raw("neurodata_type")) != `"Device"` {
			t.Errorf("%s: %s", name, probe.Attributes().Raw("neurodata_type"))
		}
		a, err := zarr.Read[float64](ctx, array(t, g, "processing/ecephys/LFP/LFPSeries/timestamps"), zarr.All())
		check(t, err)
		b, err := zarr.Read[float64](ctx, array(t, g, "acquisition/ElectricalSeries/timestamps"), zarr.All())
		check(t, err)
		if !slices.Equal(a.Data, b.Data) || len(a.Data) == 0 {
			t.Errorf("%s: %d and %d times", name, len(a.Data), len(b.Data))
		}
		if attrs := probe.Attributes(); attrs.Raw("zarr_link") != nil || g.Attributes().Raw(".specloc") != nil {
			t.Errorf("%s: reserved attributes are left", name)
		}
	}
}

func TestAnotherFileIsBelowItsLink(t *testing.T) {
	for _, dir := range []string{"external_v2", "external_v3"} {
		top := nwbtest.Unpack(t, dir+"/linked_refs.nwb.zarr", dir+"/source.nwb.zarr")
		f, err := hdmf.Open(ctx, filepath.Join(top, dir, "linked_refs.nwb.zarr"))
		check(t, err)
		defer f.Close()
		g := open(t, f)
		es, err := g.Group(ctx, "acquisition/es")
		check(t, err)
		data, err := es.Array(ctx, "data")
		check(t, err)
		if _, err := zarr.Read[int16](ctx, data, zarr.All()); err != nil {
			if _, err = zarr.Read[float64](ctx, data, zarr.All()); err != nil {
				t.Error(err)
			}
		}
		// The table is in the other file too, and its path can be followed.
		electrodes, err := es.Array(ctx, "electrodes")
		check(t, err)
		var at string
		_, err = electrodes.Attributes().Get("table", &at)
		check(t, err)
		if at != "/_external/source.nwb.zarr/general/extracellular_ephys/electrodes" {
			t.Errorf("%s: %s", dir, at)
		}
		table, err := g.Group(ctx, at)
		check(t, err)
		groups := array(t, table, "group")
		paths, err := zarr.Read[string](ctx, groups, zarr.All())
		check(t, err)
		for _, p := range paths.Data {
			if _, err := g.Open(ctx, p); err != nil {
				t.Errorf("%s: %v", dir, err)
			}
		}
		found := false
		for n, err := range g.Walk(ctx) {
			check(t, err)
			found = found || n.Path() == "_external/source.nwb.zarr/acquisition"
		}
		if !found {
			t.Errorf("%s: the other file is not listed", dir)
		}
	}
}

// hand makes a file of documents.
func hand(t testing.TB, documents map[string]string) *hdmf.File {
	t.Helper()
	s := mem.New()
	for at, attrs := range documents {
		doc := `{"zarr_format":3,"node_type":"group","attributes":` + attrs + `}`
		_, err := s.Put(ctx, strings.TrimPrefix(at+"/zarr.json", "/"), []byte(doc), store.PutOptions{})
		check(t, err)
	}
	n, err := zarr.OpenStore(ctx, s, "")
	check(t, err)
	return hdmf.Of(ctx, n.(*zarr.Group))
}

func link(pairs ...string) string {
	var list []string
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, `{"name":"`+pairs[i]+`","source":".","path":"`+pairs[i+1]+`"}`)
	}
	return `{"_LINKS":[` + strings.Join(list, ",") + `]}`
}

func paths(t testing.TB, g *zarr.Group) (found []string, failed []error) {
	t.Helper()
	for n, err := range g.Walk(ctx) {
		if err != nil {
			failed = append(failed, err)
			continue
		}
		found = append(found, n.Path())
	}
	return found, failed
}

func TestLinksThatLeadRound(t *testing.T) {
	f := hand(t, map[string]string{
		"":    `{}`,
		"a":   link("up", "/", "over", "/b", "self", "/a/self", "gone", "/nowhere"),
		"a/x": link("back", "/a"),
		"b":   link("over", "/a/x"),
	})
	g := open(t, f)
	found, failed := paths(t, g)
	for _, err := range failed {
		if !errors.Is(err, hdmf.ErrLinks) { // that of a/self, which leads nowhere
			t.Error(err)
		}
	}
	want := []string{"a", "a/over", "a/over/over", "a/over/over/back", "a/up", "a/x", "a/x/back", "b", "b/over", "b/over/back", "b/over/back/gone", "b/over/back/over", "b/over/back/over/over"}
	for _, at := range []string{"a/over", "a/over/over", "a/over/over/back", "a/up", "a/x/back", "b/over/back"} {
		if !slices.Contains(found, at) {
			t.Errorf("%s is missing in %v, want about %v", at, found, want)
		}
	}
	if len(found) > 30 || slices.Contains(found, "a/up/a") || slices.Contains(found, "a/gone") {
		t.Errorf("%v", found)
	}
	up, err := g.Group(ctx, "a/up")
	check(t, err)
	if string(up.Attributes().Raw("_link")) != `"/"` {
		t.Errorf("%s", up.Attributes().Raw("_link"))
	}
	if _, err := g.Open(ctx, "a/up/a"); !errors.Is(err, zarr.ErrNoNode) {
		t.Errorf("%v", err)
	}
	if _, err := g.Open(ctx, "a/self"); !errors.Is(err, hdmf.ErrLinks) {
		t.Errorf("%v", err)
	}
}

func TestLinksThatMakeASmallFileLookEndless(t *testing.T) {
	documents := map[string]string{"": `{}`}
	for i := range 30 { // each leads to the next in two ways
		next := fmt.Sprint("/g", i+1)
		documents[fmt.Sprint("g", i)] = link("x", next, "y", next)
	}
	documents["g30"] = `{}`
	s := view.New(hand(t, documents))
	if !thorough.Enabled {
		defer view.LimitListing(1 << 12)()
	}
	count := 0
	var failed error
	for _, err := range s.List(ctx, "", "") {
		if err != nil {
			failed = err
			break
		}
		count++
	}
	if failed == nil || !strings.Contains(failed.Error(), "nodes") {
		t.Errorf("%d keys, %v", count, failed)
	}
}

func TestWhatMayNotBeOpenedIsNot(t *testing.T) {
	top := t.TempDir()
	for name, attrs := range map[string]string{
		"secret.zarr": `{}`,
		"home/f.zarr": `{"_LINKS":[{"name":"door","source":"../../secret.zarr","path":"/"},{"name":"web","source":"http://localhost:1/x","path":"/"}],"r":{"_REFERENCE":{"source":"../../secret.zarr","path":"/x"}},"part":{"_REFERENCE":{"source":".","path":"/x","region":[{"start":1,"stop":3}]}}}`,
	} {
		dir := filepath.Join(top, filepath.FromSlash(name))
		check(t, os.MkdirAll(dir, 0o755))
		check(t, os.WriteFile(filepath.Join(dir, "zarr.json"), []byte(`{"zarr_format":3,"node_type":"group","attributes":`+attrs+`}`), 0o644))
	}
	f, err := hdmf.Open(ctx, filepath.Join(top, "home", "f.zarr"))
	check(t, err)
	defer f.Close()
	g := open(t, f)
	for name, want := range map[string]string{"r": `"../../secret.zarr:/x"`, "part": `"/x[1:3]"`} {
		if got := string(g.Attributes().Raw(name)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for _, at := range []string{"door", "web", "door/x"} {
		if _, err := g.Open(ctx, at); !errors.Is(err, zarr.ErrNotAllowed) {
			t.Errorf("%s: %v", at, err)
		}
	}
	found, failed := paths(t, g)
	if len(found) != 0 || len(failed) < 2 {
		t.Errorf("%v, %v", found, failed)
	}
	for _, err := range failed {
		if !errors.Is(err, zarr.ErrNotAllowed) {
			t.Error(err)
		}
	}
}
