package command

import (
	"bytes"
	"strings"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr"
)

// completeNodes lets shells complete the names of nodes behind a URL, in every command
// that takes one; where there are none they complete files.
func (a *app) completeNodes(root *cobra.Command) {
	for _, c := range root.Commands() {
		switch c.Name() {
		case "completion", "help", "codec", "demo", "version", "man":
			continue
		}
		a.completeNodes(c)
		c.ValidArgsFunction = func(cmd *cobra.Command, _ []string, toComplete string) ([]string, cobra.ShellCompDirective) {
			return a.complete(cmd, toComplete)
		}
	}
}

// completeChoice lets shells complete the value of a flag that takes one of several.
func completeChoice(cmd *cobra.Command, flag string, choices []string) {
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // there is no such flag, or it has one already
	}
}

func (a *app) complete(cmd *cobra.Command, typed string) ([]string, cobra.ShellCompDirective) {
	at := strings.LastIndexByte(typed, '/')
	if at <= 0 || strings.Contains(typed, "|") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	n, err := a.node(cmd.Context(), typed[:at])
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	defer n.Close()
	g, ok := n.(*zarr.Group)
	if !ok {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, name := range nodeNames(cmd.Context(), g) {
		if strings.HasPrefix(name, typed[at+1:]) {
			out = append(out, typed[:at+1]+name)
		}
	}
	return out, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}

// wordsAlone finds the words of a command line where bash has no package for it, which
// many systems do not have: those between blanks.
const wordsAlone = `    if ! declare -F _get_comp_words_by_ref >/dev/null; then
        local typed=${COMP_LINE:0:COMP_POINT}
        read -ra words <<<"$typed"
        [[ $typed == *[[:space:]] ]] && words+=("")
        cword=$((${#words[@]} - 1))
        cur=${words[cword]}
        return 0
    fi
`

// completeAlone makes bash's completion do without the package bash-completion.
func (a *app) completeAlone(completion *cobra.Command) {
	for _, c := range completion.Commands() {
		if c.Name() != "bash" {
			continue
		}
		c.RunE = func(cmd *cobra.Command, _ []string) error {
			without, err := cmd.Flags().GetBool("no-descriptions")
			if err != nil {
				return err
			}
			var script bytes.Buffer
			if err := cmd.Root().GenBashCompletionV2(&script, !without); err != nil {
				return err
			}
			const asked = "    _get_comp_words_by_ref "
			_, err = a.out.Write(bytes.Replace(script.Bytes(), []byte(asked), []byte(wordsAlone+asked), 1))
			return err
		}
	}
}
