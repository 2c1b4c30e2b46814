package hdmf

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// SchemaPath is where the file says that its cached schemas are, such as
// "/specifications"; "" if it does not say.
func (f *File) SchemaPath() string {
	raw := f.attrs().Raw(schemaLocation)
	at := text(raw)
	if r, ok, err := attributeReference(raw); ok && err == nil {
		at = r.Path
	}
	if at == "" {
		return ""
	}
	return path.Clean("/" + at)
}

// SchemaText is the text of one source of a namespace, as it is cached.
type SchemaText struct {
	Namespace, Version, Source string
	Text                       string
	Err                        error // why it cannot be read
}

// SchemaTexts reads the cached schemas: of every namespace, version and source. A
// file without any has none.
func (f *File) SchemaTexts(ctx context.Context) ([]SchemaText, error) {
	at := f.SchemaPath()
	if at == "" {
		return nil, nil
	}
	n, err := f.openSchemas(ctx, at)
	if err != nil {
		return nil, fmt.Errorf("cached schemas: %w", err)
	}
	g, ok := n.(*zarr.Group)
	if !ok {
		return nil, fmt.Errorf("cached schemas: %s is a dataset", at)
	}
	var out []SchemaText
	for n, err := range g.Walk(ctx) {
		if err != nil {
			return out, fmt.Errorf("cached schemas: %w", err)
		}
		a, ok := n.(*zarr.Array)
		if !ok {
			continue
		}
		version := path.Dir("/" + f.below(a))
		name := path.Dir(version)
		if path.Dir(name) != at {
			continue
		}
		t := SchemaText{Namespace: path.Base(name), Version: path.Base(version), Source: path.Base(a.Path())}
		t.Text, t.Err = f.schemaText(ctx, a)
		out = append(out, t)
	}
	return out, nil
}

// maxText is how long the chunk of a text may be: four times what the catalog takes,
// as JSON in JSON grows.
const maxText = 64 << 20

// openSchemas opens what holds the texts, anew, so that a small chunk cannot become
// a large one.
func (f *File) openSchemas(ctx context.Context, at string) (zarr.Node, error) {
	opts := append(slices.Clone(f.opts), zarr.MaxChunk(maxText))
	n, err := zarr.OpenStore(ctx, f.root.Store(), f.root.Path(), opts...)
	if err != nil {
		return nil, err
	}
	if root, ok := n.(*zarr.Group); ok {
		n, err = root.Open(ctx, at[1:])
	}
	if errors.Is(err, zarr.ErrNoNode) {
		// Some writers leave them out of consolidated metadata.
		n, err = zarr.OpenStore(ctx, f.root.Store(), path.Join(f.root.Path(), at[1:]), append(opts, zarr.BypassConsolidated())...)
	}
	return n, err
}

func (f *File) schemaText(ctx context.Context, a *zarr.Array) (string, error) {
	v, err := f.object(a).(*Dataset).Single(ctx)
	if err != nil {
		return "", err
	}
	if v.Blob(0) == nil {
		return "", &zarr.Error{Op: "read", URL: a.URL(), Err: strictjson.Errorf("", "is no single text")}
	}
	return v.Text(0), nil
}
