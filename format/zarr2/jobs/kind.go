package jobs

import (
	"context"
	"flag"
	"strings"

	"github.com/omnizarr/zarr/format/zarr2"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/store"
)

// Kind is what programs can do with Zarr v2, and what their flags said.
type Kind struct{ migrate MigrateOptions }

// Name is that of the format.
func (*Kind) Name() string { return zarr2.Format }

// ZarrFormat is 2.
func (*Kind) ZarrFormat() int { return 2 }

// Formats is the name alone.
func (*Kind) Formats() []string { return []string{zarr2.Format} }

// Endings are none: names do not tell versions apart.
func (*Kind) Endings() []string { return nil }

// FormatFlags are none.
func (*Kind) FormatFlags(*flag.FlagSet) {}

// Format is Zarr v2.
func (*Kind) Format(string) (copying.Format, error) { return Format(), nil }

// Commands are that for Migrate.
func (k *Kind) Commands() []*kind.Command {
	opts := &k.migrate
	return []*kind.Command{{
		Name:  "migrate",
		Short: "Turn Zarr v2 into v3 or back in place: metadata only, chunks stay",
		Long: `Change the metadata of a hierarchy from Zarr v2 to v3, or back. Chunks are neither
read nor written. xarray finds the same in it: what v2 says of missing values by
fill_value, v3 says by the attribute _FillValue. OME-NGFF 0.4 becomes 0.5 in v3, and 0.4
again in v2. Where the fill value of v2 is not that
of v3, chunks that are not stored are written out. Whether every node can be described in the other format is found
out first; if one cannot, nothing is changed and every reason is told. What has to be
written anew can be copied: omnizarr copy --to zarr2.

Consolidated metadata is made anew where there was some; --consolidate makes it in any
case, also for a hierarchy that is in the format already.`,
		Example: `  omnizarr migrate em.zarr
  omnizarr migrate --dry-run em.zarr
  omnizarr migrate --to zarr2 em.zarr
  omnizarr migrate --consolidate em.zarr`,
		Flags: func(set *flag.FlagSet) {
			set.StringVar(&opts.To, "to", "", "format of the metadata: "+strings.Join(Versions(), " or ")+" (default "+Versions()[0]+")")
			set.BoolVar(&opts.Keep, "keep", false, "leave the documents of the other format where they are")
			set.BoolVar(&opts.DryRun, "dry-run", false, "only tell whether it can be done")
			set.BoolVar(&opts.Consolidate, "consolidate", false, "write consolidated metadata; alone, without a change of format")
		},
		Check: func() error {
			if opts.To == "" {
				return nil
			}
			return kind.Choice("to", opts.To, Versions())
		},
		ReadOnly: func() bool { return opts.DryRun },
		Run: func(ctx context.Context, s store.Store, path string, env kind.Env) (kind.Result, error) {
			o := *opts
			o.Open, o.Bound = env.Open, env.Bound
			return Migrate(ctx, s, path, o)
		},
	}}
}
