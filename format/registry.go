package format

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/store"
)

// Registry knows formats, in the order in which they are tried. It is a plain
// value that a program builds and passes on: importing a package registers
// nothing. It must not be changed while it is used.
type Registry struct{ formats []*Format }

// NewRegistry returns a registry of some formats.
func NewRegistry(formats ...*Format) *Registry {
	r := &Registry{}
	for _, f := range formats {
		r.Register(f)
	}
	return r
}

// Register adds a format behind the others; one that has the same name is
// replaced.
func (r *Registry) Register(f *Format) {
	if at := slices.IndexFunc(r.formats, func(g *Format) bool { return g.Name == f.Name }); at >= 0 {
		r.formats[at] = f
		return
	}
	r.formats = append(r.formats, f)
}

// Clone returns a copy to which more can be added.
func (r *Registry) Clone() *Registry { return &Registry{slices.Clone(r.formats)} }

// All lists the formats in order.
func (r *Registry) All() []*Format { return slices.Clone(r.formats) }

// Names lists the names of the formats in order.
func (r *Registry) Names() []string {
	out := make([]string, len(r.formats))
	for i, f := range r.formats {
		out[i] = f.Name
	}
	return out
}

// first gives the first format of which something is true, nil if there is none.
func (r *Registry) first(is func(*Format) bool) *Format {
	if at := slices.IndexFunc(r.formats, is); at >= 0 {
		return r.formats[at]
	}
	return nil
}

// Find gives the format that has a name, nil if there is none.
func (r *Registry) Find(name string) *Format {
	return r.first(func(f *Format) bool { return f.Name == name })
}

// Check says what is wrong with a name and options that a user gave, of which ""
// stands for any format.
func (r *Registry) Check(name string, opts []Option) error {
	if name != "" && r.Find(name) == nil {
		return fmt.Errorf("%w %s, only %s", ErrUnknown, name, strings.Join(r.Names(), ", "))
	}
	for _, o := range opts {
		if o == nil {
			return errors.New("option With: no option of a format")
		}
		if f := r.Find(o.Format()); f == nil || !slices.Contains(f.Options, o) {
			return fmt.Errorf("option %v: %w %s, or none with this option", o, ErrUnknown, o.Format())
		}
	}
	return nil
}

// ErrUnknown says that something is of no format that is known.
var ErrUnknown = errors.New("unknown format")

// FileNamed gives the format of files whose name ends like this, nil if none is
// known by that.
func (r *Registry) FileNamed(name string) *Format {
	return r.first(func(f *Format) bool { return f.File != nil && hasEnding(name, f.File.Endings) })
}

// FileStarting gives the format of files that begin with these bytes, nil if none
// is known by that. The error is a panic of a format.
func (r *Registry) FileStarting(head []byte) (*Format, error) {
	return r.asking(func(f *Format) bool { return f.File != nil && f.File.Starts != nil && f.File.Starts(head) })
}

// asking is first for what formats themselves say, whose panics are errors.
func (r *Registry) asking(is func(*Format) bool) (*Format, error) {
	for _, f := range r.formats {
		found := false
		if err := f.guard(func() error { found = is(f); return nil }); err != nil {
			return nil, err
		}
		if found {
			return f, nil
		}
	}
	return nil, nil
}

// folderNamed gives the format of folders whose name ends like this.
func (r *Registry) folderNamed(name string) *Format {
	return r.first(func(f *Format) bool { return f.Folder != nil && hasEnding(name, f.Folder.Endings) })
}

// Top finds the part of a path that names the hierarchy which the path leads into,
// if that is to be opened at its top; -1 if there is none. The last name counts.
func (r *Registry) Top(parts []string) int {
	for i, part := range slices.Backward(parts) {
		if f := r.folderNamed(part); f != nil {
			if f.Folder.Mixed {
				return -1
			}
			return i
		}
	}
	return -1
}

// NamedIn gives the format that the last name of a hierarchy in a URL says, nil if
// there is none.
func (r *Registry) NamedIn(url string) *Format {
	var endings []string
	for _, f := range r.formats {
		if f.Folder != nil {
			endings = append(endings, f.Folder.Endings...)
		}
	}
	end := LastEnding(url, endings...)
	return r.first(func(f *Format) bool { return f.Folder != nil && end != "" && slices.Contains(f.Folder.Endings, end) })
}

// LastEnding finds the last part of a URL that is a name with one of some endings,
// and gives the ending, "" if there is none. Behind it the name of an archive may
// end: x.n5.zip.
func LastEnding(url string, endings ...string) string {
	parts := strings.FieldsFunc(withoutQuery(url), func(c rune) bool { return c == '/' || c == '|' })
	for _, part := range slices.Backward(parts) {
		if hasEnding(part, []string{".zip"}) {
			part = part[:len(part)-len(".zip")]
		}
		for _, end := range endings {
			if hasEnding(part, []string{end}) {
				return end
			}
		}
	}
	return ""
}

// withoutQuery takes the query out of a URL, or of the first stage of a pipeline.
func withoutQuery(url string) string {
	base, stages, piped := strings.Cut(url, "|")
	if strings.Contains(base, "://") {
		base, _, _ = strings.Cut(base, "?")
	}
	if piped {
		return base + "|" + stages
	}
	return base
}

// Documents lists the names of the documents that make folders nodes.
func (r *Registry) Documents() (names []string) {
	for _, f := range r.formats {
		if f.Folder != nil {
			names = append(names, f.Folder.Documents.Nodes...)
		}
	}
	return names
}

// Open shows the nodes of a store: those of the format with a name, or of all
// formats that can be mixed if there is no such format of folders.
func (r *Registry) Open(s store.Store, name string, env Env) *translate.Store {
	s = translate.Raw(s)
	only := r.first(func(f *Format) bool { return f.Name == name && f.Folder != nil })
	var shown, hidden []translate.Form
	for _, f := range r.formats {
		if f.Folder == nil {
			continue
		}
		form := translate.Form{Documents: f.guardedNodes(s, env), Names: f.Folder.Documents}
		switch {
		case f == only, only == nil && f.Folder.Mixed:
			shown = append(shown, form)
		case only != nil && only.Folder.Mixed && f.Folder.Mixed:
			hidden = append(hidden, form)
		}
	}
	if shown == nil {
		shown = []translate.Form{translate.Plain(s, env.Metadata)}
	}
	return translate.New(s, env.Metadata, shown, hidden)
}

// Look finds the format of a folder in which there is no node of a Mixed format,
// nil if there is none. Further is to look at what lies below as well. The error is
// a panic of a format.
func (r *Registry) Look(ctx context.Context, s store.Store, path string, further bool) (*Format, error) {
	return r.asking(func(f *Format) bool {
		if f.Folder == nil {
			return false
		}
		look := f.Folder.Look
		if further {
			look = f.Folder.LookFurther
		}
		return look != nil && look(ctx, s, path)
	})
}
