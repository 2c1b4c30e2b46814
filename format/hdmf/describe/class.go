package describe

import (
	"context"

	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/format/hdmf"
)

// Title is NWB for files of neurophysiology, HDF5 for files of it that are not of HDMF, else
// HDMF.
func (o *Object) Title() string {
	if o.opened.Plain() {
		return "HDF5"
	}
	if root := o.opened.Root(); root != nil && root.Type().Name == "NWBFile" {
		return "NWB"
	}
	return "HDMF"
}

// Type is that of the schema.
func (o *Object) Type() string { return o.object.Type().Name }

// Class tells series, tables, and those of units with spikes.
func (o *Object) Class(ctx context.Context) convention.Class {
	g, ok := o.object.(*hdmf.Group)
	switch {
	case !ok:
		return ""
	case hdmf.IsTable(g):
		if _, err := g.Object(ctx, "spike_times"); err == nil {
			return convention.SpikesClass
		}
		return convention.TableClass
	case hdmf.IsSeries(ctx, g):
		// Of films and the like the data themselves are looked at.
		if data, err := g.Object(ctx, "data"); err == nil {
			d, ok := data.(*hdmf.Dataset)
			switch {
			case !ok || len(d.Shape()) > 2:
			case d.DType().Kind == hdmf.Number:
				return convention.SeriesClass
			default: // words with times
				return convention.TableClass
			}
		}
	}
	return ""
}
