// Package jobs holds what can be done with HDMF files beyond reading and writing them:
// metadata is validated by their schemas, and a file is copied with all that it means.
package jobs

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/check"
	job "github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/kind"
)

// Further gives a check for job/check.Validate of the node at a path of an HDMF file,
// "/" for all of it: what the file says of the node and of what lies below it has to
// be so. What is wrong with documents in themselves has been told then.
func Further(file *hdmf.File, at string, opts check.Options) kind.Further {
	return func(ctx context.Context, found *job.Validation) error {
		findings, err := check.File(ctx, file, opts)
		top := path.Clean("/" + at)
		if top == "/" && file.Zarr().Metadata().Consolidated != nil {
			// The check compares it as well, and knows that schemas need not be in it.
			found.Problems = slices.DeleteFunc(found.Problems, func(p job.Violation) bool { return p.Rule == "consolidated" })
		}
		known := map[string]bool{}
		for _, p := range found.Problems {
			known[p.Path] = true
		}
		for _, f := range findings {
			below, ok := strings.CutPrefix(f.Path, strings.TrimSuffix(top, "/"))
			if !ok || below != "" && below[0] != '/' {
				continue
			}
			at := path.Clean("/" + below)
			switch v := (job.Violation{Path: at, Rule: f.Rule, Problem: f.Problem}); {
			case f.Warning:
				found.Warnings = append(found.Warnings, v)
			case f.Rule != check.Unreadable || !known[at]:
				found.Problems = append(found.Problems, v)
			}
		}
		return err
	}
}
