package check_test

import (
	"maps"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf/check"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store/held"
	"github.com/omnizarr/zarr/store/journal"
)

// Consolidated metadata that differs from the nodes is told node by node.
func TestStaleConsolidated(t *testing.T) {
	for _, name := range []string{"session_v3.nwb.zarr", "session_v2.nwb.zarr"}[:thorough.Least(1, 2, 2)] {
		t.Run(name, func(t *testing.T) {
			good := files(nwbtest.Files(t, name))
			var opt check.Options
			if !thorough.Enabled { // the schemas are read once
				var err error
				if opt.Schema, err = in(t, good).Schemas(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			for what, test := range map[string]struct {
				change func(f files)
				want   []string
			}{
				"other document": {func(f files) {
					f.attributes("general/devices/probe", func(a map[string]any) { a["description"] = "changed" })
				},
					[]string{"/general/devices/probe StaleConsolidated own document is different"}},
				"node is gone": {func(f files) { f.move("identifier", "") }, []string{"/identifier StaleConsolidated there is no such node"}},
				"node is new":  {func(f files) { maps.Copy(f, moved(f, "identifier", "keywords2")) }, []string{"/keywords2 StaleConsolidated readers miss it"}},
			} {
				f := maps.Clone(good)
				test.change(f)
				t.Run(what, func(t *testing.T) { want(t, findings(t, in(t, f), opt), test.want...) })
			}
		})
	}
}

// Documents that lag behind a commit are not stale: the commit is decided, and the
// consolidated metadata tells of it.
func TestDocumentsThatLagAreNotStale(t *testing.T) {
	for name, key := range map[string]string{"session_v2.nwb.zarr": "general/devices/probe/.zattrs", "session_v3.nwb.zarr": "general/devices/probe/zarr.json"} {
		f := files(nwbtest.Files(t, name))
		now := f[key]
		f.attributes("general/devices/probe", func(a map[string]any) { a["description"] = "as it was" })
		j := &journal.Journal{Changes: []journal.Change{{Key: key, Data: now, Was: held.Version(true, f[key])}}}
		text, err := j.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		f[journal.Name] = text
		want(t, findings(t, in(t, f), check.Options{}))
	}
}

// moved is a copy of a node under another name.
func moved(f files, node, to string) files {
	c := maps.Clone(f)
	c.move(node, to)
	return c
}
