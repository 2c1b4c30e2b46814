package command

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr/job/request"
	"github.com/omnizarr/zarr/job/virtual"
)

// copyFlags are those that change chunks, besides those of kinds.
var copyFlags = []string{"to", "chunks", "shards", "codecs", "data-type", "pad", "slice", "verify", "lossy", "max-memory", "plan", "json"}

// copyVirtual is copy with --virtual. more are the flags of formats.
func (a *app) copyVirtual(cmd *cobra.Command, args []string, overwrite bool, more []string) error {
	if name := firstChanged(cmd, slices.Concat(copyFlags, more)); name != "" {
		return badUsage(cmd, "--%s: chunks stay as they are with --virtual", name)
	}
	src, err := a.open(cmd.Context(), args[0], request.Omitting())
	if err != nil {
		return err
	}
	defer src.Close()
	bar := a.newProgress("arrays")
	var notes []string
	err = virtual.Write(cmd.Context(), src, args[1], virtual.Options{
		Overwrite: overwrite, Progress: bar.tell(), Open: a.options(),
		Translators: a.kinds.Translators(), Note: func(text string) { notes = append(notes, text) },
	})
	bar.end()
	for _, text := range request.Omitted(src) {
		notes = append(notes, "not copied: "+text)
	}
	for _, text := range notes {
		a.note(text)
	}
	return err
}
