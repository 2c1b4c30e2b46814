package file

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/omnizarr/zarr/store"
)

var _ store.Syncer = (*Store)(nil)

// Sync flushes the files of keys, some at once, and then the folders that they are
// in, up to that of the store. A key without a file was deleted: only its folders are
// flushed.
func (s *Store) Sync(ctx context.Context, keys []string) error {
	if err := s.hold(); err != nil {
		return store.WrapError("sync", s.url, "", err)
	}
	defer s.leave()
	if err := s.flushAll(ctx, keys, s.flushFile); err != nil {
		return err
	}
	known := map[string]bool{}
	var folders []string
	for _, key := range keys {
		for dir, _ := split(key); !known[dir]; dir, _ = split(dir) {
			known[dir] = true
			folders = append(folders, dir)
		}
	}
	return s.flushAll(ctx, folders, s.flushFolder)
}

// flushAll flushes as many at once as a disk can join into one write of its log.
func (s *Store) flushAll(ctx context.Context, names []string, flush func(name string) error) error {
	var all errgroup.Group
	all.SetLimit(max(8, runtime.GOMAXPROCS(0)))
	for name := range slices.Values(names) {
		all.Go(func() error {
			err := ctx.Err()
			if err == nil {
				err = flush(name)
			}
			if errors.Is(err, fs.ErrNotExist) || notDir(err) {
				return nil
			}
			return store.WrapError("sync", s.url, name, err)
		})
	}
	return all.Wait()
}

func (s *Store) flushFile(key string) error {
	dir, name := split(key)
	d, err := s.b.folder(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.syncFile(name), d.close())
}

func (s *Store) flushFolder(dir string) error {
	d, err := s.b.folder(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.sync(), d.close())
}
