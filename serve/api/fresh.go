package api

import (
	"context"
	"path"
	"slices"

	"github.com/omnizarr/zarr"
)

// stampOf tells what an array is now: its document, and its chunks. It is "" for what is none.
func (s *server) stampOf(ctx context.Context, sp *spot, at string) string {
	version, err := sp.source.Version(ctx, at)
	if err != nil {
		return ""
	}
	n, err := sp.source.Node(ctx, at)
	a, ok := n.(*zarr.Array)
	if err != nil || !ok {
		return version
	}
	now, err := s.stored.Whole(ctx, a)
	if err != nil {
		return version // who reads it is told
	}
	return version + now.Tags
}

// tagsBelow tell what a node is now: an array, or the arrays that lie directly in a group, as
// the columns of a table, the samples and times of a series, the levels of an image.
func (s *server) tagsBelow(ctx context.Context, sp *spot) (string, error) {
	if _, ok := sp.node.(*zarr.Array); ok {
		return s.stampOf(ctx, sp, sp.path), nil
	}
	names, err := sp.source.Names(ctx, sp.path)
	if err != nil {
		return "", err
	}
	all := ""
	for _, name := range names[:min(len(names), mostVersions)] {
		all += name + " " + s.stampOf(ctx, sp, path.Join(sp.path, name)) + "\n"
	}
	return all, ctx.Err()
}

// timesKey tells what the times of samples are now: the arrays beside them, or those that
// their axes are named after.
func (s *server) timesKey(ctx context.Context, sp *spot) (string, error) {
	a, ok := sp.node.(*zarr.Array)
	if !ok {
		return s.tagsBelow(ctx, sp)
	}
	all := ""
	for _, name := range slices.Compact(slices.Sorted(slices.Values(a.DimensionNames()))) {
		if at := path.Join(path.Dir(sp.path), name); name != "" && at != sp.path {
			all += name + " " + s.stampOf(ctx, sp, at) + "\n"
		}
	}
	return all, ctx.Err()
}
