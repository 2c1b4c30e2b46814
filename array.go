package zarr

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/bigmem"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// Array is a chunked array. Its methods may be called by several goroutines.
type Array struct {
	node
	now atomic.Pointer[state]
	// found is the identity of the array's folder with "/", once somebody asks for it: to
	// find it takes longer than to open the array. Use place.
	found  string
	placed sync.Once
	seen   atomic.Uint64 // of resizes, when the document was last looked at
	when   atomic.Int64  // that was, in nanoseconds; 0 if it may be old
}

// identity names a chunk by its key for locks and caches: it is the same for all
// who have the array open, by whichever link.
func (a *Array) identity(key string) string {
	if a.path != "" {
		key = key[len(a.path)+1:]
	}
	return a.place() + key
}

// place is the identity of the array's folder with "/".
func (a *Array) place() string {
	a.placed.Do(func() { a.found = placeOf(a.store, a.path) })
	return a.found
}

// placeOf is the identity of a node's folder with "/".
func placeOf(s store.Reader, path string) string {
	return strings.TrimSuffix(store.Identity(s, path), "/") + "/"
}

func (n *node) array(s *state) *Array {
	a := &Array{node: *n}
	caches.add(a.cache)
	a.now.Store(s)
	return a
}

// state is an array's metadata and what follows from it. It is replaced, never
// changed.
type state struct {
	meta    *meta.Array
	spec    codec.Spec // Shape is left to bound
	chain   *codec.Chain
	noCodec error        // why there is no chain, if a codec is unknown
	uniform *codec.Bound // for grids whose chunks are all alike
	bounds  sync.Map     // shape as text -> *codec.Bound, for the others
	kept    atomic.Int64 // entries of bounds
	limits  *codec.Limits
	// fingerprint stands for all that the elements of a chunk depend on besides its
	// bytes.
	fingerprint func() string
}

