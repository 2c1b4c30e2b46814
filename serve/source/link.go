package source

import (
	"context"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/internal/words"
)

// Link is where something leads, among all that is served.
type Link struct {
	Source string `json:"source"`
	Path   string `json:"path"`          // "" if it is broken
	Row    *int   `json:"row,omitempty"` // of a table
	Text   string `json:"text"`          // for people
	Broken string `json:"broken,omitempty"`
}

// Link gives the address of what the node at a path refers to, as its convention has
// it. A target in a file that is not served is broken.
func (s *Source) Link(ctx context.Context, from string, t convention.Target) Link {
	out := Link{Source: s.name, Text: words.OneLine(t.String())}
	broken := func(why string) Link {
		out.Broken = why
		return out
	}
	p, _, err := s.find(ctx, from)
	if err != nil {
		return broken(words.OneLine(err.Error()))
	}
	at := path.Clean("/" + t.Path)
	if t.File == "" || t.File == "." {
		below, ok := under(p.top(), at)
		if !ok {
			return broken("it lies outside of what is served")
		}
		out.Path = path.Join("/", p.at, below)
		return out
	}
	place := t.File
	if !strings.Contains(place, "://") && !path.IsAbs(place) && p.subject != nil {
		if place = zarr.Place(ctx, p.subject.Node); p.file != nil {
			if o, err := p.file.At(ctx, "/"); err == nil {
				place = zarr.Place(ctx, o.Node())
			}
		}
		place = joinPlace(place, t.File)
	}
	// The source itself first: others may show the same.
	for _, other := range append([]*Source{s}, s.set.All()...) {
		home := other.home()
		if home == "" {
			continue
		}
		if below, ok := under(home, strings.TrimSuffix(place, "/")+at); ok {
			out.Source, out.Path = other.name, path.Join("/", below)
			return out
		}
	}
	return broken("the file " + t.File + " is not served")
}

// top is where the root of the place lies in its file.
func (p *place) top() string {
	if p.file != nil {
		return p.file.Path()
	}
	return "/"
}

// under gives the rest of a path behind another, if it begins with it.
func under(top, at string) (rest string, ok bool) {
	top = strings.TrimSuffix(top, "/")
	if at == top {
		return "", true
	}
	return strings.CutPrefix(at, top+"/")
}

// joinPlace is the place that a relative path names as seen from another.
func joinPlace(from, rel string) string {
	if u, err := url.Parse(from); err == nil && u.Host != "" {
		return u.JoinPath(rel).String()
	}
	return path.Join(filepath.ToSlash(from), rel)
}

// home is the place of what the source's URL names, "" if it lies nowhere that others
// can refer to.
func (s *Source) home() string {
	base, _, _ := strings.Cut(s.url, "|")
	if u, err := url.Parse(base); err == nil && len(u.Scheme) > 1 {
		if u.Scheme != "file" {
			return strings.TrimSuffix(s.shown, "/")
		}
		base = filepath.FromSlash(u.Path)
	}
	real, err := filepath.EvalSymlinks(base)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil || base == "" {
		return ""
	}
	return filepath.ToSlash(real)
}
