// Package command is the program omnizarr: it parses, calls and prints. What it does is in
// packages that other programs can call.
package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/std"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job/request"
	"github.com/omnizarr/zarr/job/spread"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/store"
)

// What the process ends with.
const (
	exitOK    = 0
	exitWrong = 1 // the data or the request
	exitUsage = 2
)

// app is what all commands share: where they read and write, and the flags of
// the root command.
type app struct {
	name     string // of the program, before what it tells
	in       io.Reader
	out      *bufio.Writer // of stdout
	stdout   io.Writer     // what out writes to
	err      io.Writer
	workers  int
	maxChunk int
	inFlight int64 // bytes of chunks that are being coded at once; 0: the default
	// maxDocument is the longest document of metadata.
	maxDocument int
	bypass      bool
	kinds       kind.List
	plain       bool
	resolved    bool
	allow       []string
	remote      store.Remote // of stores over a network
	budget      int64        // most requests to them; 0: no end
	logFormat   string
	logger      *slog.Logger // nil: words for people
	quiet       bool
	sync        bool // what is written is flushed; see syncFlag
	progress    bool
	executor    spread.Executor // runs copies, checks and statistics; nil: this process
}

// usageError is a command that was called in a wrong way.
type usageError struct {
	err     error
	command string
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func badUsage(cmd *cobra.Command, format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...), cmd.CommandPath()}
}

// Run is the whole program, until it is interrupted; it returns the exit code.
func Run(kinds kind.List, args []string, in io.Reader, stdout, stderr io.Writer) int {
	return (*Program)(nil).Run(kinds, args, in, stdout, stderr)
}

// runUntil is Run, interrupted by the end of a context. No program in particular has all commands.
func (p *Program) runUntil(ctx context.Context, kinds kind.List, args []string, in io.Reader, stdout, stderr io.Writer) (code int) {
	a := &app{name: "omnizarr", kinds: kinds, in: in, stdout: stdout, out: bufio.NewWriterSize(stdout, 1<<16), err: stderr}
	if p != nil {
		a.name = p.Name
	}
	if wantsLog(args) {
		a.logger = newLog(stderr)
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1)) // which copies lower: for themselves alone
	// People get a line that they can report, and never a stack trace.
	defer func() {
		if r := recover(); r != nil {
			code = a.fail(fmt.Errorf("internal error, please report it: %v", r), exitWrong, "")
		}
	}()
	root := a.root()
	if p != nil {
		p.of(a, root)
	}
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if flushErr := a.out.Flush(); err == nil && flushErr != nil {
		err = fmt.Errorf("write output: %w", flushErr)
	}
	if ctx.Err() != nil && err != nil {
		err = errors.New("interrupted")
	}
	return a.report(a.advise(ctx, err))
}

// report prints an error and gives the exit code for it.
func (a *app) report(err error) int {
	var usage *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, syscall.EPIPE):
		return exitWrong // whoever read the output has gone and wants no more words
	case errors.As(err, &usage):
		return a.fail(err, exitUsage, fmt.Sprintf("Run '%s --help' for how to call it.", usage.command))
	}
	return a.fail(err, exitWrong, "")
}

// titles are the kinds of files that open.
func titles() []string {
	var all []string
	for _, f := range std.Registry().All() {
		if f.File != nil {
			all = append(all, f.Title)
		}
	}
	return all
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "omnizarr",
		Short: "Look at, check, convert and make chunked arrays",
		Long: `omnizarr looks at, checks, converts and makes chunked arrays.

A URL is a path, file://, http(s)://, mem: or in a bucket: s3://BUCKET/KEY,
gs://BUCKET/KEY, azblob://CONTAINER/KEY. Files that open are a .zip archive, like a folder,
` + strings.Join(titles(), ", ") + `; STORE/inner/path names
a node inside. What format it has is found out by looking. The form
base|zip:path|zarr3:path is taken too.`,
		Example: `  omnizarr demo
  omnizarr tree em.zarr
  omnizarr info https://example.org/em.zarr/s0
  omnizarr cat --slice '0, ::8, ::8' --as csv em.zarr/s0 > slice.csv`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          a.noCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			for _, limit := range []struct {
				flag  string
				value int64
			}{{"workers", int64(a.workers)}, {"max-chunk", int64(a.maxChunk)}, {"max-document", int64(a.maxDocument)},
				{"requests", int64(a.remote.Requests)}, {"request-budget", a.budget}} {
				if limit.value < 0 {
					return badUsage(cmd, "--%s %d: must not be negative", limit.flag, limit.value)
				}
			}
			if err := a.setLog(); err != nil {
				return badUsage(cmd, "%w", err)
			}
			a.sync, _ = cmd.Flags().GetBool("sync") // false where nothing is written
			if a.budget > 0 {
				a.remote.Budget = store.NewBudget(a.budget)
			}
			return nil
		},
	}
	a.help(root, "")
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &usageError{wrongFlag(cmd, err), cmd.CommandPath()}
	})
	flags := root.PersistentFlags()
	flags.IntVar(&a.workers, "workers", 0, "how many chunks to work on at once (0: the number of processors)")
	flags.IntVar(&a.maxChunk, "max-chunk", 0, "most bytes that a chunk may take in memory (0: a sixth of what the process may use)")
	flags.IntVar(&a.maxDocument, "max-document", 0, "most bytes that a document of metadata may have (0: 16 MiB)")
	flags.BoolVar(&a.bypass, "no-consolidated", false, "read every node's own document, not the consolidated metadata")
	flags.StringArrayVar(&a.allow, "allow", nil, "a folder or URL that arrays, links, references and redirects may lead to, besides their own surroundings")
	flags.IntVar(&a.remote.Requests, "requests", 0, "most requests under way at once to each store over a network (0: 64)")
	flags.IntVar(&a.remote.Retries, "retries", 0, "how often a request that failed for a reason which may pass is tried again (0: 8 times, for about half a minute; -1: never)")
	flags.DurationVar(&a.remote.Timeout, "request-timeout", 0, "how long one request to a store over a network may take in all, such as 90s (0: 15m; -1s: no end)")
	flags.Int64Var(&a.remote.MinRate, "min-rate", 0, "fewest bytes a second that a store over a network must send or take, seen over a minute (0: 1024; -1: any)")
	flags.Int64Var(&a.budget, "request-budget", 0, "most requests in all to stores over a network (0: no end)")
	a.logFlags(flags)
	root.AddCommand(a.infoCommand(), a.treeCommand(), a.catCommand(), a.dumpCommand(), a.refsCommand(), a.codecCommand(),
		a.verifyCommand(), a.repairCommand(), a.validateCommand(), a.copyCommand(), a.demoCommand(), a.versionCommand(), a.manCommand())
	root.AddCommand(a.statsCommand(), a.showCommand(), a.plotCommand(), a.benchCommand())
	root.AddCommand(a.diffCommand(), a.lsCommand(), a.attrsCommand(), a.serveCommand(), a.viewCommand())
	root.AddCommand(a.kindCommands()...)
	a.refuseHelpOfNothing(root)
	a.completeNodes(root)
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args = a.noCommand
			c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			a.completeAlone(c)
		}
	}
	return root
}

