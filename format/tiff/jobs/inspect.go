package jobs

import (
	"context"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/tiff"
	"github.com/omnizarr/zarr/store"
)

// Inspect looks at the directories of a file that no image needs, and at the chain of
// all.
func (*Kind) Inspect(ctx context.Context, root zarr.Node, tell func(path, problem string)) (more []string, err error) {
	s, ok := store.Behind[*tiff.Store](root.Store())
	if !ok || root.Path() != "" {
		return nil, nil
	}
	survey, err := s.File().Survey(ctx)
	for _, f := range survey.Faults {
		tell("/"+f.Path, f.Problem)
	}
	return survey.Apart, err
}
