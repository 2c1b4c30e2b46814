// Package byteshuffle is the codec "numcodecs.shuffle", also spelled "shuffle":
// first the first bytes of all elements, then the second ones, and so on, so that
// a compressor behind it finds more that is alike.
package byteshuffle

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/shuffle"
)

// Codec is a parsed entry.
type Codec struct {
	// ElementSize is how many bytes an element has. Nothing is moved if it is 1
	// or less.
	ElementSize int

	name string
}

type config struct {
	ElementSize *int `json:"elementsize"`
}

// DefaultElementSize is used where metadata gives none; it is that of numcodecs,
// whatever the data type.
const DefaultElementSize = 4

// Parse reads the configuration.
func Parse(_ *codec.Registry, name string, raw json.RawMessage) (codec.Codec, error) {
	var c config
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	out := Codec{DefaultElementSize, name}
	if c.ElementSize != nil {
		out.ElementSize = *c.ElementSize
	}
	return out, nil
}

// Name is "numcodecs.shuffle", or what the entry was called.
func (c Codec) Name() string {
	if c.name == "" {
		return "numcodecs.shuffle"
	}
	return c.name
}

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) {
	return codec.MarshalEntry(c.Name(), config{&c.ElementSize})
}

// BindBytes fits the codec to what comes in, which must be whole elements.
func (c Codec) BindBytes(_ codec.Spec, in codec.Size) (codec.BytesFilter, error) {
	f := filter{max(1, c.ElementSize), in}
	if in.Known && in.Exact && in.N%f.element != 0 {
		return nil, fmt.Errorf("chunks of %d bytes are not whole elements of %d", in.N, f.element)
	}
	return f, nil
}

type filter struct {
	element int
	size    codec.Size
}

func (f filter) Size() codec.Size { return f.size }

func (f filter) Encode(_ *codec.Chunk, dst, src []byte) ([]byte, error) {
	if len(src)%f.element != 0 {
		return nil, fmt.Errorf("%d bytes are not whole elements of %d", len(src), f.element)
	}
	return f.move(dst, src, shuffle.Shuffle), nil
}

func (f filter) Decode(_ *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	if len(src) > limit {
		return nil, codec.Bad("%d bytes, at most %d are possible", len(src), limit)
	}
	if len(src)%f.element != 0 {
		return nil, codec.Bad("%d bytes are not whole elements of %d", len(src), f.element)
	}
	return f.move(dst, src, shuffle.Unshuffle), nil
}

// move appends what kernel makes of src.
func (f filter) move(dst, src []byte, kernel func(dst, src []byte, size int)) []byte {
	n := len(dst)
	dst = slices.Grow(dst, len(src))[:n+len(src)]
	kernel(dst[n:], src, f.element)
	return dst
}
