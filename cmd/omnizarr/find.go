package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
)

// plainFlag adds the flag to a command that knows files of conventions.
func (a *app) plainFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.plain, "plain", false, "show a file of a convention as the nodes that it is made of")
}

// find opens what a URL names.
func (a *app) find(ctx context.Context, url string, more ...zarr.Option) (*convention.Subject, error) {
	known := a.kinds.Conventions()
	if a.plain {
		known = nil
	}
	return convention.Find(ctx, url, known, a.options(more...)...)
}
