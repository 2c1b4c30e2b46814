package jobs

import (
	"context"
	"flag"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/n5"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/virtual"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// Kind is what programs can do with N5, and what their flags said.
type Kind struct {
	copy  Copy
	adopt AdoptOptions
}

// Name is that of the format.
func (*Kind) Name() string { return n5.Format }

// OpenFlags adds --reversed.
func (k *Kind) OpenFlags(flags *flag.FlagSet) {
	flags.BoolVar(&k.copy.Reversed, "reversed", false, "show arrays of N5 with their axes the other way round, z first")
}

// OpenOptions are what it said.
func (k *Kind) OpenOptions() []zarr.Option {
	if !k.copy.Reversed {
		return nil
	}
	return []zarr.Option{zarr.With(n5.Reversed)}
}

// Formats is the name alone.
func (*Kind) Formats() []string { return []string{n5.Format} }

// Endings are how names of containers end.
func (*Kind) Endings() []string { return []string{".n5"} }

// FormatFlags adds --pad-edges; that axes are reversed goes for the copy as well.
func (k *Kind) FormatFlags(flags *flag.FlagSet) {
	flags.BoolVar(&k.copy.PadEdges, "pad-edges", false, "store blocks of N5 at the end of a dimension whole, as tensorstore does, not cut, as Java does")
}

// Format is N5 as the flags said.
func (k *Kind) Format(string) (copying.Format, error) { return k.copy.Format(), nil }

// Translates reports whether chunks are blocks of N5.
func (*Kind) Translates(codecs []meta.Extension) bool { return blockCodec(codecs) != "" }

// Translate notes what Python needs to read blocks.
func (*Kind) Translate(_ context.Context, a *virtual.Array) error {
	a.Note("nothing but the codec %s reads blocks of N5, which Python must have", blockCodec(a.Meta.Codecs))
	return nil
}

// blockCodec is the codec of a list that makes blocks of N5, "" if there is none.
func blockCodec(codecs []meta.Extension) string {
	for _, c := range codecs {
		if isBlock(c.Name) {
			return c.Name
		}
	}
	return ""
}

// Help tells what is special about N5.
func (*Kind) Help(command string) (paragraph, examples string) {
	switch command {
	case "":
		return "An N5 container opens like a folder of Zarr, by looking, or as base|n5:path.", ""
	case "copy":
		return `With --to n5 shards become their chunks, and chunks that the source does not store are
written where its fill value is not zero, which N5 cannot say. Images of OME-Zarr get
the attributes that programs for N5 look for. An array of shape [z, y, x] becomes a
dataset of dimensions [z, y, x]; with --reversed it becomes [x, y, z], as those
programs expect. From N5 it is the other way round: with --reversed, dimensions
[x, y, z] become the shape [z, y, x]. From N5 to N5 dimensions stay as they are either
way. Shapes on the command line are those of Zarr.`, "  omnizarr copy --to n5 --reversed em.zarr em.n5"
	}
	return "", ""
}

// Commands are that for Adopt.
func (k *Kind) Commands() []*kind.Command {
	return []*kind.Command{{
		Name:  "adopt",
		Short: "Make an N5 container Zarr v3 too: metadata only, blocks stay",
		Long: `Write a zarr.json beside every attributes.json of an N5 container, or of a group or
dataset in one, so that programs for Zarr v3 open it as well. Nothing that is there
is changed. All is checked first: if a node cannot be adopted, nothing is written.
Axes are in the order of N5, x first: Zarr has no way to name chunks the other way
round.

Blocks are read by

  n5_default  the registered codec for N5, whatever the blocks are
  pad         the usual codecs, and one that skips the header of a block
  offset      the same, by another codec

The last two are for datasets of numbers whose stored blocks are all whole; the
header of each is looked at. Blocks that Java writes at the end of a dimension are
cut; tensorstore and zarr-python write them whole, as copy --pad-edges does.`,
		Example: `  omnizarr adopt em.n5
  omnizarr adopt --with pad em.n5/volume/s0`,
		Items: "blocks",
		Flags: func(flags *flag.FlagSet) {
			flags.StringVar(&k.adopt.With, "with", AdoptWith()[0], "what reads the blocks: "+strings.Join(AdoptWith(), ", "))
			flags.BoolVar(&k.adopt.Overwrite, "overwrite", false, "replace every zarr.json that says something else")
		},
		Check: func() error { return kind.Choice("with", k.adopt.With, AdoptWith()) },
		Run: func(ctx context.Context, s store.Store, path string, env kind.Env) (kind.Result, error) {
			opts := k.adopt
			opts.Open, opts.Workers, opts.Progress = env.Open, env.Workers, env.Progress
			return Adopt(ctx, s, path, opts)
		},
	}}
}
