package file

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/omnizarr/zarr/store"
)

// linked is a way into a folder whose symbolic links may lead to other folders that
// were named, for those who read. What is written stays inside: its links do not count
// there.
type linked struct {
	backend
	dir     string   // of the store, without links
	allowed []string // folders, without links
	enter   func(dir string) (backend, error)

	mu   sync.Mutex
	into map[string]backend // of allowed, as they are needed
}

func newLinked(inside backend, dir string, allow []string, enter func(string) (backend, error)) *linked {
	l := &linked{backend: inside, dir: dir, enter: enter, into: map[string]backend{}}
	for _, a := range allow {
		if abs, err := filepath.Abs(a); err == nil {
			l.allowed = append(l.allowed, store.RealPath(abs))
		}
	}
	return l
}

// follow finds what a name leads to outside of the folder, if that is allowed.
func (l *linked) follow(name string) (backend, string, bool) {
	real, err := filepath.EvalSymlinks(filepath.Join(l.dir, filepath.FromSlash(name)))
	if err != nil {
		return nil, "", false
	}
	for _, root := range l.allowed {
		rest, ok := strings.CutPrefix(real, strings.TrimSuffix(root, string(filepath.Separator)))
		if !ok || rest != "" && rest[0] != filepath.Separator {
			continue
		}
		b, err := l.at(root)
		if err != nil {
			return nil, "", false
		}
		// Whatever the links become meanwhile, this does not lead out of root.
		return b, filepath.ToSlash(strings.TrimPrefix(rest, string(filepath.Separator))), true
	}
	return nil, "", false
}

func (l *linked) at(root string) (backend, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b := l.into[root]; b != nil {
		return b, nil
	}
	b, err := l.enter(root)
	if err == nil {
		l.into[root] = b
	}
	return b, err
}

// out reports whether an error may be that of a link that leads out.
func out(err error) bool { return err != nil && !errors.Is(err, fs.ErrNotExist) }

func (l *linked) get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	got, info, err := l.backend.get(ctx, key, r, dst)
	if out(err) {
		if b, name, ok := l.follow(key); ok {
			return b.get(ctx, name, r, dst)
		}
	}
	return got, info, err
}

func (l *linked) open(s *Store, key string) (store.Object, error) {
	o, err := l.backend.open(s, key)
	if out(err) {
		if b, name, ok := l.follow(key); ok {
			return b.open(s, name)
		}
	}
	return o, err
}

func (l *linked) stat(name string) (fs.FileInfo, error) {
	fi, err := l.backend.stat(name)
	if out(err) {
		if b, name, ok := l.follow(name); ok {
			return b.stat(orDot(name))
		}
	}
	return fi, err
}

func (l *linked) readDir(dir string) ([]node, error) {
	nodes, err := l.backend.readDir(dir)
	if out(err) {
		if b, name, ok := l.follow(dir); ok {
			return b.readDir(name)
		}
	}
	return nodes, err
}

func (l *linked) measure(dir string, files []node) error {
	err := l.backend.measure(dir, files)
	if out(err) {
		if b, name, ok := l.follow(dir); ok {
			return b.measure(name, files)
		}
	}
	return err
}

func (l *linked) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.backend.close()
	for _, b := range l.into {
		err = errors.Join(err, b.close())
	}
	return err
}

// enterFolder is the way into a folder.
func enterFolder(dir string, portable bool) (backend, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	if portable {
		return rootBackend{root}, nil
	}
	b, err := newBackend(root, dir)
	if err != nil {
		root.Close()
	}
	return b, err
}
