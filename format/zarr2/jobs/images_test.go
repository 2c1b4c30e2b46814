package jobs_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/zarr2/jobs"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/diff"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// image is one of OME-NGFF 0.4 on Zarr v2, with labels, in a collection.
func image(t testing.TB) store.Store {
	t.Helper()
	s := mem.New()
	group := "{\n  \"zarr_format\": 2\n}\n"
	// The transformation of all levels is applied to each in a copy.
	scales := func(common string) string {
		return `"multiscales": [{"version": "0.4", "axes": [{"name": "y", "type": "space", "unit": "micrometer"}, {"name": "x", "type": "space", "unit": "micrometer"}],
			"datasets": [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [1, 1]}]}]` + common + `}]`
	}
	put(t, s, map[string]string{
		".zgroup": group, ".zattrs": `{"bioformats2raw.layout": 3, "labels": ["not", "of", "images"]}`,
		"OME/.zgroup": group, "OME/.zattrs": `{"series": ["0"]}`,
		"0/.zgroup": group, "0/.zattrs": `{"title": "cells", ` + scales(`, "coordinateTransformations": [{"type": "scale", "scale": [0.5, 0.5]}]`) + `, "omero": {"channels": [{"label": "DAPI", "color": "0000FF"}]}}`,
		"0/0/.zarray": zarray("<i2", "0", 1), "0/0/0": "\x01\x00\x02\x00",
		"0/labels/.zgroup": group, "0/labels/.zattrs": `{"labels": ["cells"]}`,
		"0/labels/cells/.zgroup": group, "0/labels/cells/.zattrs": `{"image-label": {"version": "0.4", "colors": []}, ` + scales("") + `}`,
		"0/labels/cells/0/.zarray": zarray("<i2", "0", 1),
	})
	for _, key := range []string{"0/0/.zarray", "0/labels/cells/0/.zarray"} {
		text := jobtest.Content(t, s)[key]
		text = strings.NewReplacer("[4]", "[4, 4]", "[2]", "[2, 2]").Replace(text)
		put(t, s, map[string]string{key: text})
	}
	jobtest.Check(t, s.Delete(ctx, "0/0/0"))
	put(t, s, map[string]string{"0/0/0.1": "\x01\x00\x02\x00\x03\x00\x04\x00"})
	return s
}

// told are the attributes of all groups.
func told(t *testing.T, s store.Store) map[string]any {
	t.Helper()
	root := open[*zarr.Group](t, s, "")
	all := map[string]any{}
	add := func(n zarr.Node) {
		if _, ok := n.(*zarr.Group); ok {
			m, err := n.Attributes().Map()
			jobtest.Check(t, err)
			all[n.Path()] = m
		}
	}
	add(root)
	for n, err := range root.Walk(ctx) {
		jobtest.Check(t, err)
		add(n)
	}
	return all
}

// wantVersion checks that every group says what it has of OME-NGFF as a version does.
func wantVersion(t *testing.T, s store.Store, new bool) {
	t.Helper()
	for at, attrs := range told(t, s) {
		attrs := attrs.(map[string]any)
		ome, _ := attrs["ome"].(map[string]any)
		if (ome["version"] == "0.5") != new {
			t.Errorf("%s: %v", at, attrs)
		}
		if ome["multiscales"] != nil {
			if names := open[*zarr.Array](t, s, at+"/0").DimensionNames(); !reflect.DeepEqual(names, []string{"y", "x"}) {
				t.Errorf("%s: dimensions %q", at, names)
			}
		}
		for _, name := range []string{"multiscales", "omero", "image-label", "bioformats2raw.layout", "series"} {
			if (attrs[name] != nil) && new {
				t.Errorf("%s: attribute %s", at, name)
			}
		}
		if at == "" && !reflect.DeepEqual(attrs["labels"], []any{"not", "of", "images"}) || at == "0" && attrs["title"] != "cells" {
			t.Errorf("%s: %v", at, attrs)
		}
	}
}

