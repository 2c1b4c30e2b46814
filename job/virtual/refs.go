package virtual

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/refs"
)

// chunks yields where the stored chunks of an array lie.
func (v *virtual) chunks(ctx context.Context, a *zarr.Array) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		for c, err := range storedChunks(ctx, a) {
			if err != nil {
				yield(Chunk{}, err)
				return
			}
			out := Chunk{ChunkInfo: c, key: c.Key}
			if a.Path() != "" {
				out.key = c.Key[len(a.Path())+1:]
			}
			if keys, turned := forward(a.Metadata().Keys); turned {
				out.key = string(keys.Append(nil, c.Index))
			}
			out.URL, out.Offset, out.Length, err = store.Locate(ctx, a.Store(), c.Key)
			switch {
			case errors.Is(err, store.ErrNotExist):
				continue
			case errors.Is(err, store.ErrNoPlace):
				v.made++
				out.Reference, err = v.inline(a, c, func() ([]byte, error) { return a.RawChunk(ctx, c.Index...) })
			}
			if !yield(out, err) || err != nil {
				return
			}
		}
	}
}

// storedChunks yields the chunks that are stored, or those that may be where the
// store cannot list.
func storedChunks(ctx context.Context, a *zarr.Array) iter.Seq2[zarr.ChunkInfo, error] {
	return func(yield func(zarr.ChunkInfo, error) bool) {
		any := false
		for c, err := range a.Stored(ctx) {
			if errors.Is(err, store.ErrNoList) && !any {
				for c := range a.Grid() {
					if !yield(c, ctx.Err()) || ctx.Err() != nil {
						return
					}
				}
				return
			}
			any = true
			if !yield(c, err) {
				return
			}
		}
	}
}

// forward gives the keys that chunks have in a manifest, where those of a reversed
// view need not be read backwards.
func forward(keys grid.Keys) (to grid.Keys, turned bool) {
	if k, ok := keys.(grid.ReversedKeys); ok {
		return k.Keys, true
	}
	return keys, false
}

// inline makes a value part of a manifest.
func (v *virtual) inline(a *zarr.Array, c zarr.ChunkInfo, read func() ([]byte, error)) (refs.Reference, error) {
	data, err := read()
	if err != nil {
		return refs.Reference{}, err
	}
	if v.used += int64(len(data)); v.used > v.opts.Inline {
		return refs.Reference{}, &zarr.Error{Op: "copy", URL: a.URL(), Key: c.Key, Err: fmt.Errorf("chunks that cannot be referred to make more than %d bytes", v.opts.Inline)}
	}
	return refs.Reference{Data: data}, nil
}

// collect gives the references of an array, and tells what it has to store.
func (v *virtual) collect(ctx context.Context, path string, a *zarr.Array) ([]item, error) {
	var items []item
	v.made = 0
	before := v.used
	for c, err := range v.chunks(ctx, a) {
		if err != nil {
			return nil, err
		}
		items = append(items, item{c.key, c.Reference})
	}
	if v.made > 0 {
		v.stored("no part of a file is one", path, v.made, v.used-before)
	}
	return items, nil
}

// site is where a manifest lies.
type site struct {
	scheme, host, path string
}

// siteOf reads the URL of a folder. Local folders lie where no symbolic link
// leads any more, as readers go up from there.
func siteOf(folder string) site {
	u, err := url.Parse(folder)
	if err != nil {
		return site{}
	}
	s := site{u.Scheme, u.Host, u.Path}
	if s.scheme != "file" {
		return s
	}
	// The last folders may not be there yet.
	for up, rest := s.path, ""; up != "/" && up != "."; up, rest = path.Dir(up), path.Join(path.Base(up), rest) {
		if real, err := filepath.EvalSymlinks(filepath.FromSlash(up)); err == nil {
			s.path = path.Join(filepath.ToSlash(real), rest)
			break
		}
	}
	return s
}

// up is the folder that s lies in.
func (s site) up() site {
	s.path = path.Dir(path.Clean(s.path))
	return s
}

// String is a path or a URL.
func (s site) String() string {
	if s.scheme == "file" {
		return s.path
	}
	return (&url.URL{Scheme: s.scheme, Host: s.host, Path: s.path}).String()
}

// holds reports whether a file lies below s. What the manifest has itself does.
func (s site) holds(file string) bool {
	u, err := url.Parse(file)
	return file == "" || err == nil && u.Scheme == s.scheme && u.Host == s.host && strings.HasPrefix(path.Clean(u.Path), strings.TrimSuffix(s.path, "/")+"/")
}

// relative names a file from the manifest's folder, if both are on the same
// volume or server and have more than its root in common.
func (s site) relative(file string) string {
	u, err := url.Parse(file)
	if file == "" || err != nil || u.Scheme != s.scheme || u.Host != s.host || u.RawQuery != "" {
		return absolute(file)
	}
	from, to := strings.Split(path.Clean(s.path), "/"), strings.Split(path.Clean(u.Path), "/")
	n := 0
	for n < len(from) && n < len(to)-1 && from[n] == to[n] {
		n++
	}
	if n < 2 {
		return absolute(file)
	}
	return strings.Repeat("../", len(from)-n) + strings.Join(to[n:], "/")
}

// absolute spells the URL of a file as manifests have it: in the path of a local
// file every character stands for itself.
func absolute(file string) string {
	if u, err := url.Parse(file); err == nil && u.Scheme == "file" {
		return "file://" + u.Path
	}
	return file
}
