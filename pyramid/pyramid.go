// Package pyramid builds the smaller versions of an image, level by level, and says in
// OME-NGFF's metadata which they are.
package pyramid

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/downsample"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/nd"
)

// Options says what pyramid to build; the zero value is fine.
type Options struct {
	// Levels is how many there are in the end, with the first. The default is as many
	// as it takes until an axis that shrinks is not longer than a chunk.
	Levels int
	// Factors is how many elements become one along each axis, from level to level. The
	// default is two along the axes of space, and one along the others.
	Factors []int
	// Method says how; the default is the mean.
	Method downsample.Method
	// SkipFill leaves elements that have the fill value out, unless there is nothing
	// else.
	SkipFill bool
	// Scale is the distance of elements of the first level along every axis, where the
	// group does not say it yet; the default is one.
	Scale []float64
	// Name is that of the image, where the group does not say it yet.
	Name string
	// Version of OME-NGFF, "0.5" or "0.4". The default is what the group has, else 0.4
	// for Zarr v2 and 0.5 for others.
	Version string
	// Overwrite replaces levels that are there.
	Overwrite bool
	// Workers and Memory are those of zarr.BlockOptions. Progress is told of every block
	// of a level.
	Workers  int
	Memory   int64
	Progress func(level, done, total int)
}

// Build makes the smaller versions of the array called first in a group, whose name
// ends in a number: those of "s0" are s1, s2 and so on, beside it. Each is made of the
// one before, in blocks. The metadata of the group, which is written last, lists all
// levels then; axes, units and the first scale are what it said before, else what the
// array's dimension names say. Levels that were made are removed again if there is an
// error, so that the next call can make them.
func Build(ctx context.Context, g *zarr.Group, first string, opt Options) (_ []*zarr.Array, err error) {
	a, err := g.Array(ctx, first)
	if err != nil {
		return nil, err
	}
	fail := func(err error) ([]*zarr.Array, error) {
		return nil, &zarr.Error{Op: "build pyramid of", URL: a.URL(), Err: err}
	}
	if err := opt.check(len(a.Shape())); err != nil {
		return fail(err)
	}
	meta, image, err := describe(g, a, first, opt)
	if err != nil {
		return fail(err)
	}
	factors := opt.Factors
	if factors == nil {
		for _, axis := range image.Axes {
			factors = append(factors, map[bool]int{true: 2, false: 1}[axis.Type == "space"])
		}
	}
	if len(factors) != len(a.Shape()) || slices.Min(append([]int{1}, factors...)) < 1 || slices.Max(append([]int{1}, factors...)) < 2 {
		return fail(fmt.Errorf("factors %v for an array of shape %v: none would become smaller", factors, a.Shape()))
	}
	var missing []byte
	if opt.SkipFill {
		missing = a.FillValue()
	}
	var made []string
	defer func() {
		if err != nil {
			err = undo(context.WithoutCancel(ctx), g, made, err)
		}
	}()
	levels := []*zarr.Array{a}
	for k := 1; k < opt.Levels || opt.Levels == 0 && k < maxLevels && tooLong(levels[k-1], factors); k++ {
		name, err := levelName(first, k)
		if err != nil {
			return fail(err)
		}
		r, err := NewReducer(levels[k-1], opt.Method, factors, missing, 0)
		if err != nil {
			return fail(err)
		}
		spec, err := specOf(levels[k-1], r)
		if err != nil {
			return fail(err)
		}
		spec.Overwrite = opt.Overwrite
		next, err := g.CreateArray(ctx, name, spec)
		if err != nil {
			return nil, err
		}
		made = append(made, name)
		if err := shrink(ctx, next, r, k, opt); err != nil {
			return nil, err
		}
		levels = append(levels, next)
		image.Levels = append(image.Levels, Below(image.Levels[k-1], name, factors, opt.Method))
	}
	meta.Images[slices.IndexFunc(meta.Images, func(m ngff.Multiscales) bool { return m.Levels[0].Path == first })] = image
	attrs := g.Attributes()
	if err := meta.Write(attrs); err != nil {
		return fail(err)
	}
	return levels, g.SetAttributes(ctx, attrs)
}

// undo removes the levels that were made until err.
func undo(ctx context.Context, g *zarr.Group, made []string, err error) error {
	for _, name := range made {
		if also := g.Delete(ctx, name); also != nil {
			return &zarr.Error{Op: "build pyramid in", URL: g.URL(), Err: fmt.Errorf("%w; removing what was made: %w", err, also)}
		}
	}
	return err
}

// check says what is wrong with the options for an array of a rank.
func (o Options) check(rank int) error {
	switch {
	case o.Levels < 0:
		return fmt.Errorf("option Levels: %d is negative", o.Levels)
	case o.Workers < 0:
		return fmt.Errorf("option Workers: %d is negative", o.Workers)
	case o.Memory < 0:
		return fmt.Errorf("option Memory: %d is negative", o.Memory)
	case o.Scale != nil && len(o.Scale) != rank:
		return fmt.Errorf("option Scale: %v for %d axes", o.Scale, rank)
	}
	return nil
}

