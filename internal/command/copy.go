package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr/codec/pad"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/landing"
	"github.com/omnizarr/zarr/job/request"
	"github.com/omnizarr/zarr/kind"
)

func (a *app) copyCommand() *cobra.Command {
	var to, chunks, shards, codecs, dataType, padding string
	var slice, maxMemory, part string
	var overwrite, virtual, asJSON, planOnly, verify, lossy, nodesOnly, direct bool
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
that keep to --max-memory and decode as little as possible twice; --plan tells. Where
the source would be decoded several times all the same, an array goes by way of another
one, with chunks between those of source and copy: it lies in a hidden folder of the
copy, takes as much room as the elements do, and is removed in the end; --direct does
without, and so do archives and --part. Codecs that lose precision want --lossy. What
else lies in the folder of the source, such as a README, is copied along.

With --pad, every chunk is also a file that other programs open, by a header before it.

With --virtual, nothing but metadata is written, and where in the files of the
source the chunks are. DST.json becomes one file for Python, as kerchunk makes
them: zarr.open('reference://', storage_options={'fo': 'DST.json'}).

A copy goes where nothing is, or where the same copy was begun: one that was
interrupted is simply started again, and goes on. Until it is complete it does not open.
One that is there already is left as it is. With --overwrite it takes the place of nodes
that are there: on this machine these stay until the copy is complete, in stores that
cannot rename they are removed first. What belongs to no node is never removed.

With --part i/n this is one of n processes, on any machines, that make the copy together:
in a folder that all see, or in a bucket. Parts may run in any order, at once, and again;
none waits for another, and the one that completes the last of them finishes. All must be
asked for the same, also for the same --max-memory (1GiB if it is not given).`,
		Example: `  omnizarr copy em.zarr packed.zip
  omnizarr copy --chunks 64,64,64 --shards 256,256,256 em.zarr/s0 sharded.zarr
  omnizarr copy --slice 'z=0:10' --verify em.zarr/s0 part.zarr
  omnizarr copy --plan --max-memory 2GB --chunks 64,64,64 em.zarr/s0 other.zarr
  omnizarr copy --part 3/16 --shards 256,256,256 em.zarr/s0 sharded.zarr
  omnizarr copy --codecs '["bytes", {"name": "gzip", "configuration": {"level": 5}}]' a.zarr b.zarr`,
		Args: names("a source", "a destination"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if virtual {
				return a.copyVirtual(cmd, args, overwrite, slices.Concat(append(slices.Collect(maps.Values(own)), meaning)...))
			}
			c := request.Copy{
				From: args[0], To: args[1], DataType: dataType, Pad: padding, Slice: slice, Lossy: lossy, NodesOnly: nodesOnly,
				Overwrite: overwrite, Verify: verify, Direct: direct, Laid: changed(cmd, laid),
			}
			var err error
			if c.Memory, err = bytesFlag(cmd, "max-memory", maxMemory); err != nil {
				return err
			}
			a.bound(c.Memory)
			c.Open = a.opening()
			if c.Chunks, err = shapeFlag(cmd, "chunks", chunks); err != nil {
				return err
			}
			if c.Shards, err = shapeFlag(cmd, "shards", shards); err != nil {
				return err
			}
			if codecs != "" {
				if err := strictjson.Validate([]byte(codecs), strictjson.Options{}); err != nil {
					return badUsage(cmd, "--codecs: %w", err)
				}
				c.Codecs = json.RawMessage(codecs)
			}
			if c.Format, err = a.target(cmd, to, args[1]); err != nil {
				return err
			}
			for _, t := range kind.All[kind.Target](a.kinds) {
				if name := firstChanged(cmd, own[t]); name != "" && !slices.Contains(t.Formats(), c.Format) {
					return badUsage(cmd, "--%s is for --to %s", name, strings.Join(t.Formats(), " and --to "))
				}
			}
			share, of, err := partFlag(cmd, part)
			if err != nil {
				return err
			}
			if of > 0 && overwrite {
				return badUsage(cmd, "--overwrite is not for --part: no part can know whether it is the first; remove %s before", args[1])
			}
			if a.executor != nil && !planOnly {
				c.Flags = flagValues(cmd, meaning, slices.Concat(slices.Collect(maps.Values(own))...), a.openFlagNames())
				var sum copying.Summary
				if err := a.run(cmd.Context(), c.Spec, &sum); err != nil {
					return usageOf(cmd, err)
				}
				return a.copied(sum, asJSON)
			}
			request, err := c.Ready(cmd.Context(), a.kinds)
			if kind.IsUsage(err) {
				return badUsage(cmd, "%w", err)
			}
			if err != nil {
				return err
			}
			defer request.Close()
			opts := &request.Options
			if of > 0 {
				if s, ok := opts.To.(copying.Spreader); !ok || !s.Spreads() {
					return badUsage(cmd, "--part is not for --to %s: one process writes a file; copy to a folder in parts, and that to %s", c.Format, args[1])
				}
				opts.Spread = copying.Share(share, of)
			}
			if planOnly || isTerminal(a.err) && !a.quiet && !asJSON {
				planned := *opts
				planned.Direct = planned.Direct || landing.IsFile(args[1])
				for _, k := range kind.All[kind.CopyPlanner](a.kinds) {
					f, err := k.Planned(request.CopyRequest)
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
				err := a.plan(cmd.Context(), request.CopyRequest, planned, planOnly, asJSON)
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
			sum, err := request.Copy(cmd.Context())
			if kind.IsUsage(err) || of > 0 && errors.Is(err, landing.ErrAlone) {
				return badUsage(cmd, "%w", err)
			}
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
	completeChoice(cmd, "to", formats)
	flags.StringVar(&chunks, "chunks", "", "shape of the chunks: 64,64,64")
	flags.StringVar(&shards, "shards", "", "shape of the shards, which hold chunks: 256,256,256")
	flags.StringVar(&codecs, "codecs", "", "the codecs list, as zarr.json has it")
	flags.StringVar(&dataType, "data-type", "", "type that numbers are converted to")
	flags.StringVar(&padding, "pad", "", "make every chunk a file that others open: "+strings.Join(pad.Names(), ", "))
	completeChoice(cmd, "pad", pad.Names())
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
	flags.BoolVar(&direct, "direct", false, "never go by way of another array, however often the source is decoded")
	flags.BoolVar(&lossy, "lossy", false, "allow codecs that lose precision")
	flags.BoolVar(&nodesOnly, "nodes-only", false, "leave out files of the source that are no part of groups and arrays")
	a.syncFlag(cmd, false)
	flags.BoolVar(&planOnly, "plan", false, "print what would be done, and do nothing")
	flags.BoolVar(&asJSON, "json", false, "print the summary, or the plan, as JSON on standard output")
	flags.StringVar(&part, "part", "", "make part i of n of the copy: 3/16; when all are made, in any order and by any machine, it is complete")
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
		_, err := fmt.Fprintf(a.err, "%s: %s\n", a.name, words.OneLine(sum.String()))
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

// limitMemory is another one in tests whose process has more in memory than a copy may.
var limitMemory = debug.SetMemoryLimit

// bound makes the process keep to a number of bytes, as far as it can; 0 is no bound.
// A copy has its own for elements: this is for the rest.
func (a *app) bound(memory int64) {
	if memory == 0 {
		return
	}
	const (
		programs = 28 << 20 // what the program itself takes, which the collector does not see
		least    = 16 << 20 // below which the collector runs without end and finds nothing
	)
	limitMemory(min(max(memory-programs, memory/2, least), debug.SetMemoryLimit(-1)))
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
