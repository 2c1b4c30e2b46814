package conformance_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/nd"
)

// picked is a selection and what it means: the shape of the result, and the
// position in the model of each of its elements.
type picked struct {
	name  string
	sel   zarr.Selection
	shape []int
	at    []int
}

// axisPick is a selection along one axis and the positions that it means.
type axisPick struct {
	text string // as Python writes it, if it can
	axis zarr.Axis
	pos  []int
	drop bool
}

func drawSelection(t *rapid.T, a *zarr.Array, m *model) picked {
	rank := len(m.shape)
	n := len(m.values)
	switch rapid.IntRange(0, 6).Draw(t, "selection") {
	case 0:
		return drawBlocks(t, a, m)
	case 1:
		if rank > 0 && n > 0 {
			return drawPoints(t, m)
		}
	case 2:
		if rank > 0 {
			return drawMask(t, m)
		}
	case 3:
		return drawBox(t, m)
	}
	picks := make([]axisPick, rank)
	for i, n := range m.shape {
		picks[i] = drawAxis(t, n)
	}
	return joinAxes(t, m, picks)
}

// joinAxes makes a selection of what is selected along every axis; whole axes in
// a row may become an ellipsis, those at the end may be left out.
func joinAxes(t *rapid.T, m *model, picks []axisPick) picked {
	p := picked{shape: []int{}}
	var axes []zarr.Axis
	var text []string
	spelled := true
	for _, k := range picks {
		axes = append(axes, k.axis)
		text = append(text, k.text)
		spelled = spelled && k.text != ""
		if !k.drop {
			p.shape = append(p.shape, len(k.pos))
		}
	}
	for len(axes) > 0 && text[len(axes)-1] == ":" && rapid.Bool().Draw(t, "leave out") {
		axes, text = axes[:len(axes)-1], text[:len(axes)-1]
	}
	if i := slices.Index(text, ":"); i >= 0 && rapid.Bool().Draw(t, "ellipsis") && len(axes) == len(picks) {
		j := i
		for j < len(text) && text[j] == ":" {
			j++
		}
		axes = slices.Replace(slices.Clone(axes), i, j, zarr.Ellipsis())
		text = slices.Replace(slices.Clone(text), i, j, "...")
	}
	p.sel = zarr.Select(axes...)
	if spelled && rapid.Bool().Draw(t, "as text") {
		p.sel = zarr.Slice(strings.Join(text, ", "))
	}
	p.name = fmt.Sprintf("%v", axes)
	full := make([]int, len(picks))
	for i, k := range picks {
		full[i] = len(k.pos)
	}
	forEach(full, func(idx []int) {
		at := make([]int, len(idx))
		for i, k := range idx {
			at[i] = picks[i].pos[k]
		}
		p.at = append(p.at, m.at(at))
	})
	return p
}

func drawAxis(t *rapid.T, n int) axisPick {
	kind := rapid.IntRange(0, 7).Draw(t, "axis")
	if n == 0 && (kind == 0 || kind == 1) {
		kind = 7
	}
	switch kind {
	case 0:
		i := rapid.IntRange(-n, n-1).Draw(t, "index")
		return axisPick{text: fmt.Sprint(i), axis: zarr.At(i), pos: []int{(i + n) % n}, drop: true}
	case 1:
		list := rapid.SliceOfN(rapid.IntRange(-n, n-1), 0, 6).Draw(t, "list")
		pos := make([]int, len(list))
		for i, k := range list {
			pos[i] = (k + n) % n
		}
		return axisPick{axis: zarr.List(list...), pos: pos}
	case 2:
		mask := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "mask")
		var pos []int
		for i, on := range mask {
			if on {
				pos = append(pos, i)
			}
		}
		return axisPick{axis: zarr.Where(mask), pos: pos}
	case 3, 4, 5, 6:
		return drawSlice(t, n)
	}
	return axisPick{text: ":", axis: zarr.Full(), pos: python(nil, nil, nil, n)}
}

