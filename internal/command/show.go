package command

import (
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/internal/partial"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/picture"
)

// showForms are how a terminal can be given a picture.
var showForms = []string{"kitty", "iterm", "sixel", "blocks"}

func (a *app) showCommand() *cobra.Command {
	var opt picture.Options
	var as, to string
	var low, high float64
	cmd := &cobra.Command{
		Use:   "show URL",
		Short: "Show a picture of an array, or of an image",
		Long: `Show two dimensions of an array of numbers, with its channels, in the terminal, or
write a PNG file with -o. An image of several resolutions is shown by the level that fits,
a large array by every n-th element: no more is read than that takes.

Axes called y and x (or lat and lon) are shown, else the last two. Of the others the
middle is taken, unless --slice says which. Channels are blended in their own colours,
colours of an RGB image are shown as they are, labels have a colour each, and what is
missing is left out. Contrast goes from percentile 1 to 99, or as the image says.

Terminals that can are given a picture (kitty, iterm, sixel), others half blocks in
colour. NO_COLOR makes it characters alone.`,
		Example: `  omnizarr show em.zarr/s0
  omnizarr show --slice 'z=@16' --map magma cells.zarr/volume
  omnizarr show -o cells.png --width 800 cells.ome.zarr`,
		Args: names("one URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if as != "" && !slices.Contains(showForms, as) {
				return badUsage(cmd, "--as %s: must be one of %s", as, strings.Join(showForms, ", "))
			}
			if opt.Map != "" && !slices.Contains(picture.Maps(), opt.Map) {
				return badUsage(cmd, "--map %s: must be one of %s", opt.Map, strings.Join(picture.Maps(), ", "))
			}
			if cmd.Flags().Changed("low") || cmd.Flags().Changed("high") {
				if opt.Low, opt.High = low, high; !(low >= 0 && low < high && high <= 100) {
					return badUsage(cmd, "--low %g --high %g: percentiles ascend, from 0 to 100", low, high)
				}
			}
			if opt.Width < 0 {
				return badUsage(cmd, "--width %d: must not be negative", opt.Width)
			}
			s, err := a.findElements(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			opt.Stored, opt.Coordinates = a.plain, []coordinates.Option{coordinates.Also(a.kinds.Coordinates()...)}
			if as == "" && to == "" {
				as = terminalForm(a.stdout)
			}
			wanted := opt.Width
			a.showSize(&opt, as, to != "")
			if to != "" && wanted > 0 {
				opt.Height = 8 * wanted
			}
			p, err := picture.Of(cmd.Context(), s.Node, opt)
			if err != nil {
				return err
			}
			if to != "" {
				if err := writePNG(to, p.Image); err != nil {
					return err
				}
				a.printf("%s: %s\n", to, showWords(s.Node, p))
				return nil
			}
			if err := a.drawPicture(p.Image, as); err != nil {
				return err
			}
			return a.printf("%s\n", showWords(s.Node, p))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opt.Slice, "slice", "", "which part, as cat has it; single positions are not shown as an axis")
	flags.StringVarP(&to, "output", "o", "", "write a PNG file instead")
	flags.StringVar(&as, "as", "", "how the terminal is given it: "+strings.Join(showForms, ", "))
	completeChoice(cmd, "as", showForms)
	flags.IntVar(&opt.Width, "width", 0, "most pixels, or characters, across (0: what fits)")
	flags.StringVar(&opt.Map, "map", "", "colours of a single channel: "+strings.Join(picture.Maps(), ", "))
	completeChoice(cmd, "map", picture.Maps())
	flags.Float64Var(&low, "low", 1, "percentile that is black")
	flags.Float64Var(&high, "high", 99, "percentile that has the full colour")
	flags.BoolVar(&opt.Labels, "labels", false, "numbers are labels, each with a colour of its own")
	a.openFlags(cmd)
	a.plainFlag(cmd)
	a.help(cmd, "show")
	return cmd
}

// showSize says how large a picture may be.
func (a *app) showSize(opt *picture.Options, as string, file bool) {
	const wide, high = 8, 16 // pixels of a character, about
	cols, rows := columns(), lines()
	switch {
	case file:
		opt.Width, opt.Height = orElse(opt.Width, 2048), 2048
	case as == "blocks":
		opt.Width, opt.Height, opt.Fill = orElse(opt.Width, cols), 2*max(rows-2, 8), true
	default:
		opt.Width, opt.Height, opt.Fill = orElse(opt.Width, min(cols*wide, 1280)), max(rows-2, 8)*high, true
	}
}

func orElse(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}

// drawPicture draws an image in a terminal.
func (a *app) drawPicture(img *image.NRGBA, as string) error {
	switch as {
	case "kitty":
		return picture.Kitty(a.out, img)
	case "iterm":
		return picture.ITerm(a.out, img)
	case "sixel":
		return picture.Sixel(a.out, img)
	}
	return picture.Blocks(a.out, img, coloursOf(a.stdout), "")
}

// showWords says what a picture shows.
func showWords(n zarr.Node, p *picture.Picture) string {
	size := p.Image.Rect.Size()
	text := fmt.Sprintf("%d × %d of %s × %s", size.X, size.Y, p.Axes[1], p.Axes[0])
	if len(p.At) > 0 {
		text += ", " + strings.Join(p.At, ", ")
	}
	if path := p.Level.Path(); path != n.Path() {
		text += ", level " + strings.Trim(strings.TrimPrefix(path, n.Path()), "/")
	}
	for k := range p.Low {
		name := ""
		if k < len(p.Channels) {
			name = p.Channels[k] + " "
		}
		text += fmt.Sprintf(", %s%s to %s", name, short(p.Low[k]), short(p.High[k]))
	}
	return words.Visible(text)
}

// writePNG writes a file that appears whole; what one that was killed has left beside it is
// taken up by the next. A device or a pipe is written as it is.
func writePNG(path string, img image.Image) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write %s: %w", path, err)
		}
	}()
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return partial.Cause(err)
		}
		return errors.Join(png.Encode(f, img), f.Close())
	}
	f, err := partial.Open(path)
	if err != nil {
		return err
	}
	err = f.Truncate(0)
	if err == nil {
		err = png.Encode(io.NewOffsetWriter(f, 0), img)
	}
	if err == nil {
		err = f.Commit(false)
	}
	if err != nil {
		return errors.Join(partial.Cause(err), f.Remove())
	}
	return nil
}

// terminalForm is what a terminal is best given, as far as its environment tells.
func terminalForm(w io.Writer) string {
	term, program := os.Getenv("TERM"), os.Getenv("TERM_PROGRAM")
	inside := strings.HasPrefix(term, "screen") || strings.HasPrefix(term, "tmux")
	switch {
	case !isTerminal(w) || os.Getenv("NO_COLOR") != "" || inside:
		return "blocks"
	case os.Getenv("KITTY_WINDOW_ID") != "" || term == "xterm-kitty" || term == "xterm-ghostty" || program == "ghostty":
		return "kitty"
	case program == "iTerm.app" || program == "WezTerm" || os.Getenv("LC_TERMINAL") == "iTerm2":
		return "iterm"
	case strings.Contains(term, "sixel") || term == "mlterm" || term == "foot" || strings.HasPrefix(term, "yaft"):
		return "sixel"
	}
	return "blocks"
}

// coloursOf is how many colours a terminal has.
func coloursOf(w io.Writer) picture.Colours {
	switch {
	case hasColour(w):
		return picture.TrueColours
	case os.Getenv("NO_COLOR") == "" && isTerminal(w) && strings.Contains(os.Getenv("TERM"), "256color"):
		return picture.Colours256
	}
	return picture.NoColours
}
