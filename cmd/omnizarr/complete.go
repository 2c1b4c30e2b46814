package main

import (
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
