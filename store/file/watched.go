package file

import (
	"context"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/omnizarr/zarr/internal/disk"
	"github.com/omnizarr/zarr/store"
)

// watched is a way into a folder that tests hear of. Nobody else has one.
type watched struct {
	backend
	disk.Watcher
	dir string
}

// watch gives the way itself where nobody watches.
func watch(b backend, dir string) backend {
	if w := disk.At(dir); w != nil {
		return &watched{b, w, store.RealPath(dir)}
	}
	return b
}

func (b *watched) path(name string) string { return filepath.Join(b.dir, filepath.FromSlash(name)) }

func (b *watched) read(name string, do func() error) error {
	return disk.Do(b, disk.Change{Op: disk.Read, Path: b.path(name)}, do)
}

func (b *watched) get(ctx context.Context, key string, r store.Range, dst []byte) (got []byte, info store.Info, err error) {
	got = dst
	err = b.read(key, func() error {
		got, info, err = b.backend.get(ctx, key, r, dst)
		return err
	})
	return got, info, err
}

func (b *watched) open(s *Store, key string) (o store.Object, err error) {
	err = b.read(key, func() error {
		o, err = b.backend.open(s, key)
		return err
	})
	return o, err
}

func (b *watched) readDir(dir string) (list []node, err error) {
	err = b.read(dir, func() error {
		list, err = b.backend.readDir(dir)
		return err
	})
	return list, err
}

func (b *watched) stat(name string) (fi fs.FileInfo, err error) {
	err = b.read(name, func() error {
		fi, err = b.backend.stat(name)
		return err
	})
	return fi, err
}

// mkdirAll makes one folder after the other, as the system does.
func (b *watched) mkdirAll(dir string) error {
	at := ""
	for name := range strings.SplitSeq(dir, "/") {
		at = within(at, name)
		if _, err := b.backend.stat(at); err == nil {
			continue
		}
		err := disk.Do(b, disk.Change{Op: disk.Make, Path: b.path(at)}, func() error { return b.backend.mkdirAll(at) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *watched) removeAll(dir string) error {
	return disk.Do(b, disk.Change{Op: disk.RemoveAll, Path: b.path(dir)}, func() error { return b.backend.removeAll(dir) })
}

func (b *watched) folder(dir string) (folder, error) {
	d, err := b.backend.folder(dir)
	if err != nil {
		return nil, err
	}
	return &watchedFolder{d, b, b.path(dir)}, nil
}

type watchedFolder struct {
	folder
	b   *watched
	dir string
}

func (d *watchedFolder) do(op disk.Op, name, to string, do func() error) error {
	c := disk.Change{Op: op, Path: filepath.Join(d.dir, name)}
	if to != "" {
		c.To = filepath.Join(d.dir, to)
	}
	return disk.Do(d.b, c, do)
}

func (d *watchedFolder) create(name string) (s sink, err error) {
	err = d.do(disk.Create, name, "", func() error {
		s, err = d.folder.create(name)
		return err
	})
	return &watchedSink{sink: s, d: d, name: name}, err
}

func (d *watchedFolder) setTime(name string, t time.Time) error {
	return d.do(disk.Read, name, "", func() error { return d.folder.setTime(name, t) })
}

func (d *watchedFolder) stat(name string) (t stat, err error) {
	err = d.do(disk.Read, name, "", func() error {
		t, err = d.folder.stat(name)
		return err
	})
	return t, err
}

func (d *watchedFolder) rename(from, to string) error {
	return d.do(disk.Rename, from, to, func() error { return d.folder.rename(from, to) })
}

func (d *watchedFolder) renameNew(from, to string) error {
	return d.do(disk.RenameNew, from, to, func() error { return d.folder.renameNew(from, to) })
}

func (d *watchedFolder) between(op disk.Op, a string, in folder, b string, do func(in folder) error) error {
	e := in.(*watchedFolder)
	c := disk.Change{Op: op, Path: filepath.Join(d.dir, a), To: filepath.Join(e.dir, b)}
	return disk.Do(d.b, c, func() error { return do(e.folder) })
}

func (d *watchedFolder) renameTo(from string, in folder, to string) error {
	return d.between(disk.Rename, from, in, to, func(in folder) error { return d.folder.renameTo(from, in, to) })
}

func (d *watchedFolder) exchange(a string, in folder, b string) error {
	return d.between(disk.Exchange, a, in, b, func(in folder) error { return d.folder.exchange(a, in, b) })
}

func (d *watchedFolder) remove(name string) error {
	return d.do(disk.Remove, name, "", func() error { return d.folder.remove(name) })
}

func (d *watchedFolder) sync() error { return d.do(disk.FlushFolder, "", "", d.folder.sync) }

func (d *watchedFolder) syncFile(name string) error {
	return d.do(disk.Flush, name, "", func() error { return d.folder.syncFile(name) })
}

type watchedSink struct {
	sink
	d    *watchedFolder
	name string
	at   int64
}

func (s *watchedSink) Write(p []byte) (n int, err error) {
	c := disk.Change{Op: disk.Write, Path: filepath.Join(s.d.dir, s.name), Data: p, Offset: s.at}
	err = disk.Do(s.d.b, c, func() error {
		n, err = s.sink.Write(p)
		return err
	})
	s.at += int64(n)
	return n, err
}

func (s *watchedSink) Sync() error { return s.d.do(disk.Flush, s.name, "", s.sink.Sync) }
