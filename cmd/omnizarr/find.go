package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/format/hdmf/describe"
)

// conventions are those that files are looked at by.
var conventions = []convention.Convention{&describe.Convention{}}

// plainFlag adds the flag to a command that knows files of conventions.
func (a *app) plainFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.plain, "plain", false, "show an HDMF or NWB file as the Zarr nodes that it is made of")
}

// find opens what a URL names.
func (a *app) find(ctx context.Context, url string, more ...zarr.Option) (*convention.Subject, error) {
	known := conventions
	if a.plain {
		known = nil
	}
	return convention.Find(ctx, url, known, a.options(more...)...)
}
