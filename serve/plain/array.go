package plain

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/zarr2"
	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// shown is an array and what it is shown as.
type shown struct {
	path  string // from "/" on
	array *zarr.Array
	meta  *meta.Array // the document of array that all of this is made of
	// doc is the document of the array as Zarr v3 has it; in the view as Zarr v2 one that
	// .zarray can say.
	doc *meta.Array
	// pass says that chunks are those of the source.
	pass bool

	// What follows is for chunks that are made.
	from   *codec.Bound // of the source, also where its chunks differ
	to     *codec.Bound
	change change
	tag    string // tells apart what the same chunks are made into
	// identity tells apart what lies at the same URL.
	identity string
	whole    bool // a chunk of the source is cut, and must be decoded wholly for every part
	// asIs says that zstd holds elements as they are: pictures in JPEG are decoded several
	// times faster than their noise is compressed again, for little.
	asIs bool
}

// format is the version as the formats of copies.
func (s *Store) format() copying.Nodes {
	if s.opt.Version == 2 {
		return copying.Nodes{Format: zarr2.Format, Title: "Zarr v2"}
	}
	return copying.Zarr3()
}

// array shows the array at a path, without a slash in front.
func (s *Store) array(ctx context.Context, at string) (*shown, error) {
	n, err := s.nodes.Node(ctx, "/"+at)
	if err != nil {
		return nil, err
	}
	a, ok := n.(*zarr.Array)
	if !ok {
		return nil, zarr.ErrNotArray
	}
	return s.show(ctx, at, a)
}

// show says what an array is shown as, once for each document that it has.
func (s *Store) show(ctx context.Context, at string, a *zarr.Array) (*shown, error) {
	m := a.Metadata()
	s.mu.Lock()
	v := s.arrays[at]
	s.mu.Unlock()
	if v != nil && v.array == a && v.meta == m {
		return v, nil
	}
	v, err := s.design(ctx, at, a, m)
	if err != nil {
		return nil, &zarr.Error{Op: "show", URL: a.URL(), Err: err}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.arrays) >= mostArrays {
		clear(s.arrays)
	}
	s.arrays[at] = v
	return v, nil
}

func (s *Store) design(ctx context.Context, at string, a *zarr.Array, m *meta.Array) (*shown, error) {
	v := &shown{path: "/" + at, array: a, meta: m}
	docs, _, err := s.format().Documents(map[string]*zarr.Array{"/": a})
	if err != nil {
		return nil, err
	}
	v.doc = docs["/"]
	v.doc.Transformers, v.doc.Extra = nil, nil
	s.name(ctx, at, a, v.doc)
	v.doc.Keys = s.keys(m)
	v.doc.FillValue = s.spelled(m.DataType, v.doc.FillValue)
	from, err := a.Codec()
	if err != nil {
		// A codec that nobody here has may be one that the client has.
		v.pass = true
		if s.opt.Version == 2 {
			_, _, err = zarr2.MarshalArray(v.doc)
			return v, err
		}
		return v, nil
	}
	v.from = from
	if s.opt.Codecs == "" && s.passes(v) {
		v.pass = true
		if a.Format() == zarr2.Format {
			// Its own documents are there too, and tell of the same chunks.
			v.doc.Keys = m.Keys
		}
		return v, nil
	}
	return v, s.redesign(ctx, v)
}

// keys are those of the chunks. In Zarr v2 an array keeps the separator that it has; others
// have that which OME-NGFF wants.
func (s *Store) keys(m *meta.Array) grid.Keys {
	k, old := m.Keys.(grid.V2Keys)
	switch {
	case s.opt.Version == 3:
		return grid.DefaultKeys{}
	case old:
		return k
	}
	return grid.V2Keys{Sep: '/'}
}

