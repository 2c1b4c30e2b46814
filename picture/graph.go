package picture

import (
	"bufio"
	"fmt"
	"image"
	"image/color"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/rows"
)

// How many lines of characters a trace has, of one and of more.
const (
	graphLines     = 12
	graphLinesMany = 4
	labelWide      = 11 // characters of an axis
)

// GraphPlaces is in how many places a drawing is summed up that WriteGraph draws so
// wide.
func GraphPlaces(width int) int { return 2 * graphWidth(width) }

func graphWidth(width int) int { return max(width-labelWide-1, 16) }

// WriteGraph draws curves in characters, a channel below the other, or ticks, a row in
// a line.
func WriteGraph(w io.Writer, title string, d *rows.Drawing, width int) error {
	out := bufio.NewWriter(w)
	width = graphWidth(width)
	lines := graphLines
	if len(d.Traces) > 1 {
		lines = graphLinesMany
	}
	fmt.Fprintf(out, "%s\n", words.Visible(title))
	for i, t := range d.Traces {
		if d.Channels != nil {
			fmt.Fprintf(out, "channel %d\n", d.Channels[i])
		}
		low, high, ok := t.Bounds()
		if !ok {
			fmt.Fprintf(out, "%*s no finite numbers\n", labelWide, "┤")
			continue
		}
		t.Join()
		for k, line := range t.Draw(low, high, lines) {
			name := ""
			switch k {
			case 0:
				name = fmt.Sprintf("%.4g", high)
			case lines - 1:
				name = fmt.Sprintf("%.4g", low)
			}
			mark := "│"
			if name != "" {
				mark = "┤"
			}
			fmt.Fprintf(out, "%*s%s%s\n", labelWide-1, name, mark, strings.TrimRight(line, " "))
		}
	}
	for _, t := range d.Ticks {
		name := words.Cut(words.Visible(t.Name), labelWide-1)
		fmt.Fprintf(out, "%s%s┤%s\n", strings.Repeat(" ", labelWide-1-utf8.RuneCountInString(name)), name, strings.TrimRight(tickLine(t.Counts), " "))
	}
	fmt.Fprintf(out, "%s└%s\n", strings.Repeat(" ", labelWide-1), strings.Repeat("─", width))
	first, last := along(d.From, d.Unit), along(d.To, d.Unit)
	gap := max(width-utf8.RuneCountInString(first)-utf8.RuneCountInString(last), 1)
	fmt.Fprintf(out, "%s%s%s%s\n", strings.Repeat(" ", labelWide), first, strings.Repeat(" ", gap), last)
	switch {
	case d.More > 0 && d.Channels != nil:
		fmt.Fprintf(out, "%d more channels, select with --slice ':, %d:'\n", d.More, d.Channels[len(d.Channels)-1]+1)
	case d.More > 0:
		fmt.Fprintf(out, "%d more rows, select with --slice\n", d.More)
	}
	return out.Flush()
}

// along is a place on the axis.
func along(v float64, unit string) string {
	return words.Visible(strings.TrimSpace(fmt.Sprintf("%.6g %s", v, unit)))
}

// tickLine draws two places in a character.
func tickLine(counts []int) string {
	var b strings.Builder
	for x := 0; x < len(counts); x += 2 {
		left, right := counts[x] > 0, x+1 < len(counts) && counts[x+1] > 0
		switch {
		case left && right:
			b.WriteString("█")
		case left:
			b.WriteString("▌")
		case right:
			b.WriteString("▐")
		default:
			b.WriteString(" ")
		}
	}
	return b.String()
}

// Margins of a graph, in pixels.
const (
	marginLeft   = 104
	marginRight  = 12
	marginTop    = 10
	marginBottom = 26
	fontScale    = 2
)

// GraphColumns is in how many places a drawing is summed up that Graph draws so wide.
func GraphColumns(width int) int { return max(width-marginLeft-marginRight, 16) }

var (
	ink   = color.NRGBA{31, 119, 180, 255}
	frame = color.NRGBA{90, 90, 90, 255}
	faint = color.NRGBA{225, 225, 225, 255}
)

