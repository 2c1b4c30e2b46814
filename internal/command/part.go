package command

import (
	"context"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/job/request"
	"github.com/omnizarr/zarr/job/spread"
	"github.com/omnizarr/zarr/kind"
)

// mostParts bounds n of --part i/n.
const mostParts = 1 << 20

// partFlag reads 3/16; nothing is 0 of 0.
func partFlag(cmd *cobra.Command, text string) (part, of int, err error) {
	if text == "" {
		return 0, 0, nil
	}
	first, second, ok := strings.Cut(text, "/")
	part, err = strconv.Atoi(first)
	of, also := strconv.Atoi(second)
	if !ok || err != nil || also != nil || part < 1 || part > of || of > mostParts {
		return 0, 0, badUsage(cmd, "--part %s: must be i/n, such as 3/16, with i from 1 to n", text)
	}
	return part, of, nil
}

// openFlagNames are the flags of kinds for how nodes are opened.
func (a *app) openFlagNames() (names []string) {
	for _, k := range kind.All[kind.Opener](a.kinds) {
		names = append(names, flagNames(k.OpenFlags)...)
	}
	return names
}

// flagValues are the values of those of some flags that were given, by their names.
func flagValues(cmd *cobra.Command, names ...[]string) map[string]string {
	out := map[string]string{}
	for _, list := range names {
		for _, name := range changed(cmd, list) {
			out[name] = cmd.Flags().Lookup(name).Value.String()
		}
	}
	return out
}

// oneURL checks the arguments of a command that takes one, or with merge any number of
// files.
func oneURL(merge *bool) cobra.PositionalArgs {
	one := names("one URL")
	return func(cmd *cobra.Command, args []string) error {
		if !*merge {
			return one(cmd, args)
		}
		if len(args) == 0 {
			return badUsage(cmd, "--merge takes files that --part printed")
		}
		if cmd.Flags().Changed("part") {
			return badUsage(cmd, "--part and --merge are two steps")
		}
		return nil
	}
}

// readParts reads what --part printed.
func readParts(kind string, files []string) (parts []request.Part, err error) {
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		p, err := request.ReadPart(name, text, kind)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// usageOf makes an error about flags one of the command.
func usageOf(cmd *cobra.Command, err error) error {
	if kind.IsUsage(err) {
		return badUsage(cmd, "%w", err)
	}
	return err
}

// run lets the executor do a job.
func (a *app) run(ctx context.Context, job func() (spread.Spec, error), result any) error {
	spec, err := job()
	if err != nil {
		return err
	}
	text, err := a.executor.Run(ctx, spec)
	if err != nil {
		return err
	}
	return strictjson.Unmarshal(text, result)
}