func wantEqual(t *testing.T, a, b store.Store) {
	t.Helper()
	r, err := diff.Nodes(ctx, open[*zarr.Group](t, a, ""), open[*zarr.Group](t, b, ""), diff.Options{})
	jobtest.Check(t, err)
	if !r.Equal {
		t.Errorf("%v", r.Differences)
	}
}

func TestCopiesOfImagesAreOfTheVersionOfTheirFormat(t *testing.T) {
	src := image(t)
	dst := [2]store.Store{mem.New(), mem.New()}
	from := src
	for i, opts := range []copying.Options{{}, {To: jobs.Format()}} {
		node := open[*zarr.Group](t, from, "")
		plan, err := copying.PlanOf(ctx, node, opts)
		jobtest.Check(t, err)
		sum, err := copying.Into(ctx, node, dst[i], "", opts)
		jobtest.Check(t, err)
		want := []string{[]string{"OME-NGFF 0.4 became 0.5 in 5 groups", "OME-NGFF 0.5 became 0.4 in 5 groups"}[i]}
		if !reflect.DeepEqual(sum.Notes, want) || !reflect.DeepEqual(plan.Notes, want) || len(sum.NotCopied) > 0 {
			t.Errorf("%q, planned %q, not copied %q", sum.Notes, plan.Notes, sum.NotCopied)
		}
		wantVersion(t, dst[i], i == 0)
		// Whichever comes first, they say the same.
		wantEqual(t, from, dst[i])
		wantEqual(t, dst[i], from)
		from = dst[i]
	}
	// Chunks of version 0.4 lie in folders.
	if jobtest.Content(t, dst[1])["0/0/0/1"] == "" {
		t.Error("chunk 0/1 is not where version 0.4 demands it")
	}
	// What is another image is another.
	g := open[*zarr.Group](t, dst[1], "0")
	attrs := g.Attributes().Clone()
	jobtest.Check(t, attrs.Set("omero", json.RawMessage(`{"channels": []}`)))
	jobtest.Check(t, g.SetAttributes(ctx, attrs))
	r, err := diff.Nodes(ctx, open[*zarr.Group](t, dst[0], "0"), open[*zarr.Group](t, dst[1], "0"), diff.Options{})
	if jobtest.Check(t, err); r.Equal {
		t.Error("other channels are the same to diff")
	}
}

func TestMigratedImagesAreOfTheVersionOfTheirFormat(t *testing.T) {
	s := image(t)
	was := into(t, s, copying.Options{}) // with the scale of all levels in each
	for _, to := range []string{"zarr3", "zarr2"} {
		r, err := jobs.Migrate(ctx, s, "", jobs.MigrateOptions{To: to, Consolidate: true})
		jobtest.Check(t, err)
		if text := strings.Join(r.Lines(), "\n"); !strings.Contains(text, "became") || !strings.Contains(text, "in 5 groups") {
			t.Errorf("to %s: %s", to, text)
		}
		wantVersion(t, s, to == "zarr3")
		wantEqual(t, was, s)
	}
}

// An interrupted migration leaves some nodes in each version; the rest are still known
// for what they are.
func TestMigrationsOfImagesThatStopGoOn(t *testing.T) {
	whole := image(t)
	total := changes(t, whole, "")
	want := told(t, whole)
	for stop := range total + 1 {
		if !tried(stop, total) {
			continue
		}
		s := image(t)
		_, err := jobs.Migrate(ctx, &jobtest.Failing{Store: s, Left: stop}, "", jobs.MigrateOptions{})
		_, again := jobs.Migrate(ctx, s, "", jobs.MigrateOptions{})
		jobtest.Check(t, again)
		if got := told(t, s); !reflect.DeepEqual(got, want) {
			t.Errorf("stopped at change %d: %v, want %v", stop, got, want)
		}
		if (err == nil) != (stop == total) {
			t.Errorf("stopped at change %d of %d: %v", stop, total, err)
		}
	}
}
