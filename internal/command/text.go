package command

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/elements"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/nd"
)

// partSize is how many bytes of elements are in memory at once.
const partSize = 128 << 20

// As NumPy does it: results with more elements than textMost show only textEdge
// positions at both ends of long axes.
const (
	textMost = 1000
	textEdge = 3
)

// catText prints an array for people.
func (a *app) catText(ctx context.Context, arr *zarr.Array, sel zarr.Selection, whole bool, opts ...elements.Option) error {
	shape, err := arr.ResultShape(sel)
	if err != nil {
		return err
	}
	shown := make([][]int, len(shape)) // positions of the result that are printed
	n, ok := nd.Len(shape)
	for i, l := range shape {
		shown[i] = edges(l, !ok || n > textMost)
	}
	if whole {
		// Only the chunks at the edges are read.
		axes := make([]zarr.Axis, len(shape))
		for i := range axes {
			axes[i] = zarr.List(shown[i]...)
		}
		sel = zarr.Select(axes...)
	}
	cells, err := a.textCells(ctx, arr, sel, shape, shown, !whole, elements.ValuesOf(arr, opts...))
	if err != nil {
		return err
	}
	width := 0
	for _, c := range cells {
		width = max(width, utf8.RuneCountInString(c))
	}
	p := textPrinter{cells: cells, width: width, shape: shape, shown: shown}
	p.axis(0, "")
	fmt.Fprintf(a.out, "%s\n\n%s  %s\n", p.b.String(), words.Times(shape), kind.TypeWords(arr.DataType()))
	return nil
}

// edges are the positions of an axis that are printed.
func edges(n int, long bool) []int {
	out := []int{}
	for i := 0; i < n; i++ {
		if long && n > 2*textEdge && i == textEdge {
			i = n - textEdge
		}
		out = append(out, i)
	}
	return out
}

// textCells reads the elements that are printed, as text. When all of the
// result is read, the others are passed over.
func (a *app) textCells(ctx context.Context, arr *zarr.Array, sel zarr.Selection, shape []int, shown [][]int, all bool, value elements.Value) ([]string, error) {
	var cells []string
	idx := make([]int, len(shape))
	for v, err := range arr.Stream(ctx, sel, partSize) {
		if err != nil {
			return nil, err
		}
		blobs := v.Heap.Blobs()
		for k := range v.Len() {
			wanted := true
			if all {
				for i, p := range idx {
					wanted = wanted && (p < textEdge || p >= shape[i]-textEdge || len(shown[i]) == shape[i])
				}
				nd.Next(idx, shape)
			}
			if !wanted {
				continue
			}
			raw, err := value(nil, v.At(k), blobs)
			if err != nil {
				return nil, err
			}
			cells = append(cells, words.Cut(words.Visible(textOf(arr.DataType(), raw)), 200))
		}
	}
	return cells, nil
}

// textOf is an element for people: numbers and dates without quotes, and a dash for
// what is missing.
func textOf(t dtype.Type, raw []byte) string {
	switch t.Kind() {
	case dtype.Int, dtype.Uint, dtype.Float, dtype.Time, dtype.Duration:
		if string(raw) == "null" {
			return "-"
		}
		return words.Bare(raw)
	}
	return string(raw)
}

// textPrinter writes nested brackets.
type textPrinter struct {
	cells []string // still to be written
	width int
	shape []int
	shown [][]int
	b     strings.Builder
}

func (p *textPrinter) axis(i int, indent string) {
	if i == len(p.shape) {
		if len(p.cells) > 0 {
			p.b.WriteString(strings.Repeat(" ", p.width-utf8.RuneCountInString(p.cells[0])) + p.cells[0])
			p.cells = p.cells[1:]
		}
		return
	}
	gap := " "
	if last := i == len(p.shape)-1; !last {
		gap = strings.Repeat("\n", len(p.shape)-1-i) + indent + " "
	}
	p.b.WriteByte('[')
	cut := slices.Index(p.shown[i], p.shape[i]-textEdge)
	for k := range p.shown[i] {
		if k > 0 {
			p.b.WriteString(gap)
		}
		if k == cut && len(p.shown[i]) < p.shape[i] {
			p.b.WriteString("..." + gap)
		}
		p.axis(i+1, indent+" ")
	}
	p.b.WriteByte(']')
}
