package levels

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/pyramid"
	"github.com/omnizarr/zarr/raster"
	"github.com/omnizarr/zarr/store"
)

// document is the name of a node's.
const document = "zarr.json"

// madeStore is the store of an image: a group of its levels, of which those that are
// stored are passed through. What else lies in the group of an image stays there.
type madeStore struct {
	img  *Image
	made map[string]*made // by the name of the level

	mu   sync.Mutex
	text []byte // the document of the group, once somebody has asked for it
}

func newStore(img *Image) *madeStore { return &madeStore{img: img, made: map[string]*made{}} }

// root is the document of the group.
func (s *madeStore) root(ctx context.Context) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.text != nil {
		return s.text, nil
	}
	text, err := s.img.document(ctx)
	if err == nil {
		s.text = text
	}
	return text, err
}

// Store shows the image with all levels as a hierarchy that takes no values: a group with
// the metadata of OME-NGFF, and its levels. It is an error where OME-NGFF has no words for
// such an image.
func (img *Image) Store(ctx context.Context) (store.Store, error) {
	_, err := img.store.root(ctx)
	return img.store, err
}

// Group is the group that Store shows.
func (img *Image) Group(ctx context.Context) (*zarr.Group, error) {
	s, err := img.Store(ctx)
	if err != nil {
		return nil, err
	}
	n, err := zarr.OpenStore(ctx, s, "", zarr.BypassConsolidated())
	if err != nil {
		return nil, err
	}
	return n.(*zarr.Group), nil
}

// document is that of the group. Channels are told as viewers want them: with labels,
// colours, and windows that show something.
func (img *Image) document(ctx context.Context) ([]byte, error) {
	attrs, m := &meta.Attributes{}, &ngff.Metadata{}
	g, isGroup := img.Node.(*zarr.Group)
	if isGroup {
		attrs = g.Attributes()
		if said, err := ngff.Read(attrs); err == nil {
			m = said
		}
	}
	m.Version = ngff.Version
	if len(m.Images) == 0 {
		image := ngff.Multiscales{Name: path.Base(img.Node.URL()), Levels: []ngff.Level{{Path: img.nameOf(0)}}}
		for i, a := range img.Axes {
			axis := ngff.Axis{Name: a.Name, Type: a.Type, Unit: a.Unit}
			if axis.Name == "" {
				axis.Name = fmt.Sprint("dim_", i)
			}
			if i == img.Y || i == img.X {
				axis.Type = "space"
			}
			image.Axes = append(image.Axes, axis)
			scale := a.Scale
			if scale == 0 {
				scale = 1
			}
			image.Levels[0].Scale = append(image.Levels[0].Scale, scale)
			image.Levels[0].Translation = append(image.Levels[0].Translation, a.Offset)
		}
		m.Images = []ngff.Multiscales{image}
	}
	if m.OMERO == nil {
		m.OMERO = &ngff.OMERO{}
	}
	if !img.Labels {
		var err error
		if m.OMERO.Channels, err = img.windows(ctx); err != nil {
			return nil, err
		}
	}
	image := &m.Images[0]
	image.Axes = slices.Clone(image.Axes)
	if c := img.Channel; c >= 0 && image.Axes[c].Name == "s" { // viewers look for c
		image.Axes[c].Name = "c"
	}
	image.Levels = slices.DeleteFunc(slices.Clone(image.Levels), func(l ngff.Level) bool {
		return !slices.ContainsFunc(img.Levels, func(have raster.Level) bool { return have.Name == l.Path || have.Name == "" })
	})
	for _, l := range img.Levels[img.Stored:] {
		image.Levels = append(image.Levels, pyramid.Below(image.Levels[len(image.Levels)-1], l.Name, img.store.made[l.Name].factors, img.how))
	}
	if err := m.Write(attrs); err != nil {
		return nil, &zarr.Error{Op: "show the levels of", URL: img.Node.URL(), Err: noWords{err}}
	}
	return (&meta.Group{Attributes: attrs}).Marshal()
}

// noWords is the error of an image that OME-NGFF cannot describe.
type noWords struct{ error }

func (e noWords) Error() string { return "OME-NGFF has no words for its axes: " + e.error.Error() }

// Is says that it is not supported.
func (e noWords) Is(target error) bool { return target == errors.ErrUnsupported }

// nameOf is the name of a level in the store.
func (img *Image) nameOf(k int) string {
	if name := img.Levels[k].Name; name != "" {
		return name
	}
	return fmt.Sprint(k)
}

// find says which level a key belongs to, one that is made or one that is stored, and the
// rest of the key.
func (s *madeStore) find(key string) (m *made, stored *zarr.Array, rest string) {
	first, rest, _ := strings.Cut(key, "/")
	if m, ok := s.made[first]; ok {
		return m, nil, rest
	}
	for k := range s.img.Stored {
		if rest, ok := strings.CutPrefix(key, s.img.nameOf(k)+"/"); ok {
			return nil, s.img.Levels[k].Array, rest
		}
	}
	return nil, nil, key
}

