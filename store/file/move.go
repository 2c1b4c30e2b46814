package file

import (
	"context"
	"errors"
	"io/fs"

	"github.com/omnizarr/zarr/store"
)

var _ store.Mover = (*Store)(nil)

// Move gives a folder another name. Where the system cannot refuse to replace an
// empty folder by it, that one is gone.
func (s *Store) Move(ctx context.Context, from, to string) error {
	return s.move(ctx, "move", from, to, func(d, e folder, a, b string) error {
		if _, err := e.stat(b); !errors.Is(err, fs.ErrNotExist) {
			if err == nil {
				err = store.ErrPrecondition
			}
			return err
		}
		return d.renameTo(a, e, b)
	})
}

// Exchange gives each of two folders the name of the other, where the system has a
// call for it.
func (s *Store) Exchange(ctx context.Context, a, b string) error {
	return s.move(ctx, "exchange", a, b, func(d, e folder, a, b string) error { return d.exchange(a, e, b) })
}

func (s *Store) move(ctx context.Context, op, from, to string, do func(d, e folder, a, b string) error) error {
	err := ctx.Err()
	if err == nil {
		err = s.enter(from)
	}
	if err != nil {
		return store.WrapError(op, s.url, from, err)
	}
	defer s.leave()
	if store.CheckKey(to) != nil || reserved(to) || !systemKey(to) {
		return store.WrapError(op, s.url, to, store.ErrBadKey)
	}
	return store.WrapError(op, s.url, from, s.moveIn(from, to, do))
}

func (s *Store) moveIn(from, to string, do func(d, e folder, a, b string) error) error {
	fromDir, a := split(from)
	toDir, b := split(to)
	d, err := s.b.folder(fromDir)
	if err != nil {
		return err
	}
	defer d.close()
	e, err := s.b.folder(toDir)
	if err != nil {
		return err
	}
	defer e.close()
	err = do(d, e, a, b)
	s.flushed.Clear() // other folders have these names now
	if err != nil || !s.sync {
		return err
	}
	return errors.Join(d.sync(), e.sync())
}
