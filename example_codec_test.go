package zarr_test

import (
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/store/mem"
)

// veil is a codec of one's own: it hides bytes behind a mask.
type veil struct {
	Mask byte `json:"mask"`
	size codec.Size
}

func parseVeil(_ *codec.Registry, _ string, config json.RawMessage) (codec.Codec, error) {
	var v veil
	return v, codec.ParseConfig(config, &v)
}

func (v veil) Name() string { return "example.veil" }
func (v veil) MarshalJSON() ([]byte, error) {
	return codec.MarshalEntry(v.Name(), map[string]byte{"mask": v.Mask})
}
func (v veil) Size() codec.Size { return v.size }

func (v veil) BindBytes(_ codec.Spec, in codec.Size) (codec.BytesFilter, error) {
	return veil{v.Mask, in}, nil
}

func (v veil) Encode(_ *codec.Chunk, dst, src []byte) ([]byte, error) {
	for _, b := range src {
		dst = append(dst, b^v.Mask)
	}
	return dst, nil
}

func (v veil) Decode(ck *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	if len(src) > limit {
		return nil, codec.Bad("%d bytes, at most %d are possible", len(src), limit)
	}
	return v.Encode(ck, dst, src)
}

func ExampleCodecs() {
	registry := std.Registry()
	registry.Register(parseVeil, "example.veil")
	a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{
		Shape: []int{4}, DataType: "uint8", Codecs: json.RawMessage(`["bytes", {"name": "example.veil", "configuration": {"mask": 255}}]`),
	}, zarr.Codecs(registry))
	if err == nil {
		err = zarr.Write(ctx, a, zarr.All(), []uint8{1, 2, 3, 4})
	}
	back, readErr := zarr.Read[uint8](ctx, a, zarr.All())
	fmt.Println(back.Data, err, readErr)
	// Output: [1 2 3 4] <nil> <nil>
}
