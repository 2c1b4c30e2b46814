package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/internal/strictjson"
)

func (a *app) refsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "refs URL",
		Short: "List the links and references of a file, and where they lead",
		Long: `List every link and reference of a file, or of a part of it, and whether it leads to
anything.

A file besides those in the folder around this one is opened only below what --allow
names. What is refused for that is listed with what to allow.`,
		Args: names("one URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.find(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			o, ok := s.Object.(convention.Referring)
			if !ok {
				return &zarr.Error{Op: "list references of", URL: s.Node.URL(), Err: fmt.Errorf("is no %s file, nor part of one", a.conventionNames())}
			}
			return a.refs(cmd.Context(), o, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON list")
	a.help(cmd, "refs")
	return cmd
}

// conventionNames are what people call the conventions that are known.
func (a *app) conventionNames() string {
	var names []string
	for _, c := range a.kinds.Conventions() {
		names = append(names, strings.ToUpper(c.Name()))
	}
	return strings.Join(names, " or ")
}

// where names a reference for people.
func where(r convention.Reference) string {
	text := r.Path
	if r.Attribute != "" {
		text += " @" + r.Attribute + r.Inside
	}
	if r.Index != nil {
		text += string(strictjson.AppendInts(nil, r.Index))
	}
	if r.Field != "" {
		text += "." + r.Field
	}
	return text
}

// refs prints references as they are found.
func (a *app) refs(ctx context.Context, o convention.Referring, asJSON bool) error {
	count, lost := 0, 0
	if asJSON {
		fmt.Fprint(a.out, "[")
	}
	var broken error
	for r, err := range o.References(ctx) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if broken != nil {
				a.report(broken)
			}
			broken = err
			continue
		}
		if count++; !r.Resolved {
			lost++
		}
		if err := a.printReference(r, asJSON, count == 1); err != nil {
			return err
		}
	}
	switch {
	case asJSON && count == 0:
		a.printf("]\n")
	case asJSON:
		fmt.Fprint(a.out, "\n]\n")
	default:
		all, lead := "links and references", "lead"
		if count == 1 {
			all = "link or reference"
		}
		if lost == 1 {
			lead = "leads"
		}
		a.printf("%d %s, %d %s nowhere\n", count, all, lost, lead)
	}
	return broken
}

func (a *app) printReference(r convention.Reference, asJSON, first bool) error {
	if asJSON {
		raw, err := strictjson.Marshal(r, false)
		if err != nil {
			return err
		}
		comma := ","
		if first {
			comma = ""
		}
		_, err = fmt.Fprintf(a.out, "%s\n %s", comma, raw)
		return err
	}
	mark, target := "✓", convention.Target{File: r.Source, Path: r.Target, Region: r.Region}.String()
	if !r.Resolved {
		mark = "✗"
		target = strings.TrimSpace(target + "  " + r.Reason)
	}
	return a.printf("%s %-6s %s -> %s\n", mark, r.Kind, where(r), target)
}
