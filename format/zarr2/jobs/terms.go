package jobs

import (
	"bytes"
	"context"
	"path"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/xarray"
	"github.com/omnizarr/zarr/format/zarr2"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
)

// translate makes the documents that arrays are to have: those that are of the
// other format say what they mean in its terms.
func (m *migrator) translate() error {
	groups := map[string][]*meta.Array{}
	for _, n := range m.nodes {
		if a, ok := n.(*zarr.Array); ok && n != m.root {
			groups[path.Dir(n.Path())] = append(groups[path.Dir(n.Path())], a.Metadata())
		}
	}
	from, to := xarray.Zarr2, xarray.Zarr3
	if m.to == zarr2.Format {
		from, to = to, from
	}
	for _, n := range m.nodes {
		a, ok := n.(*zarr.Array)
		if !ok {
			continue
		}
		m.docs[n] = a.Metadata()
		if n.Format() == m.to {
			continue
		}
		doc := a.Metadata().Clone()
		what, said := from.Read(doc, groups[path.Dir(n.Path())])
		if !said {
			continue
		}
		if lost := to.Write(doc, what); lost != "" {
			m.report.Lost = append(m.report.Lost, job.Path(m.root, n)+": "+lost)
		}
		m.docs[n] = doc
		if err := m.findAbsent(a, doc); err != nil {
			return err
		}
	}
	return nil
}

// findAbsent finds the chunks that are not stored, where they have other elements by
// the new document.
func (m *migrator) findAbsent(a *zarr.Array, doc *meta.Array) error {
	if !doc.NoFill && bytes.Equal(doc.FillValue, a.Metadata().FillValue) || m.to != zarr2.Format {
		return nil
	}
	count := a.Metadata().Grid.Count()
	total, ok := nd.Len(count)
	if !ok || total == 0 {
		return nil // check says why there is no document for more than can be counted
	}
	stored := make(map[string]bool)
	key := func(index []int) string { return string(a.Metadata().Keys.Append(nil, index)) }
	for c, err := range a.Stored(m.ctx) {
		if err != nil {
			return err
		}
		stored[key(c.Index)] = true
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
