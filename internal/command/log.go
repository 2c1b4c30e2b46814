package command

import (
	"fmt"
	"io"
	"log/slog"
	"slices"

	"github.com/spf13/pflag"

	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/kind"
)

// logFormats are how notes, errors and progress are written.
var logFormats = []string{"text", "json"}

// logFlags adds the flags that say what is told on standard error, and how.
func (a *app) logFlags(flags *pflag.FlagSet) {
	flags.StringVar(&a.logFormat, "log-format", logFormats[0], "how progress, notes and errors are written: text or json, one record a line")
	flags.BoolVar(&a.progress, "progress", false, "tell how far the work is also where standard error is no terminal")
	flags.BoolVar(&a.quiet, "quiet", false, "tell errors alone: no progress, no notes")
}

// setLog makes the log that the flags ask for.
func (a *app) setLog() error {
	if a.quiet && a.progress {
		return fmt.Errorf("--quiet and --progress: one of them")
	}
	if a.logFormat == "json" {
		a.logger = newLog(a.err)
	}
	return kind.Choice("log-format", a.logFormat, logFormats)
}

func newLog(w io.Writer) *slog.Logger { return slog.New(slog.NewJSONHandler(w, nil)) }

// serverLog is where servers tell of failures and requests: records, or text.
func (a *app) serverLog() *slog.Logger {
	switch {
	case a.logger != nil:
		return a.logger
	case a.quiet:
		return nil
	}
	return slog.New(slog.NewTextHandler(a.err, nil))
}

// wantsLog reports whether arguments ask for records, which errors about the
// arguments themselves are told by as well.
func wantsLog(args []string) bool {
	at := slices.Index(args, "--log-format")
	return slices.Contains(args, "--log-format=json") || at >= 0 && at+1 < len(args) && args[at+1] == "json"
}

// note tells people on standard error of something that does not stop the work.
func (a *app) note(text string) {
	switch text = words.OneLine(text); {
	case a.quiet:
	case a.logger != nil:
		a.logger.Warn(text)
	default:
		fmt.Fprintf(a.err, "%s: note: %s\n", a.name, text)
	}
}

// fail tells the error that ends the program, and what to do about it.
func (a *app) fail(err error, code int, advice string) int {
	text := words.OneLine(err.Error())
	switch {
	case a.logger != nil:
		a.logger.Error(text, "exit", code)
	default:
		fmt.Fprintf(a.err, "%s: %s\n", a.name, text)
		if advice != "" {
			fmt.Fprintln(a.err, advice)
		}
	}
	return code
}
