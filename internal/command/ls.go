package command

import (
	"context"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/internal/words"
)

func (a *app) lsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ls URL",
		Short: "List what a group holds, one level deep",
		Long: `List the nodes that a group holds, one level deep: groups with a slash behind their
names, arrays with their shape and type. An array is listed alone. The tree command
goes deeper.`,
		Example: `  omnizarr ls em.zarr
  omnizarr ls --json em.zarr | jq -r '.[].name'`,
		Args: names("one URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.find(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			return a.list(cmd.Context(), args[0], s, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON list")
	a.openFlags(cmd)
	a.plainFlag(cmd)
	a.resolvedFlag(cmd)
	a.help(cmd, "ls")
	return cmd
}

// listed is one line of a list.
type listed struct {
	Name string `json:"name"`
	treeNode
}

func (a *app) list(ctx context.Context, url string, s *convention.Subject, asJSON bool) error {
	entries, broken := convention.Children(ctx, s)
	nodes, err := treeNodes(entries)
	if err != nil {
		return err
	}
	lines := []listed{}
	width := 0
	for _, n := range nodes {
		name := path.Base(n.Path)
		if n.Path == "/" {
			name = path.Base(strings.TrimRight(url, "/"))
		}
		lines = append(lines, listed{name, n})
		width = max(width, len([]rune(name))+1)
	}
	if asJSON {
		err = a.printJSON(lines)
	} else {
		for _, l := range lines {
			name := l.Name
			if l.NodeType == "group" {
				name += "/"
			}
			a.printf("%s\n", strings.TrimRight(words.Padded(name, width)+"  "+l.detail, " "))
		}
	}
	if err != nil {
		return err
	}
	return a.tellBroken(broken)
}
