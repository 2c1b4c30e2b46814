package jobs

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
)

// translate makes the documents that nodes are to have: those that are of the
// other format say what they mean in its terms.
func (m *migrator) translate() error {
	arrays, groups := map[string]*zarr.Array{}, map[string]*zarr.Group{}
	for _, n := range m.nodes {
		switch n := n.(type) {
		case *zarr.Array:
			arrays[job.Path(m.root, n)] = n
		case *zarr.Group:
			groups[job.Path(m.root, n)] = n
		}
	}
	to := copying.Nodes{Format: m.to}
	docs, lost, err := to.Documents(arrays)
	if err != nil {
		return err
	}
	said, err := to.Groups(groups)
	if err != nil {
		return err
	}
	said.Name(docs)
	m.report.Lost = append(m.report.Lost, lost...)
	m.report.Notes = said.Notes
	for path, a := range arrays {
		m.docs[a] = docs[path]
	}
	for path, g := range groups {
		m.docs[g] = said.Groups[path]
	}
	return nil
}

// maxAbsent bounds the chunks that are written out: there can be any number of such
// as are not stored.
const maxAbsent = 1 << 20

// findAbsent finds the chunks that are not stored, where they have other elements by
// the new document.
func (m *migrator) findAbsent(a *zarr.Array, doc *meta.Array) error {
	if !doc.NoFill && bytes.Equal(doc.FillValue, a.Metadata().FillValue) {
		return nil
	}
	count := a.Metadata().Grid.Count()
	stored := make(map[string]bool)
	key := func(index []int) string { return string(a.Metadata().Keys.Append(nil, index)) }
	for c, err := range a.Stored(m.ctx) {
		if err != nil {
			return err
		}
		stored[key(c.Index)] = true
	}
	total, ok := nd.Len(count)
	if !ok || total-len(stored) > maxAbsent {
		return fmt.Errorf("more than %d chunks are not stored, and would have to be written out", maxAbsent)
	}
	if len(stored) == total {
		return nil
	}
	for index := make([]int, len(count)); ; {
		if !stored[key(index)] {
			m.absent[a] = append(m.absent[a], slices.Clone(index))
			m.report.Chunks++
		}
		if !nd.Next(index, count) {
			return nil
		}
	}
}

// fillIn stores the chunks that were absent, with the elements that they have by the
// document which is still there: an interruption changes nothing that is read.
func (m *migrator) fillIn() error {
	workers, memory, err := job.Limits(0, 0)
	if err != nil {
		return err
	}
	pool := job.NewPool(m.ctx, workers, memory)
	for a, chunks := range m.absent {
		n, err := m.open(a.Path(), zarr.KeepEmpty())
		if err != nil {
			return err
		}
		kept := n.(*zarr.Array)
		for _, index := range chunks {
			box := nd.Box{Start: make([]int, len(index)), Shape: make([]int, len(index))}
			for i, k := range index {
				start, length := a.Metadata().Grid.Span(i, k)
				box.Start[i], box.Shape[i] = start, min(length, a.Shape()[i]-start)
			}
			more := pool.Run(job.Weight(a, box.Shape), func(ctx context.Context) error {
				v := nd.Make(a.DataType().Size(), box.Shape...)
				if len(a.DataType().Refs()) > 0 {
					v.Heap = &nd.Heap{}
				}
				sel := zarr.Box(box.Start, box.Shape)
				if err := a.ReadInto(ctx, sel, v); err != nil {
					return err
				}
				return kept.WriteFrom(ctx, sel, v)
			})
			if !more {
				return pool.Wait()
			}
		}
	}
	return pool.Wait()
}
