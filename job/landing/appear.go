package landing

import (
	"context"
	"errors"
	"path"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/store"
)

// appear puts a copy that is complete in its place, and tidies up. The mark stays
// until the end: a folder beside the place that has one is the new, one that has none
// is the old.
func (l *Landing) appear(ctx context.Context) error {
	made, old := l.besides()
	if l.made != l.at {
		if err := l.swap(ctx, made, old); err != nil {
			return err
		}
		l.made = l.at
	}
	return l.tidy(ctx, made, old)
}

// swap gives what is beside the place the name of what is in it.
func (l *Landing) swap(ctx context.Context, made, old string) error {
	mover, _ := store.As[store.Mover](l.base)
	if f, err := l.look(ctx, l.at); err != nil {
		return err
	} else if !f.some && f.mark == nil {
		if err := l.base.Delete(ctx, l.at+"/"); err != nil { // an empty folder
			return err
		}
		return mover.Move(ctx, made, l.at)
	}
	return foreign(zarr.Replace(ctx, l.base, l.at, func() error {
		err := mover.Exchange(ctx, made, l.at)
		if !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
		if err := mover.Move(ctx, l.at, old); err != nil {
			return err
		}
		return mover.Move(ctx, made, l.at)
	}, l.copy.Open...))
}

// tidy removes what was replaced, what the copy was made by way of, and the mark.
func (l *Landing) tidy(ctx context.Context, made, old string) error {
	for _, at := range []string{made, old} {
		if at == "" {
			continue
		}
		if f, err := l.look(ctx, at); err != nil {
			return err
		} else if f.mark == nil {
			if err := l.base.Delete(ctx, at+"/"); err != nil {
				return err
			}
		}
	}
	if l.middle != nil || l.resumed || l.already {
		if err := l.dropFolder(ctx, zarr.Between); err != nil {
			return err
		}
	}
	if err := l.base.Delete(ctx, path.Join(l.at, zarr.Unfinished)); err != nil || l.team == nil {
		return err
	}
	return l.dropFolder(ctx, zarr.Parts)
}

// recover ends an exchange that was done in two steps and stopped between them: the
// new takes the place if it is complete, else the old comes back.
func (l *Landing) recover(ctx context.Context, made, old string) error {
	if old == "" || l.base == nil {
		return nil
	}
	mover, _ := store.As[store.Mover](l.base)
	was, err := l.look(ctx, old)
	if err != nil || !was.some {
		return err
	}
	here, err := l.look(ctx, l.at)
	if err != nil || here.some || here.mark != nil {
		return err // the old is of no use any more, and is removed with the mark
	}
	if err := l.base.Delete(ctx, l.at+"/"); err != nil { // an empty folder
		return err
	}
	from := old
	if beside, err := l.look(ctx, made); err != nil {
		return err
	} else if beside.mark != nil && beside.node {
		from = made
	}
	return mover.Move(ctx, from, l.at)
}
