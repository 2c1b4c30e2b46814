package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job/landing"
	"github.com/omnizarr/zarr/meta"
)

func (a *app) attrsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "attrs",
		Short: "Print, set and remove attributes",
		Long: `Print, set and remove the attributes of an array or a group. Values are JSON.
Consolidated metadata of the groups above is made anew.`,
		Example: `  omnizarr attrs get em.zarr/s0
  omnizarr attrs set em.zarr/s0 unit '"nm"'
  omnizarr attrs rm em.zarr/s0 unit`,
		Args: a.noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(&cobra.Command{
		Use:     "get URL [KEY]",
		Short:   "Print all attributes, or one",
		Example: "  omnizarr attrs get em.zarr/s0 unit",
		Args:    between(1, 2, "a URL, and a key if one is wanted"),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := a.open(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer n.Close()
			attrs := n.Attributes()
			if len(args) == 1 {
				return a.printJSON(attrs)
			}
			if attrs.Raw(args[1]) == nil {
				return noAttribute(n, attrs, args[1])
			}
			return a.printJSON(attrs.Raw(args[1]))
		},
	}, &cobra.Command{
		Use:   "set URL [KEY] JSON",
		Short: "Set one attribute, or all that a JSON object has",
		Long: `Set one attribute to a JSON value. Without a key, the value is an object, and each of
its members becomes an attribute; others stay as they are.`,
		Example: `  omnizarr attrs set em.zarr/s0 unit '"nm"'
  omnizarr attrs set em.zarr/s0 '{"unit": "nm", "scale": [4, 4, 40]}'`,
		Args: between(2, 3, "a URL, a key and a JSON value"),
		RunE: func(cmd *cobra.Command, args []string) error {
			text := json.RawMessage(args[len(args)-1])
			if err := strictjson.Validate(text, strictjson.Options{}); err != nil {
				return badUsage(cmd, "%s: %w; text has quotes, as in '\"nm\"'", words.Cut(string(text), 40), err)
			}
			changes := &meta.Attributes{}
			if len(args) == 3 {
				if err := changes.Set(args[1], text); err != nil {
					return badUsage(cmd, "%w", err)
				}
			} else {
				var err error
				if changes, err = meta.ParseAttributes(text); err != nil {
					return badUsage(cmd, "without a key the value must be a JSON object: %w", err)
				}
			}
			return a.changeAttributes(cmd.Context(), args[0], func(_ zarr.Node, attrs *meta.Attributes) error {
				for _, name := range changes.Names() {
					if err := attrs.Set(name, changes.Raw(name)); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}, &cobra.Command{
		Use:     "rm URL KEY",
		Short:   "Remove one attribute",
		Example: "  omnizarr attrs rm em.zarr/s0 unit",
		Args:    names("a URL", "a key"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.changeAttributes(cmd.Context(), args[0], func(n zarr.Node, attrs *meta.Attributes) error {
				if !attrs.Delete(args[1]) {
					return noAttribute(n, attrs, args[1])
				}
				return nil
			})
		},
	})
	for _, sub := range cmd.Commands() {
		a.openFlags(sub)
		if sub.Name() != "get" {
			a.syncFlag(sub, true)
		}
	}
	a.help(cmd, "attrs")
	return cmd
}

// between makes a check of the number of arguments where the last may be left out.
func between(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, got []string) error {
		if len(got) < least || len(got) > most {
			return badUsage(cmd, "%s takes %s, got %d arguments", cmd.CommandPath(), what, len(got))
		}
		return nil
	}
}

// noAttribute says that there is none of that name, and which may be meant.
func noAttribute(n zarr.Node, attrs *meta.Attributes, name string) error {
	text := fmt.Sprintf("no attribute is called %q", name)
	if near := words.Near(name, attrs.Names()); len(near) > 0 {
		text += fmt.Sprintf(", did you mean %q?", near[0])
	}
	return &zarr.Error{Op: "attributes of", URL: n.URL(), Err: errors.New(text)}
}

// changeAttributes changes the attributes of a node, and what the groups above it keep
// of them.
func (a *app) changeAttributes(ctx context.Context, url string, change func(zarr.Node, *meta.Attributes) error) (err error) {
	n, err := zarr.Open(ctx, url, a.options()...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	attrs := n.Attributes()
	if err := change(n, attrs); err != nil {
		return err
	}
	switch n := n.(type) {
	case *zarr.Array:
		err = n.SetAttributes(ctx, attrs)
	case *zarr.Group:
		err = n.SetAttributes(ctx, attrs)
	}
	if err != nil {
		return err
	}
	if g, ok := n.(*zarr.Group); ok && g.Metadata().Consolidated != nil {
		if err := g.Consolidate(ctx); err != nil {
			return err
		}
	}
	return landing.ConsolidateAbove(ctx, n.Store(), n.Path(), a.options()...)
}
