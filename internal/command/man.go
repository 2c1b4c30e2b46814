package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/omnizarr/zarr/internal/words"
)

func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write manual pages into a folder",
		Long: `Write a manual page for every command into a folder, which is made if it is missing:
omnizarr.1, omnizarr-info.1 and so on. They say what --help says.`,
		Example: `  omnizarr man man1`,
		Args:    names("one folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return err
			}
			n, err := writeManual(cmd.Root(), args[0])
			if err == nil {
				a.printf("%s in %s\n", words.Counted(n, "page"), args[0])
			}
			return err
		},
	}
}

// writeManual writes the pages of a command and of those below it.
func writeManual(cmd *cobra.Command, dir string) (pages int, err error) {
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	if err := os.WriteFile(filepath.Join(dir, name+".1"), []byte(manualPage(cmd)), 0o666); err != nil {
		return 0, err
	}
	pages = 1
	for _, c := range cmd.Commands() {
		if !c.IsAvailableCommand() {
			continue
		}
		n, err := writeManual(c, dir)
		if pages += n; err != nil {
			return pages, err
		}
	}
	return pages, nil
}

// manualPage is the help of a command in the language of man.
func manualPage(cmd *cobra.Command) string {
	var b strings.Builder
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"Omnizarr\" \"User Commands\"\n", roff(strings.ToUpper(name)))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(cmd.UseLine()))
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	b.WriteString(".SH DESCRIPTION\n" + roffText(text))
	options := func(title string, flags *pflag.FlagSet) {
		if !flags.HasAvailableFlags() {
			return
		}
		b.WriteString(".SH " + title + "\n")
		flags.VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			flag := "--" + f.Name
			if f.Shorthand != "" {
				flag = "-" + f.Shorthand + ", " + flag
			}
			kind, usage := pflag.UnquoteUsage(f)
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(strings.TrimSpace(flag+" "+kind)), roff(usage))
		})
	}
	options("OPTIONS", cmd.NonInheritedFlags())
	options("OPTIONS OF ALL COMMANDS", cmd.InheritedFlags())
	if cmd.Example != "" {
		b.WriteString(".SH EXAMPLES\n.nf\n" + roff(cmd.Example) + "\n.fi\n")
	}
	b.WriteString(".SH EXIT STATUS\n0 if all went well, 1 if the data or the request is wrong, 2 if it was called in a wrong way.\n")
	var also []string
	for _, c := range append([]*cobra.Command{cmd.Parent()}, cmd.Commands()...) {
		if c != nil && (c == cmd.Parent() || c.IsAvailableCommand()) {
			also = append(also, fmt.Sprintf("\\fB%s\\fP(1)", roff(strings.ReplaceAll(c.CommandPath(), " ", "-"))))
		}
	}
	if len(also) > 0 {
		b.WriteString(".SH SEE ALSO\n" + strings.Join(also, ", ") + "\n")
	}
	return b.String()
}

// roff writes text so that man shows it as it is: backslashes, hyphens that are typed,
// and lines that begin like a request.
func roff(text string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

// roffText is roff of paragraphs.
func roffText(text string) string {
	return strings.ReplaceAll(roff(strings.TrimSpace(text)), "\n\n", "\n.PP\n") + "\n"
}
