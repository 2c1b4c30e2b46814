package check_test

import (
	"maps"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf/check"
	"github.com/omnizarr/zarr/internal/nwbtest"
)

// Consolidated metadata that differs from the nodes is told node by node.
func TestStaleConsolidated(t *testing.T) {
	for _, name := range []string{"session_v2.nwb.zarr", "session_v3.nwb.zarr"} {
		t.Run(name, func(t *testing.T) {
			good := files(nwbtest.Files(t, name))
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
				t.Run(what, func(t *testing.T) { want(t, findings(t, in(t, f), check.Options{}), test.want...) })
			}
		})
	}
}

// moved is a copy of a node under another name.
func moved(f files, node, to string) files {
	c := maps.Clone(f)
	c.move(node, to)
	return c
}
