package describe

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/internal/words"
)

// link is a link as others see it.
type link struct{ *hdmf.Link }

// String names what it leads to.
func (l link) String() string { return l.Reference.String() }

// Target finds it.
func (l link) Target(ctx context.Context) (convention.Target, error) {
	o, err := l.Link.Target(ctx)
	if err != nil {
		return convention.Target{File: l.Source, Path: l.Path}, errors.New(why(err))
	}
	return convention.Target{File: place(ctx, l.Group().File(), o.File()), Path: o.Path(), Kind: kindOf(o)}, nil
}

// kindOf is what neutral documents call an object.
func kindOf(o hdmf.Object) string {
	if _, ok := o.(*hdmf.Dataset); ok {
		return "dataset"
	}
	return "group"
}

// neutralReference gives the object that a reference in a file means, or why there
// is none.
func neutralReference(ctx context.Context, holder *hdmf.File, r hdmf.Reference) json.RawMessage {
	o, err := holder.Resolve(ctx, r)
	if err != nil {
		return dangling(err)
	}
	raw, err := strictjson.Marshal(map[string]convention.Target{"$ref": {File: place(ctx, holder, o.File()), Path: o.Path(), Region: region(r)}}, false)
	if err != nil {
		return dangling(err)
	}
	return raw
}

// dangling stands for a reference that leads nowhere.
func dangling(err error) json.RawMessage {
	return append(strictjson.AppendString([]byte(`{"$dangling":`), why(err)), '}')
}

// region is that of a reference, nil if it has none.
func region(r hdmf.Reference) convention.Region {
	if r.Region == nil {
		return nil
	}
	return r.Region
}

// mostKnown bounds what is kept of references that were followed.
const mostKnown = 1 << 14

// References yields the links and references of the object and of all below it,
// followed.
func (o *Object) References(ctx context.Context) iter.Seq2[convention.Reference, error] {
	type target struct {
		file         *hdmf.File
		source, path string
	}
	return func(yield func(convention.Reference, error) bool) {
		known := map[target]error{} // whole objects that were looked up before
		for m, err := range hdmf.References(ctx, o.object, false) {
			if err != nil {
				if !yield(convention.Reference{}, err) {
					return
				}
				continue
			}
			r := convention.Reference{
				Path: m.Path(), Kind: m.Kind(), Attribute: m.Attribute, Inside: m.Inside, Index: slices.Clone(m.Index), Field: m.Field,
				Source: m.To.Source, Target: m.To.Path, Region: region(m.To),
			}
			at := target{m.Holder.File(), m.To.Source, m.To.Path}
			lost, had := known[at]
			switch {
			case m.Err != nil:
				r.Reason = words.OneLine(m.Err.Error())
			case !had || m.Region:
				if _, lost = m.Target(ctx); !m.Region {
					if len(known) >= mostKnown {
						clear(known)
					}
					known[at] = lost
				}
			}
			if r.Resolved = m.Err == nil && lost == nil; m.Err == nil && lost != nil {
				r.Reason = why(lost)
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// why tells in a line why a link or reference leads nowhere.
func why(err error) string {
	var known *zarr.Error
	if errors.As(err, &known) && (known.Op == "link" || known.Op == "resolve") {
		err = known.Err
	}
	text := words.OneLine(err.Error())
	switch {
	case errors.Is(err, hdmf.ErrLinks):
		return hdmf.ErrLinks.Error()
	case errors.Is(err, zarr.ErrNoNode) && !strings.HasPrefix(text, "source "):
		return "there is no such object"
	}
	return text
}

// place names a file as seen from another: "." for itself, a relative path beside
// it, a path or URL elsewhere.
func place(ctx context.Context, from, to *hdmf.File) string {
	if from == to {
		return "."
	}
	was, is := zarr.Place(ctx, from.Zarr()), zarr.Place(ctx, to.Zarr())
	host, below, web := cutHost(is)
	if fromHost, fromBelow, _ := cutHost(was); host == fromHost && was != "" {
		if rel, err := filepath.Rel(filepath.FromSlash(fromBelow), filepath.FromSlash(below)); err == nil {
			return filepath.ToSlash(rel)
		}
	}
	if web {
		return is
	}
	return filepath.ToSlash(is)
}

// cutHost splits a place into its scheme and host, and the path there.
func cutHost(place string) (host, below string, web bool) {
	scheme := strings.Index(place, "://")
	if scheme < 0 {
		return "", place, false
	}
	cut := strings.IndexByte(place[scheme+3:], '/')
	if cut < 0 {
		return place, "/", true
	}
	return place[:scheme+3+cut], place[scheme+3+cut:], true
}