// passes reports whether clients can read the chunks of the source as they are, and
// completes the document for it.
func (s *Store) passes(v *shown) bool {
	m := v.doc
	shape := m.Grid.Uniform()
	if _, regular := m.Grid.(*grid.Regular); !regular || !dtype.Equal(portableType(m.DataType, s.opt.Version), m.DataType) {
		return false
	}
	list, err := json.Marshal(m.Codecs)
	if err != nil {
		return false
	}
	chain, err := std.Registry().ParseList(list)
	if err == nil {
		chain, err = chain.Complete(v.from.Spec())
	}
	if err != nil {
		return false
	}
	if list, err = chain.MarshalJSON(); err != nil {
		return false
	}
	codecs, err := meta.ParseCodecs(list)
	if err != nil || !portable(codecs, s.opt.Version) {
		return false
	}
	if n, ok := nd.Bytes(shape, m.DataType.Size()); (!ok || n > hugeRaw) && len(codecs) == 1 && codecs[0].Name == "bytes" {
		return false // parts of it can be had as easily
	}
	full := m.Clone()
	full.Codecs = codecs
	if s.opt.Version == 2 {
		if _, _, err := zarr2.MarshalArray(full); err != nil {
			return false
		}
	}
	v.doc = full
	return true
}

// redesign decides what the chunks of an array become.
func (s *Store) redesign(ctx context.Context, v *shown) error {
	m := v.doc
	typ := portableType(m.DataType, s.opt.Version)
	err := s.make(ctx, v, typ)
	if err != nil && typ.Kind() != dtype.String {
		// What has no form in this version is told in JSON.
		if s.make(ctx, v, dtype.MustParse("string")) == nil {
			return nil
		}
	}
	return err
}

// make decides it for one type of elements.
func (s *Store) make(ctx context.Context, v *shown, typ dtype.Type) error {
	m, from := v.meta, v.meta.DataType
	spec := zarr.ArraySpec{Shape: m.Shape, Attributes: v.doc.Attributes, NoFill: v.doc.NoFill && s.opt.Version == 2, FillValue: v.doc.FillValue}
	if v.doc.DimensionNames != nil {
		spec.DimensionNames = make([]string, len(m.Shape))
		for i, name := range v.doc.DimensionNames {
			if name != nil {
				spec.DimensionNames[i] = *name
			}
		}
	}
	name, err := typ.MarshalJSON()
	if err != nil {
		return err
	}
	spec.DataType = string(name)
	v.change = nil
	if !dtype.Equal(typ, from) {
		v.change = changeOf(typ, from)
		if spec.FillValue, err = v.fill(typ); err != nil {
			return err
		}
		spec.FillValue = s.spelled(typ, spec.FillValue)
	}
	spec.Chunks = v.chunks(from)
	keys, err := v.doc.Keys.MarshalJSON()
	if err != nil {
		return err
	}
	spec.Keys = keys
	var made *zarr.Array
	for _, codecs := range s.choices(typ) {
		spec.Codecs = codecs
		if made, err = zarr.CreateArrayIn(ctx, mem.New(), "", spec, zarr.As("zarr3")); err != nil {
			continue
		}
		doc := made.Metadata().Clone()
		doc.NoFill = spec.NoFill
		if s.opt.Version == 2 {
			if _, _, err = zarr2.MarshalArray(doc); err != nil {
				continue
			}
		}
		if v.to, err = made.Codec(); err != nil {
			return err
		}
		v.doc = doc
		v.asIs = s.opt.Codecs == "" && len(v.from.Lossy()) > 0 && v.change == nil
		if v.pass = (copying.Pair{From: v.array, To: made}).AsBytes(); v.pass {
			return nil
		}
		return v.identify()
	}
	return shorten(err)
}

// shorten leaves out the place in memory that an array was tried in.
func shorten(err error) error {
	if known, ok := err.(*zarr.Error); ok {
		return known.Err
	}
	return err
}

