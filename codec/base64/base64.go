// Package base64 is the codec "numcodecs.base64", also spelled "base64": bytes
// as text in the standard alphabet, with padding.
package base64

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// Codec is a parsed entry.
type Codec struct{ name string }

// Parse reads the configuration, which is empty.
func Parse(_ *codec.Registry, name string, raw json.RawMessage) (codec.Codec, error) {
	return Codec{name}, codec.ParseConfig(raw, &struct{}{})
}

// Name is "numcodecs.base64", or what the entry was called.
func (c Codec) Name() string {
	if c.name == "" {
		return "numcodecs.base64"
	}
	return c.name
}

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) {
	return codec.MarshalEntry(c.Name(), struct{}{})
}

// BindBytes fits the codec to what comes in.
func (Codec) BindBytes(_ codec.Spec, in codec.Size) (codec.BytesFilter, error) {
	var f filter
	if in.Known && in.N < math.MaxInt/4 {
		in.N = base64.StdEncoding.EncodedLen(in.N)
		f.size = in
	}
	return f, nil
}

type filter struct{ size codec.Size }

func (f filter) Size() codec.Size { return f.size }

func (filter) Encode(_ *codec.Chunk, dst, src []byte) ([]byte, error) {
	return base64.StdEncoding.AppendEncode(dst, src), nil
}

func (filter) Decode(ck *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	if len(src)%4 != 0 {
		return nil, codec.Bad("%d letters are not whole groups of four", len(src))
	}
	size := len(src)/4*3 - bytes.Count(src[max(0, len(src)-2):], []byte{'='})
	if size > limit {
		return nil, ck.Over(size, limit)
	}
	at := len(dst)
	out, err := base64.StdEncoding.AppendDecode(dst, src)
	if err != nil {
		if _, plain := strictjson.Base64(string(src)); plain != nil {
			err = plain
		}
		return nil, codec.Bad("%v", err)
	}
	if n := len(out) - at; n != size {
		// The library skips ends of lines, which do not belong here.
		return nil, codec.Bad("%d letters hold %d bytes, not %d", len(src), n, size)
	}
	return out, nil
}
