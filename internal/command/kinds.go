package command

import (
	"flag"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/locate"
)

// addFlags adds those of a kind to a command.
func addFlags(flags *pflag.FlagSet, add func(*flag.FlagSet)) {
	set := flag.NewFlagSet("", flag.ContinueOnError)
	add(set)
	flags.AddGoFlagSet(set)
}

// flagNames lists the flags that a kind adds.
func flagNames(add func(*flag.FlagSet)) (names []string) {
	set := flag.NewFlagSet("", flag.ContinueOnError)
	add(set)
	set.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	return names
}

// openFlags adds the flags of kinds to a command that opens nodes.
func (a *app) openFlags(cmd *cobra.Command) {
	for _, k := range kind.All[kind.Opener](a.kinds) {
		addFlags(cmd.Flags(), k.OpenFlags)
	}
}

// help adds what kinds have to say about a command to its own help.
func (a *app) help(cmd *cobra.Command, name string) {
	for _, k := range kind.All[kind.Helper](a.kinds) {
		paragraph, examples := k.Help(name)
		if paragraph != "" {
			cmd.Long = strings.TrimRight(cmd.Long, "\n") + "\n\n" + paragraph
		}
		if examples != "" {
			cmd.Example = strings.TrimRight(cmd.Example, "\n") + "\n" + examples
		}
	}
}

// kindCommands are the commands of kinds: work on a hierarchy in place.
func (a *app) kindCommands() (out []*cobra.Command) {
	for _, k := range kind.All[kind.Commander](a.kinds) {
		for _, c := range k.Commands() {
			out = append(out, a.kindCommand(c))
		}
	}
	return out
}

func (a *app) kindCommand(c *kind.Command) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: c.Name + " URL", Short: c.Short, Long: c.Long, Example: c.Example,
		Args: names("one URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.Check != nil {
				if err := c.Check(); err != nil {
					return badUsage(cmd, "%w", err)
				}
			}
			l, err := locate.Open(cmd.Context(), args[0], locate.Options{ReadOnly: c.ReadOnly != nil && c.ReadOnly(), Sync: a.sync})
			if err != nil {
				return err
			}
			env := kind.Env{Workers: a.workers, Open: a.options(), Bound: a.kinds.Bound}
			var bar *progress
			if c.Items != "" {
				bar = a.newProgress(c.Items)
				env.Progress = bar.tell()
			}
			report, err := c.Run(cmd.Context(), l.Store, l.Path, env)
			if err != nil {
				if bar != nil {
					bar.end()
				}
				l.Discard()
				return err
			}
			if bar != nil {
				bar.done("")
			}
			if err := l.Close(); err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(report)
			}
			for _, line := range report.Lines() {
				a.printf("%s\n", line)
			}
			return nil
		},
	}
	if c.Flags != nil {
		addFlags(cmd.Flags(), c.Flags)
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	a.syncFlag(cmd, true)
	return cmd
}