// Get gives documents, and chunks of levels that are made or stored.
func (s *madeStore) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	fail := func(err error) ([]byte, store.Info, error) {
		return dst, store.Info{Size: -1}, store.WrapError("get", s.URL(), key, err)
	}
	give := func(value []byte) ([]byte, store.Info, error) {
		out, err := r.Append(dst, value)
		if err != nil {
			return fail(err)
		}
		return out, s.info(int64(len(value)), key, ""), nil
	}
	m, stored, rest := s.find(key)
	switch {
	case key == document:
		value, err := s.root(ctx)
		if err != nil {
			return fail(err)
		}
		return give(value)
	case m == nil && (stored == nil || rest != document):
		from, inner, ok := s.inner(stored, rest)
		if !ok {
			return fail(store.ErrNotExist)
		}
		return from.Get(ctx, inner, r, dst)
	case stored != nil:
		doc := stored.Metadata().Clone()
		doc.Transformers = nil // the store of the array has undone them
		value, err := doc.Marshal()
		if err != nil {
			return fail(err)
		}
		return give(value)
	}
	if rest == document {
		return give(m.document)
	}
	o, err := s.Open(ctx, key)
	if err != nil {
		return dst, store.Info{Size: -1}, err
	}
	defer o.Close()
	return o.Get(ctx, r, dst)
}

func (s *madeStore) info(size int64, key, tags string) store.Info {
	return store.Info{Size: size, ETag: fmt.Sprintf("%s/%s/%d/%s", s.img.key, key, size, tags)}
}

// inner is where a key lies that is passed through: in a level, or in the group.
func (s *madeStore) inner(level *zarr.Array, rest string) (from store.Reader, inner string, ok bool) {
	n := s.img.Node
	if level != nil {
		n = level
	} else if _, isArray := n.(*zarr.Array); isArray {
		return nil, "", false
	}
	return n.Store(), strings.TrimPrefix(n.Path()+"/"+rest, "/"), true
}

// Open holds what is passed through open.
func (s *madeStore) Open(ctx context.Context, key string) (store.Object, error) {
	if m, stored, rest := s.find(key); m == nil && key != document && (stored == nil || rest != document) {
		if from, inner, ok := s.inner(stored, rest); ok {
			return store.Open(ctx, from, inner)
		}
	}
	if m, _, rest := s.find(key); m != nil && rest != document {
		index, ok := m.chunkAt(rest)
		if !ok {
			return nil, store.WrapError("open", s.URL(), key, store.ErrNotExist)
		}
		tags, err := m.tags(ctx, index)
		if err != nil {
			return nil, store.WrapError("open", s.URL(), key, err)
		}
		return &madeObject{m: m, key: key, index: index, tags: tags}, nil
	}
	return object{s, key}, nil
}

// object is a value that is looked for when it is asked for.
type object struct {
	s   *madeStore
	key string
}

func (o object) Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	return o.s.Get(ctx, o.key, r, dst)
}

func (o object) Close() error { return nil }

// madeObject is a chunk that is made, held: all its ranges are of the chunks that were there
// when it was opened.
type madeObject struct {
	m     *made
	key   string
	index []int
	tags  string

	mu    sync.Mutex
	value []byte
}

func (o *madeObject) Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	s := o.m.img.store
	info := s.info(o.m.chunkSize(), o.key, o.tags)
	if n, ok := r.IsSuffix(); ok && n == 0 { // how large it is need not be made
		return dst, info, nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	var err error
	if o.value == nil {
		o.value, err = o.m.chunk(ctx, o.index, o.tags)
	}
	if err == nil {
		dst, err = r.Append(dst, o.value)
	}
	return dst, info, store.WrapError("get", s.URL(), o.key, err)
}

// Tag tells which chunks it is made of.
func (o *madeObject) Tag() string { return o.tags }

// Near says whether that is known.
func (o *madeObject) Near() bool { return o.tags != "" }

func (o *madeObject) Close() error { return nil }

// List lists the levels and what else lies in the group. Chunks are not listed, since
// there may be no end of them.
func (s *madeStore) List(ctx context.Context, prefix, delimiter string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		if prefix != "" || delimiter != "/" {
			yield(store.Entry{}, store.WrapError("list", s.URL(), prefix, store.ErrNoList))
			return
		}
		found := map[string]store.Entry{document: {Key: document, Size: -1}}
		for k := range s.img.Levels {
			first, _, _ := strings.Cut(s.img.nameOf(k), "/")
			found[first+"/"] = store.Entry{Key: first + "/", Size: -1, IsPrefix: true}
		}
		if g, ok := s.img.Node.(*zarr.Group); ok {
			below := g.Path()
			if below != "" {
				below += "/"
			}
			for e, err := range g.Store().List(ctx, below, delimiter) {
				if err != nil {
					yield(store.Entry{}, err)
					return
				}
				if e.Key = strings.TrimPrefix(e.Key, below); e.IsPrefix {
					found[e.Key] = e
				}
			}
		}
		for _, key := range slices.Sorted(maps.Keys(found)) {
			if !yield(found[key], nil) {
				return
			}
		}
	}
}

// URL names the image.
func (s *madeStore) URL() string { return s.img.Node.URL() }

// Put takes nothing.
func (s *madeStore) Put(_ context.Context, key string, _ []byte, _ store.PutOptions) (store.Info, error) {
	return store.Info{}, store.WrapError("put", s.URL(), key, store.ErrReadOnly)
}

// Delete removes nothing.
func (s *madeStore) Delete(_ context.Context, key string) error {
	return store.WrapError("delete", s.URL(), key, store.ErrReadOnly)
}