const maxLevels = 32

// tooLong reports whether an axis that shrinks is longer than a chunk.
func tooLong(a *zarr.Array, factors []int) bool {
	chunks := a.ChunkShape()
	for i, n := range a.Shape() {
		limit := 256
		if chunks != nil {
			limit = chunks[i]
		}
		if factors[i] > 1 && n > limit {
			return true
		}
	}
	return false
}

// levelName counts the number on at the end of a name.
func levelName(first string, k int) (string, error) {
	stem := strings.TrimRight(first, "0123456789")
	n, err := strconv.Atoi(first[len(stem):])
	if err != nil {
		return "", fmt.Errorf("the name %q ends in no number that could be counted on", first)
	}
	return stem + strconv.Itoa(n+k), nil
}

// describe finds what the group says of the image whose first level is a, or makes it
// up. The image has that level alone.
func describe(g *zarr.Group, a *zarr.Array, first string, opt Options) (*ngff.Metadata, ngff.Multiscales, error) {
	var none ngff.Multiscales
	meta, err := ngff.Read(g.Attributes())
	if errors.Is(err, ngff.ErrNone) {
		meta, err = &ngff.Metadata{}, nil
	}
	if err != nil {
		return nil, none, err
	}
	if opt.Version != "" {
		meta.Version = opt.Version
	}
	for _, image := range meta.Images {
		if image.Levels[0].Path != first {
			continue
		}
		if len(image.Axes) != len(a.Shape()) {
			return nil, none, fmt.Errorf("the group says that it has %d axes, and it has %d", len(image.Axes), len(a.Shape()))
		}
		image.Levels = slices.Clone(image.Levels[:1])
		return meta, image, nil
	}
	if meta.Version == "" && g.Format() == "zarr2" {
		meta.Version = ngff.Old
	}
	image := ngff.Multiscales{Name: opt.Name, Levels: []ngff.Level{{Path: first, Scale: opt.Scale}}}
	rank := len(a.Shape())
	names := a.DimensionNames()
	if names == nil {
		const usual = "tczyx"
		if rank > len(usual) {
			return nil, none, errors.New("its axes have no names")
		}
		names = strings.Split(usual[len(usual)-rank:], "")
	}
	for _, name := range names {
		image.Axes = append(image.Axes, ngff.Axis{Name: name, Type: ngff.AxisType(name)})
	}
	if opt.Scale == nil {
		for range rank {
			image.Levels[0].Scale = append(image.Levels[0].Scale, 1)
		}
	}
	if err := image.Check(); err != nil {
		return nil, none, err
	}
	meta.Images = append(meta.Images, image)
	return meta, image, nil
}

// Below is the level whose elements are made of those of l: they are in the middle of
// their windows, unless they are the first of them.
func Below(l ngff.Level, path string, factors []int, how downsample.Method) ngff.Level {
	next := ngff.Level{Path: path, Scale: slices.Clone(l.Scale), Translation: slices.Clone(l.Translation)}
	if next.Translation == nil && how != downsample.Nearest {
		next.Translation = make([]float64, len(factors))
	}
	for i, f := range factors {
		if how != downsample.Nearest {
			next.Translation[i] += l.Scale[i] * float64(f-1) / 2
		}
		next.Scale[i] *= float64(f)
	}
	return next
}

// specOf is the array of the next level, stored as the one before.
func specOf(a *zarr.Array, r *Reducer) (zarr.ArraySpec, error) {
	m := a.Metadata()
	typ, err := json.Marshal(m.DataType)
	if err != nil {
		return zarr.ArraySpec{}, err
	}
	codecs, err := json.Marshal(m.Codecs)
	if err != nil {
		return zarr.ArraySpec{}, err
	}
	spec := zarr.ArraySpec{Shape: r.Shape(), DataType: string(typ), FillValue: m.FillValue, Codecs: codecs, DimensionNames: a.DimensionNames()}
	if chunks := m.Grid.Uniform(); chunks != nil {
		spec.Chunks = chunks
	}
	return spec, nil
}

// shrink fills a level from the one before.
func shrink(ctx context.Context, dst *zarr.Array, r *Reducer, level int, opt Options) error {
	window, _ := nd.Len(r.factors)
	blocks := zarr.BlockOptions{Mode: zarr.WriteBlocks, Workers: opt.Workers, Memory: opt.Memory / int64(window+1)}
	if opt.Progress != nil {
		blocks.Progress = func(done, total int) { opt.Progress(level, done, total) }
	}
	return zarr.BlockViews(ctx, dst, blocks, r.Block)
}
