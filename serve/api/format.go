package api

import (
	"context"
	"strings"

	"github.com/omnizarr/zarr/convention"
)

// format names what a node is stored as: for programs, such as "zarr3", and for people,
// such as "Zarr v3". What a convention makes of it goes before.
func (s *server) format(ctx context.Context, sp *spot) (name, title string) {
	if folder, err := sp.source.Folder(ctx, sp.path); err == nil && folder {
		return "folder", "Folder"
	}
	name = sp.subject.Node.Format()
	if o := sp.subject.Object; o != nil {
		name = o.Convention().Name()
		if c, ok := o.(convention.Classed); ok {
			return name, c.Title()
		}
		return name, strings.ToUpper(name)
	}
	title = name
	if f := s.set.Formats().Find(name); f != nil {
		// Sentences call it "a TIFF file".
		title = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(f.Title, "an "), "a "), " file")
	}
	return name, title
}
