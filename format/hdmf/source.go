package hdmf

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/store"
)

// Source gives the file that the source of a reference which this file holds means,
// the file itself for ".".
func (f *File) Source(ctx context.Context, name string) (*File, error) {
	other, err := f.source(ctx, name)
	return other, f.failed("open", "/", err)
}

// slashed is a source with the slashes that it has everywhere but in files which were
// written on Windows. Nothing ever sees the others, which lead up there.
func slashed(source string) string {
	if strings.Contains(source, "://") {
		return source
	}
	return strings.ReplaceAll(source, `\`, "/")
}

// maxSources bounds the other files that one refers to.
const maxSources = 4096

// source gives the file that the source of a link or reference means. It is
// looked up once, for all who ask; if the one who does is called off, by the next.
func (f *File) source(ctx context.Context, name string) (*File, error) {
	if name = slashed(name); name == "." || name == "" {
		return f, nil
	}
	for {
		f.mu.Lock()
		s := f.sources[name]
		if s == nil && len(f.sources) >= maxSources {
			f.mu.Unlock()
			return nil, fmt.Errorf("source %q: more than %d other files", name, maxSources)
		}
		if s == nil {
			s = &source{done: make(chan struct{})}
			f.sources[name] = s
			f.mu.Unlock()
			f.look(ctx, name, s)
			return s.file, s.err
		}
		f.mu.Unlock()
		select {
		case <-s.done:
		case <-ctx.Done():
			return nil, fmt.Errorf("source %q: %w", name, context.Cause(ctx))
		}
		if !s.gaveUp {
			return s.file, s.err
		}
	}
}

// look finds what a source means, and lets those know who wait for it.
func (f *File) look(ctx context.Context, name string, s *source) {
	defer close(s.done)
	s.file, s.err = f.open(ctx, name)
	if s.err != nil && ctx.Err() != nil {
		s.gaveUp = true
		f.mu.Lock()
		delete(f.sources, name)
		f.mu.Unlock()
	}
}

// open tries a source against the file itself, as the text has it, and against the
// folder around it, as older writers have it.
func (f *File) open(ctx context.Context, name string) (*File, error) {
	var first error
	for _, ref := range []string{name, path.Join("..", name)} {
		if ref != name && (strings.Contains(name, "://") || path.IsAbs(name)) {
			continue
		}
		other, err := f.openAt(ctx, ref)
		if err == nil {
			return other, nil
		}
		if first == nil || errors.Is(first, store.ErrNotExist) && !errors.Is(err, store.ErrNotExist) && !errors.Is(err, zarr.ErrNotAllowed) {
			first = err
		}
	}
	if own := path.Base(strings.TrimSuffix(f.URL(), "/")); path.Clean(name) == own {
		return f, nil // older writers name the file itself, and it may lie where it has no folder
	}
	return nil, fmt.Errorf("source %q: %w", name, first)
}

// openAt opens a file by a reference relative to the root of this one.
func (f *File) openAt(ctx context.Context, ref string) (*File, error) {
	all := f
	for all.outer != nil {
		all = all.outer
	}
	if f.root.Path() != "" && !strings.Contains(ref, "://") && !path.IsAbs(ref) {
		ref = path.Join(f.root.Path(), ref)
	}
	n, place, err := zarr.OpenReferred(ctx, f.root, ref, f.opts...)
	all.mu.Lock()
	defer all.mu.Unlock()
	if known := all.files[place]; known != nil && place != "" {
		if err == nil {
			n.Close()
		}
		return known, nil
	}
	if known, ok := errors.AsType[*zarr.Error](err); ok {
		return nil, known.Err // the caller names the source
	}
	if err != nil {
		return nil, err
	}
	g, ok := n.(*zarr.Group)
	if !ok {
		n.Close()
		return nil, errors.New("is an array, not a file")
	}
	other := &File{root: g, opts: f.opts, place: place, outer: all, sources: map[string]*source{}}
	all.files[place] = other
	return other, nil
}
