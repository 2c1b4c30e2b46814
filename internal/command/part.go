package command

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/request"
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

// sent lets the executor make a copy.
func (a *app) sent(cmd *cobra.Command, c request.Copy, asJSON bool) error {
	spec, err := c.Spec()
	if err != nil {
		return err
	}
	text, err := a.executor.Run(cmd.Context(), spec)
	if kind.IsUsage(err) {
		return badUsage(cmd, "%w", err)
	}
	if err != nil {
		return err
	}
	var sum copying.Summary
	if err := strictjson.Unmarshal(text, &sum); err != nil {
		return err
	}
	return a.copied(sum, asJSON)
}
