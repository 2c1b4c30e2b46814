package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/coordinates"
)

// plainFlag adds the flag to a command that knows files of conventions.
func (a *app) plainFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.plain, "plain", false, "show a file of a convention as the nodes that it is made of")
}

// resolvedFlag adds the flag to a command that can do without links.
func (a *app) resolvedFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.resolved, "resolved", false, "show a file of a convention as nodes alone, with what links lead to in their places and references as paths")
}

// find opens what a URL names.
func (a *app) find(ctx context.Context, url string, more ...zarr.Option) (*convention.Subject, error) {
	return a.opening().Find(ctx, a.kinds, url, more...)
}

// selection reads the slice of an array, by position, by name or by value of
// coordinates.
func (a *app) selection(ctx context.Context, n zarr.Node, slice string, opts ...coordinates.Option) (zarr.Selection, error) {
	sel, err := coordinates.Select(ctx, n, slice, append(opts, coordinates.Also(a.kinds.Coordinates()...))...)
	if err != nil {
		return nil, err
	}
	if arr, ok := n.(*zarr.Array); ok {
		_, err = arr.ResultShape(sel)
	}
	return sel, err
}
