package command

import (
	"context"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/omnizarr/zarr/job/spread"
	"github.com/omnizarr/zarr/kind"
)

// Program is a program that has some of the commands, and runs their jobs elsewhere.
type Program struct {
	Name, Short, Long, Example string
	// Commands are the names of those that it has.
	Commands []string
	// Flags are further ones that these take.
	Flags func(*pflag.FlagSet)
	// Executor runs the job of a command, called with its arguments; what is wrong with the
	// flags is wrong usage. Lines that it tells are shown to who waits at a terminal.
	Executor func(command string, args []string, tell func(line string)) (spread.Executor, error)
	// Own are commands that only this program has.
	Own []*cobra.Command
}

// alone are flags of commands for what one process does by itself.
var alone = []string{"part", "merge", "virtual", "overwrite", "verify", "sample"}

// Run is the whole program, until it is interrupted; it returns the exit code.
func (p *Program) Run(kinds kind.List, args []string, in io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	return p.runUntil(ctx, kinds, args, in, stdout, stderr)
}

// rooted is a URL as it is for processes that run in other folders: a path starts at the root.
func rooted(url string) string {
	path, rest, piped := strings.Cut(url, "|")
	if strings.Contains(path, "://") || strings.HasPrefix(path, "mem:") || strings.HasPrefix(path, "file:") {
		return url
	}
	whole, err := filepath.Abs(path)
	switch {
	case path == "" || err != nil:
		return url
	case piped:
		return whole + "|" + rest
	}
	return whole
}

// named are examples of a command as this program has them.
func (p *Program) named(examples string) string {
	lines := strings.Split(examples, "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool {
		return slices.ContainsFunc(alone, func(name string) bool { return strings.Contains(line, "--"+name+" ") })
	})
	return strings.ReplaceAll(strings.Join(lines, "\n"), "omnizarr ", p.Name+" ")
}

// of makes the program of the whole command.
func (p *Program) of(a *app, root *cobra.Command) {
	root.Use, root.Short, root.Long, root.Example = p.Name, p.Short, p.Long, p.Example
	for _, c := range root.Commands() {
		switch {
		case slices.Contains(p.Commands, c.Name()):
			c.Example = p.named(c.Example)
			p.Flags(c.Flags())
			for _, name := range alone {
				if f := c.Flags().Lookup(name); f != nil {
					f.Hidden = true
				}
			}
			c.PreRunE = func(cmd *cobra.Command, args []string) (err error) {
				if name := firstChanged(cmd, alone); name != "" {
					return badUsage(cmd, "--%s is not for %s: use omnizarr", name, p.Name)
				}
				for _, list := range [][]string{args, a.allow} {
					for i := range list {
						list[i] = rooted(list[i])
					}
				}
				tell := func(string) {}
				if isTerminal(a.err) && !a.quiet {
					tell = a.note
				}
				if a.executor, err = p.Executor(cmd.Name(), args, tell); err != nil {
					return badUsage(cmd, "%w", err)
				}
				return nil
			}
		case !slices.Contains([]string{"help", "completion", "version"}, c.Name()):
			root.RemoveCommand(c)
		}
	}
	root.AddCommand(p.Own...)
}
