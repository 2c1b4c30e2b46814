package command

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/dump"
	"github.com/omnizarr/zarr/internal/words"
)

func (a *app) dumpCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "dump URL",
		Short: "Print everything below a node as one neutral document",
		Long: `Print everything below a node as one document that does not depend on how it is
stored: for every node its kind and attributes; for groups their members; for
datasets shape, type, the SHA-256 of their elements and, of small ones, the
values. Two hierarchies with the same content give the same document, except for
stored_chunks.`,
		Example: `  omnizarr dump --json em.zarr
  diff <(omnizarr dump em.zarr) <(omnizarr dump copy.zarr)`,
		Args: names("one URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.find(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			return a.dump(cmd.Context(), s, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	a.openFlags(cmd)
	a.plainFlag(cmd)
	a.help(cmd, "dump")
	return cmd
}

// dump prints the nodes one after the other, as each is read.
func (a *app) dump(ctx context.Context, s *convention.Subject, asJSON bool) error {
	if asJSON {
		broken, err := dump.WriteJSON(ctx, a.out, s)
		if err != nil {
			return err
		}
		return a.tellBroken(broken)
	}
	var broken []error
	if s.IsFile() {
		doc, err := dump.SchemasOf(ctx, s.Object)
		if err != nil {
			broken = append(broken, err)
		}
		a.printSchemas(doc)
	}
	for n, err := range dump.Nodes(ctx, s) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			broken = append(broken, err)
		}
		if n != nil {
			a.printNode(n)
		}
	}
	return a.tellBroken(broken)
}

func (a *app) printSchemas(doc *dump.Schemas) {
	for _, name := range slices.Sorted(maps.Keys(doc.Namespaces)) {
		versions := doc.Namespaces[name]
		for _, version := range slices.Sorted(maps.Keys(versions)) {
			for _, source := range slices.Sorted(maps.Keys(versions[version])) {
				a.printf("schema %s %s %s  sha256 %s\n", name, version, source, versions[version][source])
			}
		}
	}
}

// printNode tells people of a node.
func (a *app) printNode(n *dump.Node) {
	switch {
	case n.Kind == "link":
		problem := ""
		if n.Error != "" {
			problem = "  leads nowhere: " + words.OneLine(n.Error)
		}
		a.printf("%s -> %s%s\n", n.Path, *n.Target, problem)
	case n.Kind == "dataset" && n.Error == "":
		a.printf("%s  %s %s", n.Path, n.DType, words.Times(n.Shape))
		if n.SHA256 != "" {
			a.printf("  sha256 %s", n.SHA256)
		}
		a.printf("\n")
		for _, f := range n.Fields {
			a.printf("    .%s  %s", f.Name, f.DType)
			if f.SHA256 != "" {
				a.printf("  sha256 %s", f.SHA256)
			}
			a.printf("\n")
			a.printValues(f.Values)
		}
		a.printValues(n.Values)
	case n.Error != "":
		a.printf("%s  %s  cannot be read: %s\n", n.Path, n.Kind, words.OneLine(n.Error))
	default:
		a.printf("%s  %s of %s\n", n.Path, n.Kind, words.Counted(len(*n.Members), "node"))
	}
	for _, m := range n.Attributes {
		var text bytes.Buffer
		if json.Compact(&text, m.Raw) != nil {
			text.Write(m.Raw)
		}
		a.printf("    @%s = %s\n", m.Name, words.Cut(text.String(), 200))
	}
}

func (a *app) printValues(values []byte) {
	if values != nil {
		a.printf("    %s\n", words.Cut(words.Compact(values), 200))
	}
}
