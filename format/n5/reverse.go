package n5

import (
	"errors"
	"slices"

	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/meta"
)

// reverse turns the document of an array into that of the same array with its
// axes the other way round. Chunks are where they were, with the same bytes: the
// codec in front undoes the order of axes, and keys are read backwards.
func reverse(m *meta.Array) error {
	chunks := slices.Clone(m.Grid.Uniform())
	turn(m, chunks)
	m.Keys = grid.ReversedKeys{Keys: m.Keys}
	m.Codecs = append([]meta.Extension{reversal(len(m.Shape))}, m.Codecs...)
	var err error
	m.Grid, err = grid.NewRegular(m.Shape, chunks)
	return err
}

// restore undoes reverse.
func restore(m *meta.Array) error {
	keys, ok := m.Keys.(grid.ReversedKeys)
	if !ok || len(m.Codecs) < 2 || m.Codecs[0].Name != "transpose" {
		return errors.New("is no reversed view of a dataset")
	}
	chunks := slices.Clone(m.Grid.Uniform())
	turn(m, chunks)
	m.Keys, m.Codecs = keys.Keys, m.Codecs[1:]
	var err error
	m.Grid, err = grid.NewRegular(m.Shape, chunks)
	return err
}

// turn reverses what has an entry for every axis.
func turn(m *meta.Array, chunks []int) {
	slices.Reverse(chunks)
	slices.Reverse(m.Shape)
	slices.Reverse(m.DimensionNames)
}
