package check

import (
	"context"
	"path"
	"slices"
	"strings"

	hdmfcheck "github.com/omnizarr/zarr/format/hdmf/check"
)

// hdmf checks an HDMF file, and tells what concerns the node. What is wrong with
// documents in themselves has been told.
func (v *validator) hdmf(ctx context.Context, opts ValidateOptions) error {
	findings, err := hdmfcheck.File(ctx, opts.HDMF, opts.Check)
	top := path.Clean("/" + opts.HDMFPath)
	if root := opts.HDMF.Zarr(); top == "/" && root.Metadata().Consolidated != nil {
		// The check compares it as well, and knows that schemas need not be in it.
		v.found.Problems = slices.DeleteFunc(v.found.Problems, func(p Violation) bool { return p.Rule == "consolidated" })
	}
	known := map[string]bool{}
	for _, p := range v.found.Problems {
		known[p.Path] = true
	}
	for _, f := range findings {
		below, ok := strings.CutPrefix(f.Path, strings.TrimSuffix(top, "/"))
		if !ok || below != "" && below[0] != '/' {
			continue
		}
		if at := path.Clean("/" + below); f.Rule != hdmfcheck.Unreadable || !known[at] {
			v.problem(at, f.Rule, f.Problem)
		}
	}
	return err
}
