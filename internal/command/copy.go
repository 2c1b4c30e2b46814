package command

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec/pad"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/kind"
)

func (a *app) copyCommand() *cobra.Command {
	var to, chunks, shards, codecs, dataType, padding string
	var slice, maxMemory string
	var overwrite, virtual, asJSON, planOnly, verify, lossy, nodesOnly, sync bool
	own := map[kind.Target][]string{}                                           // flags
	var meaning []string                                                        // flags of conventions
	laid := []string{"chunks", "shards", "codecs", "data-type", "pad", "slice"} // and those of formats: lay arrays out anew
	cmd := &cobra.Command{
		Use:   "copy SRC DST",
		Short: "Copy an array or a hierarchy, with other chunks, shards, codecs or type",
		Long: `Copy an array, or a group with everything below it. Attributes, names of dimensions
and fill values stay; what no flag changes is as in the source. In a hierarchy,
chunks and shards are for the arrays with as many axes. The type of numbers is
changed by value: what the new type does not have is an error, except that floats
are rounded.

Chunks that no flag changes are copied as the bytes that they are, others by blocks
that keep to --max-memory and decode as little as possible twice; --plan tells. Codecs
that lose precision want --lossy. What else lies in the folder of the source, such as
a README, is copied along.

With --pad, every chunk is also a file that other programs open, by a header before it.

With --virtual, nothing but metadata is written, and where in the files of the
source the chunks are. DST.json becomes one file for Python, as kerchunk makes
them: zarr.open('reference://', storage_options={'fo': 'DST.json'}).

A copy goes where nothing is, or where the same copy was begun: one that was
interrupted is simply started again, and goes on. Until it is complete it does not open.
One that is there already is left as it is. With --overwrite it takes the place of nodes
that are there: on this machine these stay until the copy is complete, in stores that
cannot rename they are removed first. What belongs to no node is never removed.`,
		Example: `  omnizarr copy em.zarr packed.zip
  omnizarr copy --chunks 64,64,64 --shards 256,256,256 em.zarr/s0 sharded.zarr
  omnizarr copy --slice 'z=0:10' --verify em.zarr/s0 part.zarr
  omnizarr copy --plan --max-memory 2GB --chunks 64,64,64 em.zarr/s0 other.zarr
  omnizarr copy --codecs '["bytes", {"name": "gzip", "configuration": {"level": 5}}]' a.zarr b.zarr`,
		Args: names("a source", "a destination"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if virtual {
				return a.copyVirtual(cmd, args, overwrite, slices.Concat(append(slices.Collect(maps.Values(own)), meaning)...))
			}
			memory, err := bytesFlag(cmd, "max-memory", maxMemory)
			if err != nil {
				return err
			}
			a.bound(memory)
			opts := copying.Options{
				DataType: dataType, Pad: padding, Overwrite: overwrite, Slice: slice, Verify: verify, Lossy: lossy,
				NodesOnly: nodesOnly, Workers: a.workers, Memory: memory, Open: a.options(),
				Coordinates: []coordinates.Option{coordinates.Also(a.kinds.Coordinates()...)},
			}
			if sync {
				opts.Open = append(opts.Open, zarr.Sync())
			}
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
			if to, err = a.target(cmd, to, args[1]); err != nil {
				return err
			}
			for _, t := range kind.All[kind.Target](a.kinds) {
				if name := firstChanged(cmd, own[t]); name != "" && !slices.Contains(t.Formats(), to) {
					return badUsage(cmd, "--%s is for --to %s", name, strings.Join(t.Formats(), " and --to "))
				}
			}
			if opts.To, err = a.kinds.Target(to).Format(to); err != nil {
				return badUsage(cmd, "%w", err)
			}
			if takes, ok := opts.To.(copying.PartTaker); slice != "" && (!ok || !takes.TakesParts()) {
				return badUsage(cmd, "--slice is not for --to %s: copy the part to a folder first, and that to %s", to, args[1])
			}
			src, err := a.find(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer src.Close()
			request := kind.CopyRequest{Source: src, From: args[0], URL: args[1], Options: opts, Laid: changed(cmd, laid)}
			if planOnly || isTerminal(a.err) && !a.quiet && !asJSON {
				planned := opts
				for _, k := range kind.All[kind.CopyPlanner](a.kinds) {
					f, err := k.Planned(request)
					if kind.IsUsage(err) {
						return badUsage(cmd, "%w", err)
					}
					if err != nil {
						return err
					}
					if f != nil {
						planned.To = f
					}
				}
				err := a.plan(cmd.Context(), request, planned, planOnly, asJSON)
				if kind.IsUsage(err) {
					return badUsage(cmd, "%w", err)
				}
				if err != nil || planOnly {
					return err
				}
			}
			bar := a.newProgress("blocks")
			defer bar.end()
			opts.Progress = bar.tell()
			request.Options = opts
			for _, k := range kind.All[kind.Copier](a.kinds) {
				sum, done, err := k.Copy(cmd.Context(), request)
				if kind.IsUsage(err) {
					return badUsage(cmd, "%w", err)
				}
				if err != nil {
					return err
				}
				if done {
					bar.end()
					return a.copied(sum, asJSON)
				}
			}
			sum, err := copying.Copy(cmd.Context(), src.Node, args[1], opts)
			if err != nil {
				return err
			}
			bar.end()
			return a.copied(sum, asJSON)
		},
	}
	flags := cmd.Flags()
	formats := a.kinds.Formats()
	flags.StringVar(&to, "to", "", "format of the copy: "+strings.Join(formats, ", ")+" (default: what the name of DST says, else "+formats[0]+")")
	flags.StringVar(&chunks, "chunks", "", "shape of the chunks: 64,64,64")
	flags.StringVar(&shards, "shards", "", "shape of the shards, which hold chunks: 256,256,256")
	flags.StringVar(&codecs, "codecs", "", "the codecs list, as zarr.json has it")
	flags.StringVar(&dataType, "data-type", "", "type that numbers are converted to")
	flags.StringVar(&padding, "pad", "", "make every chunk a file that others open: "+strings.Join(pad.Names(), ", "))
	for _, t := range kind.All[kind.Target](a.kinds) {
		own[t] = flagNames(t.FormatFlags)
		laid = append(laid, own[t]...)
		addFlags(flags, t.FormatFlags)
	}
	for _, k := range kind.All[kind.Opener](a.kinds) {
		laid = append(laid, flagNames(k.OpenFlags)...)
	}
	for _, k := range kind.All[kind.Copier](a.kinds) {
		meaning = append(meaning, flagNames(k.CopyFlags)...)
		addFlags(flags, k.CopyFlags)
	}
	a.openFlags(cmd)
	flags.BoolVar(&virtual, "virtual", false, "refer to the files of the source instead of copying them")
	a.plainFlag(cmd)
	a.resolvedFlag(cmd)
	a.help(cmd, "copy")
	flags.StringVar(&slice, "slice", "", "copy this part: 0:10,::2,-1, or by name and value as cat takes it: 'time=0:10'; in a group it is for the arrays that have the dimensions")
	flags.StringVar(&maxMemory, "max-memory", "", "most memory to use: 512MiB, 2GB (default: a quarter of what the process may use)")
	flags.BoolVar(&verify, "verify", false, "read the copy back and compare it with the source")
	flags.BoolVar(&lossy, "lossy", false, "allow codecs that lose precision")
	flags.BoolVar(&nodesOnly, "nodes-only", false, "leave out files of the source that are no part of groups and arrays")
	flags.BoolVar(&sync, "sync", false, "wait until everything has reached the disk")
	flags.BoolVar(&planOnly, "plan", false, "print what would be done, and do nothing")
	flags.BoolVar(&asJSON, "json", false, "print the summary, or the plan, as JSON on standard output")
	flags.BoolVar(&overwrite, "overwrite", false, "replace the nodes at the destination")
	return cmd
}

// copied tells what a copy did: in one line on standard error, or as JSON.
func (a *app) copied(sum copying.Summary, asJSON bool) error {
	if !asJSON {
		for _, l := range sum.Linked {
			a.note(fmt.Sprintf("linked: %s is copied to %s", l.From, l.To))
		}
		for _, text := range sum.Notes {
			a.note(text)
		}
	}
	switch {
	case asJSON:
		return a.printJSON(sum)
	case a.quiet:
	case a.logger != nil:
		a.logger.Info("copied", "summary", sum)
	default:
		_, err := fmt.Fprintf(a.err, "omnizarr: %s\n", words.OneLine(sum.String()))
		return err
	}
	return nil
}

// plan tells what a copy is going to do: on standard error before it is done, and on
// standard output where nothing else is. Only then is the source listed for it, and
// asked what else there is to tell.
func (a *app) plan(ctx context.Context, r kind.CopyRequest, opts copying.Options, only, asJSON bool) error {
	src := r.Source.Node
	plan, err := copying.PlanOf(ctx, src, opts)
	if err != nil {
		return err
	}
	if only {
		foreign, err := copying.FindForeign(ctx, src)
		if err != nil {
			return err
		}
		plan.NotCopied = append(plan.NotCopied, foreign.Left...)
		if takes, ok := opts.To.(copying.FileTaker); opts.NodesOnly || !ok || !takes.TakesFiles() {
			plan.NotCopied = append(plan.NotCopied, foreign.Files...)
		} else {
			plan.Files = foreign.Files
		}
		for _, k := range kind.All[kind.CopyForeteller](a.kinds) {
			if err := k.PlanFurther(ctx, r, &plan); err != nil {
				return err
			}
		}
	}
	switch {
	case asJSON:
		return a.printJSON(plan)
	case only:
		for _, line := range plan.Lines() {
			if err := a.printf("%s\n", line); err != nil {
				return err
			}
		}
		return nil
	}
	for _, line := range plan.Lines() {
		fmt.Fprintf(a.err, "  %s\n", words.OneLine(line))
	}
	return nil
}

// bound makes the process keep to a number of bytes, as far as it can; 0 is no bound.
// A copy has its own for elements: this is for the rest.
func (a *app) bound(memory int64) {
	if memory == 0 {
		return
	}
	const programs = 28 << 20 // what the program itself takes, which the collector does not see
	debug.SetMemoryLimit(min(max(memory-programs, memory/2), debug.SetMemoryLimit(-1)))
	a.inFlight = max(memory/8, 1)
	if a.maxChunk == 0 {
		a.maxChunk = int(min(memory, math.MaxInt))
	}
}

// bytesFlag reads a number of bytes such as 64MB, 1GiB or 1000000; empty is 0.
func bytesFlag(cmd *cobra.Command, name, text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	digits := strings.TrimRight(text, "bBiIkKmMgGtT ")
	unit := strings.ToLower(strings.TrimSpace(text[len(digits):]))
	units := map[string]float64{"": 1, "b": 1}
	for i, letter := range []string{"k", "m", "g", "t"} {
		units[letter], units[letter+"b"] = math.Pow(1000, float64(i+1)), math.Pow(1000, float64(i+1))
		units[letter+"i"], units[letter+"ib"] = math.Pow(1024, float64(i+1)), math.Pow(1024, float64(i+1))
	}
	n, err := strconv.ParseFloat(digits, 64)
	if factor, ok := units[unit]; ok && err == nil && n*factor >= 1 && n*factor < 1<<62 {
		return int64(n * factor), nil
	}
	return 0, badUsage(cmd, "--%s %s: must be a number of bytes, such as 512MiB or 2GB", name, text)
}

// target is the format of a copy: what --to or the name of the destination says.
func (a *app) target(cmd *cobra.Command, to, dst string) (string, error) {
	if to == "" {
		return cmp.Or(a.kinds.Piped(dst), a.kinds.Named(dst), a.kinds.Formats()[0]), nil
	}
	if err := kind.Choice("to", to, a.kinds.Formats()); err != nil {
		return "", badUsage(cmd, "%w", err)
	}
	if piped := a.kinds.Piped(dst); piped != "" && piped != to {
		return "", badUsage(cmd, "--to %s: %s is %s", to, dst, piped)
	}
	return to, nil
}

// changed are those of some flags that were given.
func changed(cmd *cobra.Command, names []string) (given []string) {
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			given = append(given, name)
		}
	}
	return given
}

// firstChanged is the first of some flags that was given, or empty.
func firstChanged(cmd *cobra.Command, names []string) string {
	if given := changed(cmd, names); given != nil {
		return given[0]
	}
	return ""
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
