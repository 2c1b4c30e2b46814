package locate

import (
	"context"
	"errors"
	"net/url"
	"regexp"
	"strings"

	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/store/zip"
)

// stage is one part of a pipeline: name:path.
type stage struct{ name, path string }

var stagePattern = regexp.MustCompile(`^([a-z][a-z0-9]*):(.*)$`)

// splitPipeline takes a URL apart. A path that has "|" but does not look like
// a pipeline is a path.
func splitPipeline(rawURL string) (base string, stages []stage, err error) {
	parts := strings.Split(rawURL, "|")
	isURL := scheme.MatchString(rawURL)
	for _, p := range parts[1:] {
		m := stagePattern.FindStringSubmatch(p)
		if m == nil {
			if isURL {
				return "", nil, failed(rawURL, "%q is no stage of a pipeline such as zip:path", p)
			}
			return rawURL, nil, nil
		}
		path := m[2]
		if isURL {
			if path, err = url.PathUnescape(path); err != nil {
				return "", nil, failed(rawURL, "%q is not a URL", p)
			}
		}
		if path, err = nodePath(rawURL, path); err != nil {
			return "", nil, err
		}
		stages = append(stages, stage{m[1], path})
	}
	return parts[0], stages, nil
}

// apply takes a location further: into an archive, or to the format that says how
// to read it.
func (s stage) apply(ctx context.Context, l Location, rawURL string, formats *format.Registry) (Location, error) {
	fail := func(why string) (Location, error) {
		return Location{}, failed(rawURL, "stage %s: %s", s.name, why)
	}
	if l.Format != "" {
		return fail("nothing can follow " + l.Format)
	}
	if formats.Find(s.name) != nil {
		l.Format = s.name
		if l.File {
			l.Inner = join(l.Inner, s.path)
		} else {
			l.Path = join(l.Path, s.path)
		}
		return l, nil
	}
	if _, ok := l.Store.(*zip.Store); ok && l.Path == "" {
		l.Path = s.path
		return l, nil // the archive was known by its name
	}
	if l.Path == "" || l.Inner != "" {
		return fail("no file to look into")
	}
	z, err := openArchive(ctx, l.Store, l.Path, s.path)
	if err != nil {
		return Location{}, err
	}
	z.closer = closers{z, l}
	return z, nil
}

// closers is a location inside another one.
type closers struct{ inner, outer Location }

func (c closers) Close() error { return errors.Join(c.inner.Close(), c.outer.Close()) }

func (c closers) Discard() error { return errors.Join(c.inner.Discard(), c.outer.Discard()) }

func (c closers) Leave() error { return errors.Join(c.inner.Leave(), c.outer.Leave()) }

func join(path, more string) string {
	if path == "" || more == "" {
		return path + more
	}
	return path + "/" + more
}
