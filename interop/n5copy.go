package main

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/n5/jobs"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/store/file"
)

// copyN5 writes arrays of Zarr v3 and v2 below a folder and copies each hierarchy
// to containers of N5: with axes as they are and reversed, edges cut and padded.
// The manifest is that of the copies.
func copyN5(ctx context.Context, dir string) error {
	var out manifest
	for format, all := range map[int][]spec{2: specs2(), 3: specs()} {
		from := filepath.Join(dir, fmt.Sprint("zarr", format))
		root, err := zarr.CreateGroup(ctx, from, zarr.As(fmt.Sprint("zarr", format)))
		if err != nil {
			return err
		}
		m, err := writeAll(ctx, root, slices.DeleteFunc(all, func(s spec) bool { return !inN5(s) }))
		if err != nil {
			return err
		}
		for name, opts := range map[string]jobs.Copy{
			"straight": {}, "padded": {PadEdges: true}, "reversed": {Reversed: true}, "reversed-padded": {Reversed: true, PadEdges: true},
		} {
			to := fmt.Sprintf("zarr%d-%s.n5", format, name)
			if _, err := copying.Copy(ctx, root, filepath.Join(dir, to), copying.Options{To: opts.Format()}); err != nil {
				return fmt.Errorf("%s: %w", to, err)
			}
			for _, e := range m.Cases {
				if e, err = e.copied(ctx, root, opts.Reversed); err != nil {
					return err
				}
				e.Name, e.Path = path.Join(to, e.Name), path.Join(to, e.Path)
				out.Cases = append(out.Cases, e)
			}
		}
		if err := root.Close(); err != nil {
			return err
		}
	}
	slices.SortFunc(out.Cases, func(a, b entry) int { return strings.Compare(a.Name, b.Name) })
	return out.save(manifestIn(dir))
}

// inN5 says which arrays of the matrices N5 can hold, as far as they are copied. Zarr
// v2 has NumPy's names for types.
func inN5(s spec) bool {
	kind, rest, _ := strings.Cut(s.name, "/")
	typ, _, _ := strings.Cut(rest, "/")
	switch kind {
	case "type":
		return slices.Contains([]string{"uint8", "int16", "float32", "float64", "u1", "i2", "f4", "f8"}, typ)
	case "shape":
		return !strings.HasPrefix(rest, "0d")
	}
	return s.name == "node/attributes" || s.name == "node/dimension-names"
}

// copied is the entry of an array below a group as the manifest of its copy has it,
// where names of dimensions are no longer an attribute of Zarr v2.
func (e entry) copied(ctx context.Context, root *zarr.Group, reversed bool) (entry, error) {
	a, err := root.Array(ctx, e.Path)
	if err != nil {
		return e, err
	}
	e.DimensionNames = slices.Clone(a.Metadata().DimensionNames)
	if e.DimensionNames != nil {
		e.Attributes = nil
	}
	if !reversed {
		return e, nil
	}
	v, err := read(ctx, a, zarr.All(), a.Shape())
	if err != nil {
		return e, err
	}
	e.SHA256 = digest(a.DataType(), turned(v))
	e.Shape = slices.Clone(e.Shape)
	slices.Reverse(e.Shape)
	slices.Reverse(e.DimensionNames)
	return e, nil
}

// adoptN5 makes the container in a folder Zarr v3 too, with a codec that reads
// blocks, in place of what it was before.
func adoptN5(ctx context.Context, with, dir string) error {
	s, err := file.Open(dir, file.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	done, err := jobs.Adopt(ctx, s, "", jobs.AdoptOptions{With: with, Overwrite: true})
	if err == nil && len(done.Written) < done.Arrays {
		err = fmt.Errorf("adopted %d nodes, there are %d arrays", len(done.Written), done.Arrays)
	}
	return err
}