// refuseHelpOfNothing makes "help" with a word that is no command wrong usage.
func (a *app) refuseHelpOfNothing(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, help := range root.Commands() {
		if help.Name() == "help" {
			help.Args = func(cmd *cobra.Command, args []string) error {
				found, rest, err := root.Find(args)
				if err == nil && len(rest) == 0 {
					return nil
				}
				if found == nil {
					found = root
				}
				return a.noCommand(found, rest)
			}
		}
	}
}

// noCommand says that a word is no command.
func (a *app) noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	text := fmt.Sprintf("unknown command %q", args[0])
	var known []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			known = append(known, c.Name())
		}
	}
	if near := words.Near(args[0], known); len(near) > 0 {
		text += ", did you mean " + strings.Join(near, " or ") + "?"
	} else if _, err := os.Stat(args[0]); !cmd.HasParent() && (err == nil || strings.Contains(args[0], "://")) {
		text += fmt.Sprintf(", to look at it: omnizarr info %s", quoted(args[0]))
	}
	return badUsage(cmd, "%s", text)
}

// wrongFlag adds to an error of a flag that is not there which one may be meant, and
// says in words what a value must be.
func wrongFlag(cmd *cobra.Command, err error) error {
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		must := map[string]string{"int": "a whole number", "bool": "true or false", "float64": "a number"}[invalid.GetFlag().Value.Type()]
		if must != "" {
			return fmt.Errorf("--%s %s: must be %s", invalid.GetFlag().Name, invalid.GetValue(), must)
		}
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return err
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, "--"+f.Name)
		}
	})
	if near := words.Near("--"+unknown.GetSpecifiedName(), known); len(near) > 0 {
		return fmt.Errorf("%w, did you mean %s?", err, strings.Join(near, " or "))
	}
	return err
}

// names makes a check of the number of arguments, which says what they are.
func names(args ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, got []string) error {
		if len(got) != len(args) {
			return badUsage(cmd, "%s takes %s, got %d arguments", cmd.CommandPath(), orNothing(args), len(got))
		}
		return nil
	}
}

func orNothing(args []string) string {
	if len(args) == 0 {
		return "no arguments"
	}
	return strings.Join(args, " and ")
}

// opening is how nodes are opened, as the flags say.
func (a *app) opening() request.Open {
	return request.Open{
		Workers: a.workers, MaxChunk: a.maxChunk, InFlight: a.inFlight, MaxDocument: a.maxDocument, NoConsolidated: a.bypass, Allow: a.allow,
		Remote: a.remote, Requests: a.remote.Requests, Retries: a.remote.Retries, Plain: a.plain, Resolved: a.resolved, Sync: a.sync,
	}
}

// options are the same for the engine.
func (a *app) options(more ...zarr.Option) []zarr.Option {
	return a.opening().Options(a.kinds, more...)
}

// syncFlag adds the flag of commands that write. What changes a place that people have is
// flushed unless they do not want it: it is short, and nothing brings back what it loses.
func (a *app) syncFlag(cmd *cobra.Command, usual bool) {
	cmd.Flags().Bool("sync", usual, "wait until everything has reached the disk, so that a loss of power takes nothing away")
}

// open opens a node for reading.
func (a *app) open(ctx context.Context, url string, more ...zarr.Option) (zarr.Node, error) {
	return zarr.Open(ctx, url, a.options(append(more, zarr.ReadOnly(), zarr.ImplicitGroup())...)...)
}
