package command

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/picture"
	"github.com/omnizarr/zarr/rows"
)

func (a *app) plotCommand() *cobra.Command {
	var slice, to string
	var width, height int
	cmd := &cobra.Command{
		Use:   "plot URL",
		Short: "Draw an array of one dimension, a time series, or the times of events",
		Long: `Draw numbers as a curve: those of an array of one dimension, or of a slice that has
one; the channels of a time series, one below the other; the times of the rows of a
table, such as spikes of units, a tick for each. Every place of the curve shows the
least and the largest of the numbers there, so that no peak is lost.`,
		Example: `  omnizarr plot --slice ':, 1' weather.zarr/temperature
  omnizarr plot -o trace.png --width 1600 trace.zarr`,
		Args: names("one URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if width < 0 || height < 0 {
				return badUsage(cmd, "--width %d --height %d: must not be negative", width, height)
			}
			s, err := a.findElements(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			c, err := a.curves(cmd.Context(), s, slice)
			if err != nil {
				return err
			}
			if to == "" {
				return a.plot(cmd.Context(), c, orElse(width, columns()))
			}
			width, height := min(orElse(width, 1200), 1<<14), min(height, 1<<14)
			d, err := c.Read(cmd.Context(), picture.GraphColumns(width))
			if err != nil {
				return err
			}
			img := picture.Graph(d, width, orElse(height, min(max(240, 90*len(d.Traces), 14*len(d.Ticks)), 4000)))
			if err := writePNG(to, img); err != nil {
				return err
			}
			return a.printf("%s: %s, %d × %d\n", to, c.Title, img.Rect.Dx(), img.Rect.Dy())
		},
	}
	cmd.Flags().StringVar(&slice, "slice", "", "which elements, samples and channels, or rows, as cat has it")
	cmd.Flags().StringVarP(&to, "output", "o", "", "write a PNG file instead")
	cmd.Flags().IntVar(&width, "width", 0, "characters, or pixels, across (0: what fits)")
	cmd.Flags().IntVar(&height, "height", 0, "pixels down of a PNG file (0: by what is drawn)")
	a.openFlags(cmd)
	a.plainFlag(cmd)
	a.help(cmd, "plot")
	return cmd
}

// curves finds what there is to draw.
func (a *app) curves(ctx context.Context, s *convention.Subject, slice string) (*rows.Curves, error) {
	if arr, ok := s.Node.(*zarr.Array); ok {
		return picture.Line(ctx, arr, slice, a.plain, coordinates.Also(a.kinds.Coordinates()...))
	}
	fail := func(text string) (*rows.Curves, error) {
		return nil, &zarr.Error{Op: "plot", URL: s.Node.URL(), Err: errors.New(text)}
	}
	t, ok := a.table(s)
	if !ok {
		return fail("is a group: name an array, a time series or a table in it")
	}
	r, err := t.Rows(ctx, slice, false)
	switch {
	case err != nil:
		return nil, err
	case r.Curves != nil:
		return r.Curves, nil
	case r.Events != nil:
		return r.Events, nil
	}
	return fail("is a table without a column of times")
}

// plot draws curves in characters.
func (a *app) plot(ctx context.Context, c *rows.Curves, width int) error {
	d, err := c.Read(ctx, picture.GraphPlaces(width))
	if err != nil {
		return err
	}
	return picture.WriteGraph(a.out, c.Title, d, width)
}
