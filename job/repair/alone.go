package repair

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	formats "github.com/omnizarr/zarr/format/std"
	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
	"github.com/omnizarr/zarr/store/journal"
	"github.com/omnizarr/zarr/store/lock"
)

// ErrInside says that the node is a part of a hierarchy of which a commit was
// interrupted: what seems to be wrong with it may be right once that is completed.
var ErrInside = errors.New("is a part of a hierarchy of which a commit was interrupted; repair that one")

// alone keeps others from writing the hierarchy, and those that it is a part of, until
// release is called.
func (p *Plan) alone(ctx context.Context) (release func() error, err error) {
	var held []func() error
	release = func() error {
		var err error
		for _, f := range held {
			err = errors.Join(err, f())
		}
		return err
	}
	take := func(s store.Store, at string) error {
		f, err := lock.Take(ctx, s, at)
		if err == nil {
			held = append(held, f)
		}
		return err
	}
	if err = take(translate.Raw(p.store), p.path); err == nil {
		err = p.above(ctx, take)
	}
	if err != nil {
		return nil, errors.Join(err, release())
	}
	return release, nil
}

// above calls f for the places of the nodes above the one of the plan, and refuses
// those with a commit that was interrupted.
func (p *Plan) above(ctx context.Context, f func(s store.Store, at string) error) error {
	raw := translate.Raw(p.store)
	look := func(s store.Store, at string) error {
		inside, err := store.Sub(s, at)
		if err != nil {
			return err
		}
		if j, err := journal.Read(ctx, inside); err != nil || j != nil {
			return errors.Join(fmt.Errorf("%w: %s", ErrInside, inside.URL()), err)
		}
		return f(s, at)
	}
	for at := p.path; at != ""; {
		at = strings.TrimPrefix(path.Dir("/"+at), "/")
		if err := look(raw, at); err != nil {
			return err
		}
	}
	for dir := lock.Folder(raw, ""); dir != ""; {
		if dir = filepath.Dir(dir); !isNode(dir) {
			return nil
		}
		s, err := file.Open(dir, file.Options{})
		if err == nil {
			err = errors.Join(look(s, ""), s.Close())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isNode reports whether a folder has the document of a node.
func isNode(dir string) bool {
	for _, name := range formats.Registry().Documents() {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}
