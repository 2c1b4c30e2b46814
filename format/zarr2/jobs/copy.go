// Package jobs holds what can be done with Zarr v2 beyond reading and writing it:
// copies are made in it, and a hierarchy goes from v2 to v3 and back in place.
package jobs

import (
	"encoding/json"
	"path"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/format/zarr2"
	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/job/copying"
)

// Format is Zarr v2 as a format of copies: it has no shards, and the keys of its
// chunks are its own unless the source has such keys.
func Format() copying.Nodes {
	return copying.Nodes{
		Format: zarr2.Format, Title: "Zarr v2", Options: []zarr.Option{version(zarr2.Format)}, Consolidated: true,
		Keys: func(a *zarr.Array) (json.RawMessage, error) {
			if _, same := a.Metadata().Keys.(grid.V2Keys); !same {
				return nil, nil
			}
			return a.Metadata().Keys.MarshalJSON()
		},
		Describe: nested,
	}
}

// nested gives the levels of images a folder for each dimension of their chunks, which
// OME-NGFF demands in Zarr v2.
func nested(groups map[string]*zarr.Group, specs map[string]zarr.ArraySpec) error {
	for at, g := range groups {
		images, err := ngff.Images(g.Attributes())
		if err != nil {
			continue // which is no image to anybody
		}
		for _, img := range images {
			for _, l := range img.Levels {
				level := path.Join(at, l.Path)
				if spec, ok := specs[level]; ok && spec.Keys == nil {
					spec.Keys = json.RawMessage(`{"name":"v2","configuration":{"separator":"/"}}`)
					specs[level] = spec
				}
			}
		}
	}
	return nil
}
