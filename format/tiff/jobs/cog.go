package jobs

import (
	"context"
	"flag"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/format/tiff"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/store"
)

// CheckFlags adds the flag that wants a file to be a COG.
func (k *Kind) CheckFlags(flags *flag.FlagSet) {
	flags.BoolVar(&k.wantsCOG, "cog", false, "a TIFF file must be a Cloud Optimized GeoTIFF; without it, what makes one none that says it is one is a warning")
}

// Further adds nothing to the rules.
func (*Kind) Further(context.Context, string, convention.Object, []zarr.Option) (kind.Further, error) {
	return nil, nil
}

// Rules are those of Cloud Optimized GeoTIFF.
func (k *Kind) Rules() check.Rules { return check.Rules{Meaning: k.cog} }

const cogRule = "cog"

// cog checks a file once, whichever node of it is validated.
func (k *Kind) cog(ctx context.Context, n zarr.Node, found *check.Findings) {
	if found.Path() != "/" {
		return
	}
	s, ok := store.Behind[*tiff.Store](n.Store())
	if !ok {
		if k.wantsCOG {
			found.Problem("", cogRule, "is no TIFF file")
		}
		return
	}
	c, err := s.File().COG(ctx)
	if err != nil {
		found.Problem("", cogRule, err.Error())
		return
	}
	for _, text := range c.Errors {
		switch {
		case k.wantsCOG:
			found.Problem("", cogRule, text)
		case c.Claimed:
			found.Warn("", cogRule, "says that it is a COG, but: "+text)
		}
	}
	for _, text := range c.Warnings {
		if k.wantsCOG || c.Claimed {
			found.Warn("", cogRule, text)
		}
	}
}