func newState(ctx context.Context, e *engine, m *meta.Array) (*state, error) {
	if len(m.Shape) > nd.MaxRank {
		return nil, fmt.Errorf("array has %d dimensions, at most %d are supported", len(m.Shape), nd.MaxRank)
	}
	s := &state{meta: m, limits: e.limits, fingerprint: sync.OnceValue(func() string { return fingerprintOf(m) })}
	if m.NoFill {
		keep := *e.limits
		keep.KeepEmpty = true
		s.limits = &keep
	}
	heap := &nd.Heap{}
	fill, err := m.DataType.ParseFill(m.FillValue, heap)
	if err != nil {
		return nil, fmt.Errorf("fill_value: %w", err)
	}
	s.spec = codec.Spec{Type: m.DataType, Fill: fill, Heap: heap}
	entries := make([]codec.Entry, len(m.Codecs))
	for i, c := range m.Codecs {
		entries[i] = entryOf(c)
	}
	s.chain, err = e.codecs.Until(ctx).Chain(entries)
	if errors.Is(err, codec.ErrUnknown) {
		s.noCodec = err
		return s, nil
	}
	if err != nil {
		return nil, fmt.Errorf("codecs: %w", err)
	}
	if shape := m.Grid.Uniform(); shape != nil {
		if s.uniform, err = s.bind(shape); err != nil {
			return nil, err
		}
	} else if len(m.Shape) > 0 && !slices.Contains(m.Grid.Count(), 0) {
		// A first chunk shows whether the codecs fit.
		first := make([]int, len(m.Shape))
		for i := range first {
			_, first[i] = m.Grid.Span(i, 0)
		}
		if _, err := s.bound(first); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *state) bind(shape []int) (*codec.Bound, error) {
	spec := s.spec
	spec.Shape = slices.Clone(shape)
	b, err := s.chain.Bind(spec)
	if err != nil {
		return nil, fmt.Errorf("codecs: %w", err)
	}
	return b, nil
}

// maxBounds is how many chains for different chunk shapes an array keeps.
const maxBounds = 256

// bound gives the chain for chunks of a shape.
func (s *state) bound(shape []int) (*codec.Bound, error) {
	if s.noCodec != nil {
		return nil, s.noCodec
	}
	if s.uniform != nil {
		return s.uniform, nil
	}
	name := fmt.Sprint(shape)
	if b, ok := s.bounds.Load(name); ok {
		return b.(*codec.Bound), nil
	}
	b, err := s.bind(shape)
	if err == nil && s.kept.Add(1) <= maxBounds {
		s.bounds.Store(name, b)
	}
	return b, err
}

func newArray(ctx context.Context, n node, m *meta.Array) (*Array, error) {
	s, err := newState(ctx, n.engine, m)
	if err != nil {
		return nil, &Error{Op: "open", URL: n.URL(), Err: err}
	}
	return n.array(s), nil
}

// Metadata is the array's document; it must not be changed.
func (a *Array) Metadata() *meta.Array { return a.now.Load().meta }

// Shape is the length of every axis.
func (a *Array) Shape() []int { return slices.Clone(a.Metadata().Shape) }

// DataType is the type of the elements.
func (a *Array) DataType() dtype.Type { return a.Metadata().DataType }

// ChunkShape is the shape of the chunks, those inside shards if there are any, as
// ArraySpec.Chunks has it; nil if they differ.
func (a *Array) ChunkShape() []int {
	s := a.now.Load()
	if s.uniform != nil {
		return slices.Clone(s.uniform.InnerShape())
	}
	return slices.Clone(s.meta.Grid.Uniform())
}

// ShardShape is the shape of the shards, as ArraySpec.Shards has it; nil if chunks
// are stored by themselves, or shards differ.
func (a *Array) ShardShape() []int {
	s := a.now.Load()
	if s.uniform == nil || s.uniform.Inner() == nil {
		return nil
	}
	return slices.Clone(s.meta.Grid.Uniform())
}

// FillValue is what elements of chunks that are not stored have, as one element
// in memory.
func (a *Array) FillValue() []byte { return slices.Clone(a.now.Load().spec.Fill) }

// DimensionNames are the names of the axes, "" for one without; nil if none has
// one.
func (a *Array) DimensionNames() []string {
	names := a.Metadata().DimensionNames
	if names == nil {
		return nil
	}
	out := make([]string, len(names))
	for i, n := range names {
		if n != nil {
			out[i] = *n
		}
	}
	return out
}

// Attributes returns a copy of the array's attributes.
func (a *Array) Attributes() *meta.Attributes {
	return a.Metadata().Clone().Attrs().Clone()
}

// SetAttributes stores new attributes.
func (a *Array) SetAttributes(ctx context.Context, attrs *meta.Attributes) error {
	return a.change(ctx, "set attributes of", func(m *meta.Array) error {
		m.Attributes = attrs.Clone()
		return nil
	})
}

// UpdateAttributes changes the attributes that the array has now: change is called
// again when somebody else has changed them meanwhile, and loses nothing of that.
func (a *Array) UpdateAttributes(ctx context.Context, change func(*meta.Attributes) error) error {
	return a.change(ctx, "set attributes of", func(m *meta.Array) (err error) {
		m.Attributes, err = changed(m.Attributes, change)
		return err
	})
}

// changed gives attributes, which may be nil, changed.
func changed(attrs *meta.Attributes, change func(*meta.Attributes) error) (*meta.Attributes, error) {
	if attrs = attrs.Clone(); attrs == nil {
		attrs = &meta.Attributes{}
	}
	return attrs, change(attrs)
}

// change stores a changed document and then works with it.
func (a *Array) change(ctx context.Context, op string, f func(m *meta.Array) error) error {
	var s *state
	err := a.changeDocument(ctx, func(doc meta.Node) (err error) {
		m, ok := doc.(*meta.Array)
		if !ok {
			return mark(ErrNotArray, errors.New("is no array any more"))
		}
		if err := f(m); err != nil {
			return err
		}
		s, err = newState(ctx, a.engine, m)
		return err
	}, func() { a.now.Store(s) })
	return a.fail(op, err)
}

// Refresh reads the array's document again, for changes by others.
func (a *Array) Refresh(ctx context.Context) error {
	n, err := openNode(ctx, a.engine, a.path, a.format)
	if err != nil {
		return err
	}
	fresh, err := asArray(n)
	if err != nil {
		return err
	}
	a.now.Store(fresh.now.Load())
	return nil
}

// ArraySpec says what array to make. Shape and DataType are needed; the rest
// has defaults.
type ArraySpec struct {
	Shape    []int
	DataType string // a name such as "uint16", or the JSON of a data_type member
	// Chunks is the shape of the chunks. The default cuts the array into
	// chunks of about a mebibyte.
	Chunks []int
	// Shards, if not nil, is the shape of shards, which hold chunks of shape
	// Chunks each.
	Shards []int
	// Grid is the JSON of a chunk_grid member, instead of Chunks and Shards.
	Grid json.RawMessage
	// Keys is the JSON of a chunk_key_encoding member. The default is
	// "default" with "/", or what the format of the store demands.
	Keys json.RawMessage
	// FillValue is the JSON of a fill value. The default is zero.
	FillValue json.RawMessage
	// NoFill says that chunks which are not stored have no defined elements, so that
	// all are stored. Zarr v2 has it as null; other formats have FillValue for them
	// nevertheless.
	NoFill bool
	// Codecs is the JSON of a codecs list; with Shards, that of the inner
	// chunks. The default is Zstandard.
	Codecs         json.RawMessage
	DimensionNames []string // "" for an axis without a name
	Attributes     *meta.Attributes
	// Overwrite replaces the node that is there, with all below it: see Remove.
	Overwrite bool
}

func createArray(ctx context.Context, e *engine, path string, spec ArraySpec) (*Array, error) {
	n := node{engine: e, path: path}
	looking, listed, done := lookBefore(ctx, e, path)
	defer done()
	s, format, err := draftArray(looking, e, path, spec)
	n.format = format
	if err == nil {
		err = prepare(ctx, looking, e, path, n.format, spec.Overwrite)
	}
	if err == nil && !spec.Overwrite { // else there is nothing left
		err = strayChunk(ctx, e, path, s.meta, listed)
	}
	if err == nil {
		err = putNewDocument(ctx, e, path, s.meta, n.format, spec.Overwrite)
	}
	if err != nil {
		return nil, n.fail("create array", err)
	}
	a := n.array(s)
	a.known()
	return a, nil
}

// draftArray gives an array that can be made at a path, and the format that it would
// have there.
func draftArray(ctx context.Context, e *engine, path string, spec ArraySpec) (*state, string, error) {
	if err := checkPath(path); err != nil {
		return nil, "", err
	}
	draft, err := e.store.Draft(ctx, path)
	if err != nil {
		return nil, "", err
	}
	if len(spec.Keys) == 0 {
		spec.Keys = draft.Keys
	}
	m, err := spec.document(ctx, e)
	if err == nil {
		err = draft.Adapt(m)
	}
	if err != nil {
		return nil, "", err
	}
	s, err := newState(ctx, e, m)
	if err == nil {
		err = s.noCodec
	}
	return s, draft.Format, err
}

// Make gives new memory for elements of the array, as ReadInto takes it, with a
// heap if they need one. More than MaxRead allows is ErrTooLarge, a negative length
// ErrRange.
func (a *Array) Make(shape ...int) (nd.View, error) {
	t := a.now.Load().spec.Type
	n, err := a.room(shape, t.Size())
	if err != nil {
		return nd.View{}, a.fail("read", err)
	}
	v := nd.Of(bigmem.Make[byte](n*t.Size()), t.Size(), shape...)
	if len(t.Refs()) > 0 {
		v.Heap = &nd.Heap{}
	}
	return v, nil
}