// Graph draws the same as an image: traces stacked, or a row of ticks for each.
func Graph(d *rows.Drawing, width, height int) *image.NRGBA {
	columns := GraphColumns(width)
	img := image.NewNRGBA(image.Rect(0, 0, columns+marginLeft+marginRight, max(height, 64)))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	bottom := img.Rect.Dy() - marginBottom
	parts := max(len(d.Traces)+len(d.Ticks), 1)
	edge := func(k int) int { return marginTop + k*(bottom-marginTop)/parts }
	for k, t := range d.Traces {
		top, floor := edge(k)+4, edge(k+1)-6
		rect(img, marginLeft, edge(k+1)-1, marginLeft+columns, edge(k+1), faint)
		low, high, ok := t.Bounds()
		if !ok {
			continue
		}
		t.Join()
		row := func(v float64) int {
			if high == low {
				return (top + floor) / 2
			}
			return top + int((high-v)/(high-low)*float64(floor-top)+0.5)
		}
		for x := range min(len(t.Low), columns) {
			if t.Low[x] == t.Low[x] {
				rect(img, marginLeft+x, row(t.High[x]), marginLeft+x+1, row(t.Low[x])+1, ink)
			}
		}
		label(img, marginLeft-6, top, fmt.Sprintf("%.4g", high))
		if floor-top > 14*fontScale {
			label(img, marginLeft-6, floor-5*fontScale, fmt.Sprintf("%.4g", low))
		}
	}
	for k, t := range d.Ticks {
		top, floor := edge(k), max(edge(k+1)-1, edge(k)+1)
		for x, n := range t.Counts[:min(len(t.Counts), columns)] {
			if n > 0 {
				rect(img, marginLeft+x, top, marginLeft+x+1, floor, ink)
			}
		}
		if floor-top >= 6*fontScale {
			label(img, marginLeft-6, top, t.Name)
		}
	}
	rect(img, marginLeft-1, marginTop, marginLeft, bottom, frame)
	rect(img, marginLeft-1, bottom, marginLeft+columns, bottom+1, frame)
	first, last := along(d.From, strings.Trim(d.Unit, "()")), along(d.To, strings.Trim(d.Unit, "()"))
	label(img, marginLeft+textWidth(first), bottom+8, first)
	label(img, marginLeft+columns, bottom+8, last)
	return img
}

func rect(img *image.NRGBA, x0, y0, x1, y1 int, c color.NRGBA) {
	for y := max(y0, 0); y < min(y1, img.Rect.Dy()); y++ {
		for x := max(x0, 0); x < min(x1, img.Rect.Dx()); x++ {
			img.SetNRGBA(x, y, c)
		}
	}
}

// font is the shapes of what numbers are written with, three dots wide and five high.
var font = map[rune][5]string{
	'0': {"###", "# #", "# #", "# #", "###"}, '1': {" # ", "## ", " # ", " # ", "###"}, '2': {"###", "  #", "###", "#  ", "###"},
	'3': {"###", "  #", " ##", "  #", "###"}, '4': {"# #", "# #", "###", "  #", "  #"}, '5': {"###", "#  ", "###", "  #", "###"},
	'6': {"###", "#  ", "###", "# #", "###"}, '7': {"###", "  #", " # ", " # ", " # "}, '8': {"###", "# #", "###", "# #", "###"},
	'9': {"###", "# #", "###", "  #", "###"}, '-': {"   ", "   ", "###", "   ", "   "}, '.': {"   ", "   ", "   ", "   ", " # "},
	'+': {"   ", " # ", "###", " # ", "   "}, 'e': {"   ", "###", "## ", "#  ", "###"}, 's': {"   ", " ##", "#  ", "  #", "## "},
}

// drawn is what of a text can be drawn.
func drawn(text string) (out []rune) {
	for _, r := range text {
		if _, ok := font[r]; ok || r == ' ' {
			out = append(out, r)
		} else {
			break // units that have other letters are left out
		}
	}
	return []rune(strings.TrimSpace(string(out)))
}

func textWidth(text string) int { return 4 * fontScale * len(drawn(text)) }

// label writes a text that ends at a place.
func label(img *image.NRGBA, right, top int, text string) {
	x := right - textWidth(text)
	for _, r := range drawn(text) {
		for dy, line := range font[r] {
			for dx, dot := range line {
				if dot == '#' {
					rect(img, x+dx*fontScale, top+dy*fontScale, x+(dx+1)*fontScale, top+(dy+1)*fontScale, frame)
				}
			}
		}
		x += 4 * fontScale
	}
}
