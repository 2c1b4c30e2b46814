// Package describe tells programs and people what an HDMF file holds: what a session
// is, tables and series row by row, where links and references lead. It is the
// convention HDMF of package convention.
package describe

import (
	"context"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/format/hdmf"
)

// Convention is that of HDMF and NWB files.
type Convention struct{}

// Name is "hdmf".
func (c *Convention) Name() string { return "hdmf" }

// May reports whether a node may be part of an HDMF file.
func (c *Convention) May(ctx context.Context, n zarr.Node) (bool, error) {
	if g, ok := n.(*zarr.Group); ok {
		return hdmf.Is(ctx, g)
	}
	if n == nil {
		return false, nil
	}
	attrs := n.Attributes()
	for _, name := range []string{"zarr_dtype", "_DTYPE", "_REFERENCE_FIELDS", "neurodata_type"} {
		if attrs.Raw(name) != nil {
			return true, nil
		}
	}
	return attrs.Raw("namespace") != nil && attrs.Raw("data_type") != nil, nil
}

// IsFile reports whether a group looks like a file; one that names cached schemas is
// one.
func (c *Convention) IsFile(ctx context.Context, g *zarr.Group) (looks, sure bool, err error) {
	if g == nil {
		return false, false, nil
	}
	looks, err = hdmf.Is(ctx, g)
	return looks, g.Metadata().Attributes.Raw(".specloc") != nil, err
}

// Open gives the object at a path of a file.
func (c *Convention) Open(ctx context.Context, file *zarr.Group, at string, opts ...zarr.Option) (convention.Object, error) {
	if file == nil {
		return nil, zarr.ErrNoNode
	}
	f := hdmf.Of(ctx, file, hdmf.Zarr(opts...))
	o, err := f.Object(ctx, at)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &Object{c, o, f}, nil
}
