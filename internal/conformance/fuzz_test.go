package conformance_test

import (
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// FuzzOpenRead opens any document and reads a little of any chunk: an error is
// fine, a panic and a long wait are not.
func FuzzOpenRead(f *testing.F) {
	const doc = `{"zarr_format":3,"node_type":"array","shape":[6],"data_type":"TYPE","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[3]}},` +
		`"chunk_key_encoding":"default","fill_value":FILL,"codecs":CODECS,"attributes":{}}`
	make := func(typ, fill, codecs string) string {
		return strings.NewReplacer("TYPE", typ, "FILL", fill, "CODECS", codecs).Replace(doc)
	}
	shard := `[{"name":"sharding_indexed","configuration":{"chunk_shape":[1],"codecs":["bytes"],"index_codecs":` + littleBytes + `}}]`
	f.Add(make("int32", "0", littleBytes), []byte("123456789012"))
	f.Add(make("uint8", "7", `["bytes","gzip"]`), []byte{0x1f, 0x8b, 8, 0})
	f.Add(make("uint8", "7", `["bytes","zstd","crc32c"]`), []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 0})
	f.Add(make("string", `"x"`, `["vlen-utf8"]`), []byte{3, 0, 0, 0, 1, 0, 0, 0, 'a', 0, 0, 0, 0, 0, 0, 0, 0})
	f.Add(make("uint8", "7", shard), []byte("abc"))
	f.Add(`{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{"a":`+make("int8", "1", `["bytes"]`)+`}}}`, []byte{})
	fuzzlong.Fuzz(f, func(t *testing.T, doc string, chunk []byte) {
		s := mem.New()
		for key, value := range map[string][]byte{"zarr.json": []byte(doc), "c/0": chunk, "c/0/0": chunk, "c": chunk, "0": chunk, "0.0": chunk} {
			if _, err := s.Put(ctx, key, value, store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		n, err := zarr.OpenStore(ctx, s, "", zarr.MaxRead(1<<20), zarr.MaxChunk(1<<20))
		if err != nil {
			if n != nil || strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("%v and %q", n, err)
			}
			return
		}
		if g, ok := n.(*zarr.Group); ok {
			for n := range g.Walk(ctx) {
				_ = n
			}
			return
		}
		fuzzArray(t, n.(*zarr.Array))
	})
}

func fuzzArray(t *testing.T, a *zarr.Array) {
	shape := a.Shape()
	axes := make([]zarr.Axis, len(shape))
	for i := range axes {
		axes[i] = zarr.Span(0, 2)
	}
	sel := zarr.Select(axes...)
	out, err := a.ResultShape(sel)
	if err != nil {
		t.Fatal(err)
	}
	n, ok := nd.Bytes(out, a.DataType().Size())
	if !ok || n > 1<<20 {
		return
	}
	v := nd.Make(a.DataType().Size(), out...)
	v.Heap = &nd.Heap{}
	if a.ReadInto(ctx, sel, v) != nil {
		return
	}
	values(a.DataType(), v)
	if whole, ok := nd.Bytes(a.Metadata().Grid.Uniform(), a.DataType().Size()); a.ChunkShape() == nil || !ok || whole > 1<<20 {
		return
	}
	// What could be read can be written, and is the same then.
	if err := a.WriteFrom(ctx, sel, v); err != nil {
		return
	}
	again := nd.Make(a.DataType().Size(), out...)
	again.Heap = &nd.Heap{}
	if err := a.ReadInto(ctx, sel, again); err != nil {
		t.Fatalf("what was written cannot be read: %v", err)
	}
	got, want := values(a.DataType(), again), values(a.DataType(), v)
	for i := range want {
		if string(got[i]) != string(want[i]) {
			t.Fatalf("element %d was %x and is %x", i, want[i], got[i])
		}
	}
}