// choices are the codecs that chunks may have, the best first.
func (s *Store) choices(t dtype.Type) []json.RawMessage {
	usual := zarr.DefaultCodecs(t)
	serializer := ""
	if list, err := meta.ParseCodecs(usual); err == nil {
		text, _ := json.Marshal(list[0])
		serializer = string(text)
	}
	with := func(compressor string) json.RawMessage {
		if compressor == "" {
			return json.RawMessage("[" + serializer + "]")
		}
		return json.RawMessage("[" + serializer + "," + compressor + "]")
	}
	zstd := with(`{"name":"zstd","configuration":{"level":1,"checksum":false}}`)
	switch s.opt.Codecs {
	case "", "zstd":
		return []json.RawMessage{zstd}
	case "blosc":
		shuffle := "shuffle"
		if t.Size() == 1 || len(t.Refs()) > 0 {
			shuffle = "noshuffle"
		}
		return []json.RawMessage{with(`{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"` + shuffle + `","blocksize":0}}`), zstd}
	case "gzip":
		return []json.RawMessage{with(`{"name":"gzip","configuration":{"level":1}}`)}
	case "none":
		return []json.RawMessage{with("")}
	}
	return []json.RawMessage{s.codecs, zstd}
}

// chunks is the shape of the chunks that are made.
func (v *shown) chunks(t dtype.Type) []int {
	m := v.meta
	if m.Grid.Uniform() == nil {
		return zarr.DefaultChunks(m.Shape, max(t.Size(), 1), nil)
	}
	unit := v.from.InnerShape()
	if len(t.Refs()) > 0 { // nobody knows how large elements are
		return atLeastOne(unit)
	}
	out := friendly(m.Shape, unit, max(t.Size(), 1))
	n, ok := nd.Bytes(unit, t.Size())
	smaller := false
	for i := range out {
		smaller = smaller || out[i] < min(unit[i], m.Shape[i])
	}
	if smaller && !v.from.Ranges(nd.Whole(out)) {
		// The engine keeps smaller ones for those who want another part.
		v.whole = !ok || n > 32<<20
	}
	return out
}

func atLeastOne(shape []int) []int {
	out := slices.Clone(shape)
	for i := range out {
		out[i] = max(out[i], 1)
	}
	return out
}

// identify makes the tag.
func (v *shown) identify() error {
	bare := func(m *meta.Array) (string, error) {
		m = m.Clone()
		m.Attributes, m.DimensionNames = nil, nil
		text, err := m.Marshal()
		return string(text), err
	}
	was, err := bare(v.meta)
	if err != nil {
		return err
	}
	is, err := bare(v.doc)
	v.tag = hash(was, is)
	v.identity = store.Identity(v.array.Store(), v.array.Path())
	return err
}

// sourceKey is the key of a chunk of the source.
func (v *shown) sourceKey(index []int) string {
	key := string(v.meta.Keys.Append(nil, index))
	if at := v.array.Path(); at != "" {
		return at + "/" + key
	}
	return key
}

// fill is the fill value of the source as one of another type.
func (v *shown) fill(typ dtype.Type) (json.RawMessage, error) {
	spec := v.from.Spec()
	src := nd.Of(spec.Fill, spec.Type.Size(), 1)
	src.Heap = spec.Heap
	dst := nd.Make(typ.Size(), 1)
	dst.Heap = &nd.Heap{}
	if err := v.change(dst, src); err != nil {
		return nil, strictjson.At("fill_value", err)
	}
	return typ.AppendFill(nil, dst.Data, dst.Heap.Blobs())
}

// spelled is a fill value in the words that the version has: Zarr v2 knows one NaN only.
func (s *Store) spelled(t dtype.Type, fill json.RawMessage) json.RawMessage {
	if s.opt.Version == 2 && t.Kind() == dtype.Float && strings.HasPrefix(string(fill), `"0x`) {
		return json.RawMessage(`"NaN"`)
	}
	return fill
}

// base is the path without the slash in front.
func (v *shown) base() string { return strings.TrimPrefix(v.path, "/") }
