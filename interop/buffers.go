package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/zarr2"
	"github.com/omnizarr/zarr/nd"
)

// Buffers show what a codec of codecs.json does, without arrays around it. Each
// has a file for every type: for each buffer its elements as digests have them,
// what the codec makes of them, and what that is decoded to, which is something
// else if the codec loses digits. Each of the three stands behind its length.

// bufferLengths are numbers of elements; the last is one of bytes.
var bufferLengths = []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000, 1024, 2049, -70_000}

// length is the number of elements of a size.
func length(n, size int) int {
	if n < 0 {
		return -n / size
	}
	return n
}

// writeBuffers writes the files of all codecs.
func writeBuffers(ctx context.Context, dir string) error {
	for _, c := range numcodecs() {
		for _, t := range c.DTypes {
			text, err := c.buffers(ctx, t)
			if err == nil {
				err = os.WriteFile(c.file(dir, t), text, 0o666)
			}
			if err != nil {
				return fmt.Errorf("%s of %s: %w", c.Name, t, err)
			}
		}
	}
	return nil
}

func (c numcodec) file(dir, code string) string {
	return filepath.Join(dir, c.Name+"-"+typeLabel(code)+".bin")
}

func (c numcodec) buffers(ctx context.Context, code string) ([]byte, error) {
	kind := c.Values
	if c.Buffers != "" {
		kind = c.Buffers
	}
	var out []byte
	for i, n := range bufferLengths {
		b, err := c.bind(code, 1)
		if err != nil {
			return nil, err
		}
		n = length(n, b.typ.Size())
		if n < c.From {
			continue
		}
		if b, err = c.bind(code, n); err != nil {
			return nil, err
		}
		v, err := values(kind, b.typ, []int{n}, uint64(i))
		if err != nil {
			return nil, err
		}
		if i%3 == 1 && !dtype.IsReference(b.typ) { // one value after the other several times
			for k := range n {
				copy(v.At(k), v.At(k-k%9))
			}
		}
		encoded, err := b.encode(ctx, v)
		if err != nil {
			return nil, err
		}
		decoded, err := b.decode(ctx, encoded)
		if err != nil {
			return nil, err
		}
		for _, part := range [][]byte{b.elements(v), encoded, b.elements(decoded)} {
			out = appendBlob(out, part)
		}
	}
	return out, nil
}

func appendBlob(dst, blob []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(blob))), blob...)
}

// readBuffers compares files with what Omnizarr makes of them.
func readBuffers(ctx context.Context, dir, results string) error {
	var out []result
	for _, c := range numcodecs() {
		for _, t := range c.DTypes {
			r := result{Case: c.Name + "/" + typeLabel(t)}
			if err := c.compareBuffers(ctx, c.file(dir, t), t); err != nil {
				r.Error = err.Error()
			}
			out = append(out, r)
		}
	}
	return saveResults(results, out)
}

func (c numcodec) compareBuffers(ctx context.Context, path, code string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if len(text) == 0 {
		return errors.New("no buffers")
	}
	for len(text) > 0 {
		var parts [3][]byte
		for i := range parts {
			if len(text) < 4 || len(text)-4 < int(binary.LittleEndian.Uint32(text)) {
				return errors.New("a buffer ends too early")
			}
			n := int(binary.LittleEndian.Uint32(text))
			parts[i], text = text[4:4+n], text[4+n:]
		}
		if n, err := c.compareBuffer(ctx, code, parts[0], parts[1], parts[2]); err != nil {
			return fmt.Errorf("%d elements: %w", n, err)
		}
	}
	return nil
}

func (c numcodec) compareBuffer(ctx context.Context, code string, raw, encoded, decoded []byte) (n int, err error) {
	b, err := c.bind(code, 1)
	if err != nil {
		return 0, err
	}
	n = len(raw) / b.typ.Size()
	var v nd.View
	if dtype.IsReference(b.typ) {
		v = references(raw)
		n = v.Len()
	} else {
		v = nd.Of(raw, b.typ.Size(), n)
	}
	if b, err = c.bind(code, n); err != nil {
		return n, err
	}
	if c.Exact {
		again, err := b.encode(ctx, v)
		if err != nil {
			return n, err
		}
		if !bytes.Equal(again, encoded) {
			return n, errors.New("encodes to different bytes")
		}
	}
	back, err := b.decode(ctx, encoded)
	if err != nil {
		return n, err
	}
	if !bytes.Equal(b.elements(back), decoded) {
		return n, errors.New("decodes to different values")
	}
	return n, nil
}

// references are elements of any length from blobs, each behind its length.
func references(blobs []byte) nd.View {
	heap := &nd.Heap{}
	var data []byte
	n := 0
	for len(blobs) >= 4 {
		size := int(binary.LittleEndian.Uint32(blobs))
		elem := make([]byte, nd.RefSize)
		nd.PutRef(elem, heap.Add(blobs[4:4+size]), 0, size)
		data, blobs = append(data, elem...), blobs[4+size:]
		n++
	}
	v := nd.Of(data, nd.RefSize, n)
	v.Heap = heap
	return v
}

// boundCodec is a chain of the codec for chunks of one length.
type boundCodec struct {
	bound *codec.Bound
	chunk *codec.Chunk
	typ   dtype.Type
	n     int
}

// bind reads a .zarray with the codec, as Zarr v2 has it.
func (c numcodec) bind(code string, n int) (boundCodec, error) {
	filters, compressor := c.members()
	d := document2{dtype: `"` + code + `"`, fill: fill2(code, c.Values), filters: filters, compressor: compressor, shape: []int{1}, chunks: []int{1}}
	m, err := zarr2.ParseArray([]byte(d.text()), nil)
	if err != nil {
		return boundCodec{}, err
	}
	list, err := json.Marshal(m.Codecs)
	if err != nil {
		return boundCodec{}, err
	}
	chain, err := std.Registry().ParseList(list)
	if err != nil {
		return boundCodec{}, err
	}
	bound, err := chain.Bind(codec.Spec{Type: m.DataType, Shape: []int{n}, Fill: make([]byte, m.DataType.Size())})
	return boundCodec{bound, &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 24}}, m.DataType, n}, err
}

func (b boundCodec) encode(ctx context.Context, v nd.View) ([]byte, error) {
	return b.bound.Encode(ctx, b.chunk, nil, v)
}

func (b boundCodec) decode(ctx context.Context, encoded []byte) (nd.View, error) {
	v := nd.Make(b.typ.Size(), b.n)
	if dtype.IsReference(b.typ) {
		v.Heap = &nd.Heap{}
	}
	return v, b.bound.Decode(ctx, b.chunk, &codec.Memory{Bytes: encoded}, nd.Whole(v.Shape), v)
}

// elements are the elements of a view as digests have them.
func (b boundCodec) elements(v nd.View) []byte {
	var out bytes.Buffer
	writeElements(&out, b.typ, v)
	return out.Bytes()
}