func drawSlice(t *rapid.T, n int) axisPick {
	bound := rapid.IntRange(-n-3, n+3)
	start, stop := bound.Draw(t, "start"), bound.Draw(t, "stop")
	step := rapid.SampledFrom([]int{1, 1, 1, 2, 3, 100, -1, -1, -2, -5}).Draw(t, "step")
	p := axisPick{axis: zarr.Step(start, stop, step), text: fmt.Sprintf("%d:%d:%d", start, stop, step), pos: python(&start, &stop, &step, n)}
	switch {
	case rapid.IntRange(0, 3).Draw(t, "open") == 0:
		parsed := fmt.Sprintf("::%d", step)
		if rapid.Bool().Draw(t, "with start") {
			parsed = fmt.Sprintf("%d::%d", start, step)
			p.pos = python(&start, nil, &step, n)
		} else {
			p.pos = python(nil, nil, &step, n)
		}
		p.text = parsed
		p.axis = zarr.List(p.pos...) // what only text can spell, the same positions stand for
	case step == 1 && rapid.Bool().Draw(t, "span"):
		p.axis = zarr.Span(start, stop)
	}
	return p
}

// python gives the positions of a slice by the rules of its reference manual.
func python(start, stop, step *int, n int) []int {
	by := 1
	if step != nil {
		by = *step
	}
	lower, upper := 0, n
	if by < 0 {
		lower, upper = -1, n-1
	}
	clip := func(p *int, otherwise int) int {
		if p == nil {
			return otherwise
		}
		k := *p
		if k < 0 {
			return max(k+n, lower)
		}
		return min(k, upper)
	}
	var from, to int
	if by > 0 {
		from, to = clip(start, lower), clip(stop, upper)
	} else {
		from, to = clip(start, upper), clip(stop, lower)
	}
	var out []int
	for k := from; by > 0 && k < to || by < 0 && k > to; k += by {
		out = append(out, k)
	}
	return out
}

func drawBlocks(t *rapid.T, a *zarr.Array, m *model) picked {
	g := a.Metadata().Grid
	picks := make([]axisPick, len(m.shape))
	for i, n := range m.shape {
		count := g.Count()[i]
		lo, hi := 0, count
		if count > 0 && rapid.Bool().Draw(t, "one block") {
			lo = rapid.IntRange(0, count-1).Draw(t, "block")
			hi = lo + 1
			picks[i].axis = zarr.At(lo)
		} else {
			lo = rapid.IntRange(0, count).Draw(t, "from")
			hi = rapid.IntRange(lo, count).Draw(t, "to")
			picks[i].axis = zarr.Span(lo, hi)
		}
		for c := lo; c < hi; c++ {
			start, length := g.Span(i, c)
			for k := start; k < min(start+length, n); k++ {
				picks[i].pos = append(picks[i].pos, k)
			}
		}
	}
	p := joinAxes(t, m, picks)
	axes := make([]zarr.Axis, len(picks))
	for i := range picks {
		axes[i] = picks[i].axis
	}
	p.sel, p.name = zarr.WholeChunks(axes...), fmt.Sprintf("blocks %v", axes)
	return p
}

func drawBox(t *rapid.T, m *model) picked {
	b := nd.Box{Start: make([]int, len(m.shape)), Shape: make([]int, len(m.shape))}
	picks := make([]axisPick, len(m.shape))
	for i, n := range m.shape {
		b.Start[i] = rapid.IntRange(-2, n+2).Draw(t, "start")
		b.Shape[i] = rapid.IntRange(0, n+3).Draw(t, "length")
		for k := range b.Shape[i] {
			if at := b.Start[i] + k; at >= 0 && at < n {
				picks[i].pos = append(picks[i].pos, at)
			}
		}
	}
	p := joinAxes(t, m, picks)
	p.sel, p.name = zarr.Box(b.Start, b.Shape), fmt.Sprintf("box %v", b)
	return p
}

func drawPoints(t *rapid.T, m *model) picked {
	n := rapid.IntRange(0, 8).Draw(t, "points")
	coords := make([][]int, len(m.shape))
	at := make([][]int, n)
	for i, length := range m.shape {
		coords[i] = make([]int, n)
		for k := range n {
			c := rapid.IntRange(-length, length-1).Draw(t, "coordinate")
			coords[i][k] = c
			at[k] = append(at[k], (c+length)%length)
		}
	}
	p := picked{name: fmt.Sprintf("points %v", coords), sel: zarr.Points(coords...), shape: []int{n}}
	for _, idx := range at {
		p.at = append(p.at, m.at(idx))
	}
	return p
}

func drawMask(t *rapid.T, m *model) picked {
	mask := make([]bool, len(m.values))
	p := picked{name: "mask"}
	for k := range mask {
		if mask[k] = rapid.IntRange(0, 3).Draw(t, "on") == 0; mask[k] {
			p.at = append(p.at, k)
		}
	}
	p.sel, p.shape = zarr.Mask(mask), []int{len(p.at)}
	return p
}
