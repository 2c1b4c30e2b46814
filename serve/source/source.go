package source

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
)

// Source is something that is served. Its methods may be called by several goroutines.
//
// What they give is good until the context ends that they were asked with, and is not
// closed by who asked: files that change are opened anew, and who asks next gets those.
type Source struct {
	set   *Set
	name  string
	url   string // as it was given, "" for a node that was
	shown string
	given zarr.Node

	mu      sync.Mutex
	closed  bool
	places  map[string]*place // that are open or being opened, by path without "/" in front
	retired []*place          // that changed or were too many, and are in use
	used    int64             // counts uses

	bareLock sync.Mutex
	bare     store.Store // the files, where nothing else can be opened
	bareAt   locate.Location
}

// Name is what addresses call the source.
func (s *Source) Name() string { return s.name }

// URL is where it lies, without credentials.
func (s *Source) URL() string { return s.shown }

// maxDepth is how many names a path may have.
const maxDepth = 128

// CheckPath gives a path of a node without slashes at its ends, "" for the root; the
// error is zarr.ErrPath.
func CheckPath(at string) (string, error) {
	at = strings.Trim(at, "/")
	if at == "" {
		return "", nil
	}
	if err := store.CheckKey(at); err != nil {
		return "", fmt.Errorf("path %q: %w", at, zarr.ErrPath)
	}
	if strings.Count(at, "/") >= maxDepth {
		return "", fmt.Errorf("path of more than %d names: %w", maxDepth, zarr.ErrPath)
	}
	return at, nil
}

// Node opens the node at a path, with links of its convention resolved.
func (s *Source) Node(ctx context.Context, at string) (zarr.Node, error) {
	p, inner, err := s.find(ctx, at)
	if err != nil {
		return nil, err
	}
	n, err := p.node(ctx, inner)
	if err != nil {
		return nil, s.failed(at, err)
	}
	return n, nil
}

// Subject opens the node at a path with what it is in the file of a convention that it
// lies in. Its node is the one that the convention has: that of Node may be another, in
// which references are paths. The caller does not close it.
func (s *Source) Subject(ctx context.Context, at string) (*convention.Subject, error) {
	p, inner, err := s.find(ctx, at)
	if err != nil {
		return nil, err
	}
	subject, err := p.subjectAt(ctx, inner)
	return subject, s.failed(at, err)
}

// Parts is where a node lies: the path of the hierarchy that holds it, and its own in
// the file of a convention, if it is in one, from "/" on.
type Parts struct {
	Hierarchy string // from "/" on
	File      string // "" outside of conventions
	// Root is where the hierarchy begins in the file, from "/" on.
	Root string
}

// Parts tells where a node lies, which need not be there.
func (s *Source) Parts(ctx context.Context, at string) (Parts, error) {
	p, inner, err := s.find(ctx, at)
	if err != nil {
		return Parts{}, err
	}
	out := Parts{Hierarchy: "/" + p.at}
	if p.file != nil {
		out.Root = p.file.Path()
		out.File = path.Join(out.Root, inner)
	}
	return out, nil
}

// Folder reports whether a path leads to a folder of stores: a group that only the source
// has, which opens each of them when it is asked for.
func (s *Source) Folder(ctx context.Context, at string) (bool, error) {
	p, _, err := s.find(ctx, at)
	return err == nil && p.folder != nil, err
}

// failed makes an error that names the source's own path, where the engine has none.
func (s *Source) failed(at string, err error) error {
	var known *zarr.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return &zarr.Error{Op: "open", URL: store.JoinURL(s.shown, strings.Trim(at, "/")), Err: err}
}

// find gives the place that a path leads into, and the rest of the path there.
func (s *Source) find(ctx context.Context, at string) (p *place, inner string, err error) {
	at, err = CheckPath(at)
	if err != nil {
		return nil, "", s.failed("", err)
	}
	rest, above := at, (*place)(nil)
	for here := ""; ; {
		p, err := s.place(ctx, here, above)
		if err != nil {
			return nil, "", s.failed(here, err)
		}
		if rest == "" || p.folder == nil {
			return p, rest, nil
		}
		name, next, _ := strings.Cut(rest, "/")
		here, rest, above = path.Join(here, name), next, p
	}
}

// mostPlaces is how many hierarchies of a folder stay open.
const mostPlaces = 128

// place opens the hierarchy or folder at a path below a folder, nil for the source
// itself, and holds it until the context ends.
func (s *Source) place(ctx context.Context, at string, above *place) (*place, error) {
	for {
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			return nil, errors.New("the server is being closed")
		}
		p := s.places[at]
		if p == nil {
			p = newPlace(s, at)
			s.places[at] = p
		}
		s.used++
		p.last = s.used
		p.users++
		s.mu.Unlock()
		var err error
		if !p.settled() {
			err = p.open(ctx, above)
		}
		if err == nil && !p.changed(ctx) {
			hold(ctx, p)
			return p, nil
		}
		s.retire(p)
		s.release(p)
		if err != nil {
			return nil, err
		}
	}
}

// release says that a use of a place has ended.
func (s *Source) release(p *place) {
	s.mu.Lock()
	p.users--
	full := len(s.retired) > 0 || len(s.places) > mostPlaces
	s.mu.Unlock()
	if full {
		s.sweep()
	}
}

// retire forgets a place, which is closed when nobody uses it any more.
func (s *Source) retire(p *place) {
	s.mu.Lock()
	if s.places[p.at] == p {
		delete(s.places, p.at)
		s.retired = append(s.retired, p)
	}
	s.mu.Unlock()
	s.sweep()
}

// sweep closes what is not used any more.
func (s *Source) sweep() {
	s.mu.Lock()
	for len(s.places) > mostPlaces {
		var oldest *place
		for at, p := range s.places {
			if at != "" && p.users == 0 && (oldest == nil || p.last < oldest.last) {
				oldest = p
			}
		}
		if oldest == nil {
			break
		}
		delete(s.places, oldest.at)
		s.retired = append(s.retired, oldest)
	}
	var idle []*place
	kept := s.retired[:0]
	for _, p := range s.retired {
		if p.users == 0 {
			idle = append(idle, p)
		} else {
			kept = append(kept, p)
		}
	}
	clear(s.retired[len(kept):])
	s.retired = kept
	s.mu.Unlock()
	for _, p := range idle {
		p.close()
	}
}

func (s *Source) close() error {
	s.mu.Lock()
	s.closed = true
	all := s.retired
	for _, p := range s.places {
		all = append(all, p)
	}
	s.places, s.retired = nil, nil
	s.mu.Unlock()
	var errs []error
	s.bareLock.Lock()
	defer s.bareLock.Unlock()
	if s.bare != nil {
		errs = append(errs, s.bareAt.Close())
	}
	for _, p := range all {
		errs = append(errs, p.close())
	}
	return errors.Join(errs...)
}
