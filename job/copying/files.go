package copying

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/std"
	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/store"
)

// Foreign is what lies in the place of a hierarchy and is no part of its nodes.
type Foreign struct {
	// Files are the keys below the node of what is somebody's own: READMEs, tables.
	Files []string
	// Left is what is not copied, with the reason: nodes that the consolidated metadata
	// does not know.
	Left []string
}

// FindForeign lists all of a hierarchy. A link that leads out of the store is an
// error: what it leads to would be missing in a copy.
func FindForeign(ctx context.Context, src zarr.Node) (f Foreign, err error) {
	prefix := strings.TrimSuffix(job.DocumentOf(src), job.Document)
	for e, err := range store.Hidden(ctx, translate.Raw(src.Store()), prefix) {
		if err != nil {
			return f, err
		}
		if e.Why == store.LeadsOut {
			return f, &zarr.Error{Op: "copy", URL: src.URL(), Key: strings.TrimPrefix(e.Key, prefix),
				Err: fmt.Errorf("%s, to %s; --allow %s follows it", e.Why, e.Target, path.Dir(e.Target))}
		}
	}
	if kind := std.Registry().Find(src.Format()); kind != nil && kind.File != nil {
		return f, nil // a file has nothing but its nodes
	}
	// Consolidated metadata may leave nodes out, whose chunks are then nobody's.
	root := src
	if g, ok := src.(*zarr.Group); ok && src.Format() != "" {
		all, err := zarr.OpenStore(ctx, g.Store(), g.Path(), zarr.BypassConsolidated(), zarr.ImplicitGroup())
		if err == nil {
			root = all
			known := map[string]bool{}
			for n, err := range g.Walk(ctx) {
				if err != nil {
					return f, err
				}
				known[job.Path(src, n)] = true
			}
			if other, ok := all.(*zarr.Group); ok {
				for n, err := range other.Walk(ctx) {
					if err == nil && !known[job.Path(all, n)] {
						f.Left = append(f.Left, job.Path(all, n)+" (not in the consolidated metadata; --no-consolidated copies it)")
					}
				}
			}
		}
	}
	for s, err := range job.Strays(ctx, root) {
		if errors.Is(err, store.ErrNoList) {
			return f, nil
		}
		if err != nil {
			return f, err
		}
		if !s.Orphan {
			f.Files = append(f.Files, path.Join(strings.TrimPrefix(s.Path, "/"), s.Key))
		}
	}
	return f, nil
}

// copy copies the files of a hierarchy to the same places of its copy, below the path
// of root, and tells which. arrays are those of the copy: what would be a chunk of one
// of them stays where it is.
func (f Foreign) copy(ctx context.Context, src, root zarr.Node, arrays map[string]*zarr.Array, limit int64) (done, left []string, err error) {
	from, to := translate.Raw(src.Store()), translate.Raw(root.Store())
	base := strings.TrimSuffix(job.DocumentOf(src), job.Document)
	prefix := strings.TrimSuffix(job.DocumentOf(root), job.Document)
	left = f.Left
	for _, key := range f.Files {
		at, below := job.Nearest(arrays, key)
		if a := arrays[at]; a != nil && a.Metadata().Keys.Parse(below, make([]int, len(a.Shape()))) {
			left = append(left, key+" (it would be a chunk of the copy)")
			continue
		}
		if err := copyFile(ctx, from, base+key, to, prefix+key, limit); err != nil {
			return done, left, err
		}
		done = append(done, key)
	}
	return done, left, nil
}

func copyFile(ctx context.Context, from store.Store, key string, to store.Store, name string, limit int64) error {
	o, err := store.Open(ctx, from, key)
	if err != nil {
		return err
	}
	defer o.Close()
	const whole = 1 << 20
	data, info, err := o.Get(ctx, store.UpTo(whole), nil)
	if errors.Is(err, store.ErrTooLarge) {
		if _, info, err = o.Get(ctx, store.Part(0, 1), nil); err != nil {
			return err
		}
		_, err = store.PutFrom(ctx, to, name, store.Ranges(ctx, o, info.Size), info.Size, limit)
		return err
	}
	if err == nil {
		_, err = to.Put(ctx, name, data, store.PutOptions{})
	}
	return err
}
