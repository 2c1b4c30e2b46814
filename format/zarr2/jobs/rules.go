package jobs

import (
	"context"
	"path"

	"github.com/omnizarr/zarr/format/zarr2"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// consolidatedName is that of the document with the metadata of all nodes.
const consolidatedName = ".zmetadata"

// Rules are those for the documents of Zarr v2.
func (*Kind) Rules() check.Rules {
	return check.Rules{
		Format: zarr2.Format, Node: consolidated,
		Documents: map[string]string{".zarray": "", ".zgroup": "", ".zattrs": "attributes", consolidatedName: "consolidated"},
		Members: map[string]string{
			"chunks": "chunk_grid", "dtype": "data_type", "dimension_separator": "chunk_key_encoding",
			"compressor": "codecs", "filters": "codecs", "order": "codecs",
		},
	}
}

// consolidated checks consolidated metadata: where nodes are opened, such as cannot
// be read counts as none.
func consolidated(ctx context.Context, s store.Store, at string, tell func(rule, problem string)) {
	text, _, err := s.Get(ctx, path.Join(at, consolidatedName), store.UpTo(meta.MaxBytes), nil)
	if err != nil {
		return
	}
	if _, err := zarr2.ParseConsolidated(text); err != nil {
		tell("consolidated", err.Error())
	}
}
