package zarr

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	pathpkg "path"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// translator is a store that keeps nodes in another form than a zarr.json each.
type translator interface {
	// Node reads the document of a node, with consolidated metadata if asked.
	Node(ctx context.Context, path string, consolidated bool) (meta.Node, store.Info, error)
	// PutNode stores one in a format that Draft or Node gave.
	PutNode(ctx context.Context, path string, n meta.Node, format string, opt store.PutOptions) error
	// Draft tells how a node that is made at a path is stored.
	Draft(ctx context.Context, path string) (translate.Draft, error)
}

// document makes the metadata of a new array.
func (s ArraySpec) document(ctx context.Context, e *engine) (*meta.Array, error) {
	typ, err := parseType(e, s.DataType)
	if err != nil {
		return nil, err
	}
	for _, member := range []struct {
		name string
		text json.RawMessage
	}{{"chunk_grid", s.Grid}, {"chunk_key_encoding", s.Keys}, {"fill_value", s.FillValue}, {"codecs", s.Codecs}} {
		if len(member.text) == 0 {
			continue
		}
		if err := strictjson.Validate(member.text, strictjson.Options{}); err != nil {
			return nil, strictjson.At(member.name, err)
		}
	}
	shape := s.Shape
	if shape == nil {
		shape = []int{}
	}
	doc := map[string]any{
		"zarr_format": 3, "node_type": "array", "shape": shape, "data_type": typ,
		"attributes": json.RawMessage("{}"),
	}
	if doc["fill_value"], err = fillOf(typ, s.FillValue); err != nil {
		return nil, err
	}
	doc["chunk_key_encoding"] = s.Keys
	if len(s.Keys) == 0 {
		doc["chunk_key_encoding"] = json.RawMessage(`{"name":"default","configuration":{"separator":"/"}}`)
	}
	codecs := s.Codecs
	if len(codecs) == 0 {
		codecs = DefaultCodecs(typ)
	}
	if doc["chunk_grid"], doc["codecs"], err = s.layout(typ, codecs); err != nil {
		return nil, err
	}
	if s.DimensionNames != nil {
		names := make([]*string, len(s.DimensionNames))
		for i, n := range s.DimensionNames {
			if n != "" {
				names[i] = &n
			}
		}
		doc["dimension_names"] = names
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	n, err := meta.Parse(text, e.registry().Until(ctx))
	if err != nil {
		return nil, err
	}
	m := n.(*meta.Array)
	m.Attributes, m.NoFill = s.Attributes.Clone(), s.NoFill
	if m.Codecs, err = normalCodecs(ctx, e, m); err != nil {
		return nil, err
	}
	return m, nil
}

// normalCodecs spells codecs with explicit configurations, as most readers want
// them.
func normalCodecs(ctx context.Context, e *engine, m *meta.Array) ([]meta.Extension, error) {
	entries := make([]codec.Entry, len(m.Codecs))
	for i, x := range m.Codecs {
		entries[i] = entryOf(x)
	}
	chain, err := e.codecs.Until(ctx).Chain(entries)
	if err != nil {
		return nil, err
	}
	s, err := newState(ctx, e, m)
	if err != nil {
		return nil, err
	}
	in := s.spec
	in.Shape = make([]int, len(m.Shape))
	for i, n := range m.Grid.Count() {
		in.Shape[i] = 1
		if n > 0 {
			_, in.Shape[i] = m.Grid.Span(i, 0)
		}
	}
	if shape := m.Grid.Uniform(); shape != nil {
		in.Shape = shape
	}
	if chain, err = chain.Complete(in); err != nil {
		return nil, err
	}
	out := make([]meta.Extension, 0, len(m.Codecs))
	for _, c := range chain.Codecs() {
		text, err := c.MarshalJSON()
		if err != nil {
			return nil, err
		}
		x, err := meta.ParseExtension(text)
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
}

// layout gives the chunk_grid and codecs members.
func (s ArraySpec) layout(typ dtype.Type, codecs json.RawMessage) (grid, chain any, err error) {
	chunks := s.Chunks
	if s.Grid != nil {
		if s.Shards == nil {
			if chunks != nil {
				return nil, nil, errors.New("give chunks or a grid, not both")
			}
			return s.Grid, codecs, nil
		}
		return nil, nil, errors.New("give shards or a grid, not both")
	}
	if s.Shards != nil && len(s.Shards) != len(s.Shape) {
		return nil, nil, fmt.Errorf("shards %v for an array of shape %v", s.Shards, s.Shape)
	}
	if chunks == nil {
		chunks = DefaultChunks(s.Shape, typ.Size(), s.Shards)
	}
	if len(chunks) != len(s.Shape) {
		return nil, nil, fmt.Errorf("chunks %v for an array of shape %v", chunks, s.Shape)
	}
	outer := chunks
	if s.Shards != nil {
		outer = s.Shards
		codecs, err = json.Marshal([]any{map[string]any{"name": "sharding_indexed", "configuration": map[string]any{
			"chunk_shape": chunks, "codecs": codecs, "index_location": "end",
			"index_codecs": json.RawMessage(`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"crc32c"}]`),
		}}})
		if err != nil {
			return nil, nil, err
		}
	}
	return map[string]any{"name": "regular", "configuration": map[string]any{"chunk_shape": outer}}, codecs, nil
}

func parseType(e *engine, text string) (dtype.Type, error) {
	raw := json.RawMessage(text)
	if len(text) == 0 || text[0] != '{' && text[0] != '"' {
		var err error
		if raw, err = json.Marshal(text); err != nil {
			return nil, err
		}
	}
	return e.types.Parse(raw)
}

// fillOf gives the fill value of a new array, zero if none is asked for. A number that stands for a
// truth value or a text, which some writers give and all readers here take, is spelled as the format has it.
func fillOf(t dtype.Type, raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 {
		return t.AppendFill(nil, make([]byte, t.Size()), nil)
	}
	if k := t.Kind(); k != dtype.Bool && k != dtype.String || !bytes.ContainsAny(raw[:1], "-0123456789") {
		return raw, nil
	}
	var h nd.Heap
	elem, err := t.ParseFill(raw, &h)
	if err != nil {
		return raw, nil // whoever reads the document says what is wrong with it
	}
	return t.AppendFill(nil, elem, h.Blobs())
}

// DefaultCodecs is the codecs list for new arrays of a type: elements in
// little-endian order, or what their type needs otherwise, then Zstandard, with a
// checksum of what it compresses: every reader checks it, and none has to know of it.
func DefaultCodecs(t dtype.Type) json.RawMessage {
	return json.RawMessage(`[` + serializerOf(t) + `,{"name":"zstd","configuration":{"level":3,"checksum":true}}]`)
}

// serializerOf is the codec that turns elements of a type into bytes.
func serializerOf(t dtype.Type) string {
	switch t.Kind() {
	case dtype.String:
		return `{"name":"vlen-utf8"}`
	case dtype.Bytes:
		return `{"name":"vlen-bytes"}`
	case dtype.Object:
		return `{"name":"numcodecs.json2"}`
	case dtype.List:
		if item, err := dtype.NumpyJSON(dtype.Inner(t), false); err == nil {
			return `{"name":"vlen-array","configuration":{"dtype":` + string(item) + `}}`
		}
	case dtype.Optional:
		return `{"name":"zarrs.optional","configuration":{"mask_codecs":[{"name":"packbits"}],"data_codecs":[` + serializerOf(dtype.Inner(t)) + `]}}`
	}
	for _, u := range t.Units() {
		if u.Width > 1 {
			return `{"name":"bytes","configuration":{"endian":"little"}}`
		}
	}
	return `{"name":"bytes"}`
}

// DefaultChunks cuts a shape into chunks of about a mebibyte, as cubic as they
// can be; chunks for shards divide them. An axis of length 0 is to grow, and counts
// as a long one.
func DefaultChunks(shape []int, size int, shards []int) []int {
	const target = 1 << 20
	out := make([]int, len(shape))
	for i, n := range shape {
		if n == 0 {
			n = target
		}
		if shards != nil {
			n = shards[i]
		}
		out[i] = max(n, 1)
	}
	for {
		bytes, longest := float64(size), 0
		for i, n := range out {
			bytes *= float64(n)
			if n > out[longest] {
				longest = i
			}
		}
		if bytes <= target || len(out) == 0 || out[longest] == 1 {
			return out
		}
		if shards != nil {
			out[longest] = nextDivisor(shards[longest], out[longest])
		} else {
			out[longest] = int(math.Ceil(float64(out[longest]) / 2))
		}
	}
}

// nextDivisor is the largest divisor of n below d.
func nextDivisor(n, d int) int {
	for d--; d > 1 && n%d != 0; d-- {
	}
	return max(d, 1)
}

// lookBefore asks for all that must be known before an array is made at a path: which
// node is there, whether a copy is being made, and what else lies in the folder. Where
// requests take their time all are made at once. done ends it.
func lookBefore(ctx context.Context, e *engine, path string) (looking context.Context, listed iter.Seq2[store.Entry, error], done func()) {
	looking, end := e.looking(ctx)
	ctx, cancel := context.WithCancel(ctx)
	listed, stop := translate.Raw(e.store).List(ctx, (&node{path: path}).prefix(), "/"), func() {}
	if translate.IsLooking(looking) && checkPath(path) == nil {
		expectNode(looking, e, path)
		listed, stop = begun(listed)
	}
	return looking, listed, func() {
		cancel()
		stop()
		end()
	}
}

// expectNode asks ahead for the documents that tell whether there is a node at a path.
func expectNode(looking context.Context, e *engine, path string) {
	if mixed, ok := e.store.(*translate.Store); ok {
		for _, name := range append(mixed.Names(), Unfinished) {
			translate.Expect(looking, pathpkg.Join(path, name))
		}
		if e.format == "" {
			expectOthers(looking, e, path)
		}
	}
}

// begun begins a listing now, which may be gone through once, before stop is called.
func begun(list iter.Seq2[store.Entry, error]) (later iter.Seq2[store.Entry, error], stop func()) {
	next, end := iter.Pull2(list)
	type item struct {
		entry store.Entry
		err   error
		ok    bool
	}
	first := make(chan item, 1)
	go func() {
		var i item
		i.entry, i.err, i.ok = next()
		first <- i
		close(first)
	}()
	later = func(yield func(store.Entry, error) bool) {
		for i := <-first; i.ok && yield(i.entry, i.err); {
			i.entry, i.err, i.ok = next()
		}
	}
	return later, func() {
		<-first // it is not at it any more
		end()
	}
}
