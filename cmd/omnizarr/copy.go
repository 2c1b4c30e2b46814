package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr/codec/pad"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/job"
)

// copyFormats are what --to knows; only the first two can be written.
var copyFormats = []string{"zarr3", "zarr2", "n5", "tiff", "cog"}

func (a *app) copyCommand() *cobra.Command {
	var to, chunks, shards, codecs, dataType, padding string
	var overwrite bool
	cmd := &cobra.Command{
		Use:   "copy SRC DST",
		Short: "Copy an array or a hierarchy, with other chunks, shards, codecs or type",
		Long: `Copy an array, or a group with everything below it. Attributes, names of dimensions
and fill values stay; what no flag changes is as in the source. In a hierarchy,
chunks and shards are for the arrays with as many axes. The type of numbers is
changed by value: what the new type does not have is an error, except that floats
are rounded.

With --pad, every chunk is also a TIFF file or an N5 block, by a header before it.

A copy goes where nothing is, or where the same copy was begun: one that was
interrupted is simply started again.`,
		Example: `  omnizarr copy em.zarr packed.zip
  omnizarr copy --chunks 64,64,64 --shards 512,512,512 em.zarr/s0 sharded.zarr
  omnizarr copy --codecs '["bytes", {"name": "gzip", "configuration": {"level": 5}}]' a.zarr b.zarr`,
		Args: names("a source", "a destination"),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts := job.CopyOptions{Format: to, DataType: dataType, Pad: padding, Overwrite: overwrite, Workers: a.workers, Open: a.options()}
			var err error
			if opts.Chunks, err = shapeFlag(cmd, "chunks", chunks); err != nil {
				return err
			}
			if opts.Shards, err = shapeFlag(cmd, "shards", shards); err != nil {
				return err
			}
			if codecs != "" {
				if err := strictjson.Validate([]byte(codecs), strictjson.Options{}); err != nil {
					return badUsage(cmd, "--codecs: not JSON: %w", err)
				}
				opts.Codecs = json.RawMessage(codecs)
			}
			if padding != "" && !slices.Contains(pad.Names(), padding) {
				return badUsage(cmd, "--pad %s: must be one of %s", padding, strings.Join(pad.Names(), ", "))
			}
			if !slices.Contains(copyFormats, to) {
				return badUsage(cmd, "--to %s: must be one of %s", to, strings.Join(copyFormats, ", "))
			}
			if !slices.Contains(copyFormats[:2], to) {
				return fmt.Errorf("copy to %s: writing %s is not supported, only %s", args[1], to, strings.Join(copyFormats[:2], " and "))
			}
			src, err := a.open(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer src.Close()
			bar := a.newProgress("blocks")
			opts.Progress = bar.tell()
			err = job.Copy(cmd.Context(), src, args[1], opts)
			bar.end()
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&to, "to", copyFormats[0], "format of the copy")
	flags.StringVar(&chunks, "chunks", "", "shape of the chunks: 64,64,64")
	flags.StringVar(&shards, "shards", "", "shape of the shards, which hold chunks: 512,512,512")
	flags.StringVar(&codecs, "codecs", "", "the codecs list, as zarr.json has it")
	flags.StringVar(&dataType, "data-type", "", "type that numbers are converted to")
	flags.StringVar(&padding, "pad", "", "make every chunk a file that others open: tiff or n5")
	flags.BoolVar(&overwrite, "overwrite", false, "remove what is at the destination")
	return cmd
}

// shapeFlag reads 64,64,64 or [64, 64, 64].
func shapeFlag(cmd *cobra.Command, name, text string) ([]int, error) {
	if text == "" {
		return nil, nil
	}
	var shape []int
	for part := range strings.SplitSeq(strings.Trim(strings.TrimSpace(text), "[]()"), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 {
			return nil, badUsage(cmd, "--%s %s: must be lengths of at least 1 with commas between them", name, text)
		}
		shape = append(shape, n)
	}
	return shape, nil
}
