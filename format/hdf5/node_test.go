package hdf5_test

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// Documents that are handed over as values are those that are read as JSON, whatever
// is read first, and belong to whom they are handed to.
func TestNodesAreTheirDocuments(t *testing.T) {
	files := fixtures(t)
	files["session.nwb"] = session(t)
	nodes := 0
	for i, name := range slices.Sorted(maps.Keys(files)) {
		if name != "session.nwb" && i%thorough.Least(5, 1, 1) != 0 {
			continue
		}
		if strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".raw") {
			continue
		}
		s, err := open(files, name)
		if err != nil {
			continue // no HDF5 file, but one that belongs to it
		}
		for e, err := range s.List(ctx, "", "") {
			check(t, err)
			at, ok := strings.CutSuffix("/"+e.Key, "/zarr.json")
			if !ok {
				continue
			}
			at = strings.TrimPrefix(at, "/")
			n, _, err := s.Node(ctx, at)
			text, _, textErr := s.Get(ctx, path.Join(at, "zarr.json"), store.All(), nil)
			if (err == nil) != (textErr == nil) {
				t.Errorf("%s %s: %v, but %v", name, at, err, textErr)
			}
			if err != nil || textErr != nil {
				continue
			}
			nodes++
			parsed, err := meta.Parse(text, meta.Registry{DataType: dtype.Parse})
			if err != nil {
				t.Errorf("%s %s: %v", name, at, err)
				continue
			}
			again, err := parsed.Marshal()
			check(t, err)
			mine, err := n.Marshal()
			check(t, err)
			if !bytes.Equal(mine, text) || !bytes.Equal(again, text) {
				t.Errorf("%s %s: as a value\n%s\nas JSON\n%s\nread again\n%s", name, at, mine, text, again)
			}
			check(t, n.Attrs().Set("changed", true))
			if other, _, err := s.Node(ctx, at); err != nil || other.Attrs().Raw("changed") != nil {
				t.Errorf("%s %s: a change is seen by others: %v", name, at, err)
			}
		}
		check(t, s.Close())
	}
	if nodes < thorough.Least(100, 500, 500) {
		t.Errorf("%d nodes", nodes)
	}
}
