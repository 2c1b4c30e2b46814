package n5

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/n5block"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/nd"
)

// Payload is how what follows the header of a block is stored: through a codec of
// bytes, or as it is. The zero value is the latter.
type Payload struct {
	codec  codec.BytesToBytes
	filter codec.BytesFilter
}

// ParsePayload reads a list of codecs, which has at most one.
func ParsePayload(r *codec.Registry, raw json.RawMessage) (Payload, error) {
	var p Payload
	err := strictjson.Each(raw, func(i int, elem json.RawMessage) error {
		if i > 0 {
			return errors.New("a block has at most one codec of bytes")
		}
		entry, err := strictjson.ParseNamed(elem)
		if err != nil {
			return err
		}
		c, err := r.Parse(codec.Entry{Name: entry.Name, Config: entry.Configuration})
		if err != nil {
			return err
		}
		var ok bool
		if p.codec, ok = c.(codec.BytesToBytes); !ok {
			return fmt.Errorf("codec %s does not turn bytes into bytes", c.Name())
		}
		p.filter, err = p.codec.BindBytes(codec.Spec{Type: dtype.MustParse("uint8"), Fill: []byte{0}}, codec.Size{})
		return err
	})
	return p, err
}

// payloadConfig is the configuration of codecs whose blocks have no codecs but
// that of bytes.
type payloadConfig struct {
	Codecs json.RawMessage `json:"codecs"`
}

func parsePayloadConfig(r *codec.Registry, raw json.RawMessage) (Payload, error) {
	var c payloadConfig
	if err := codec.ParseConfig(raw, &c); err != nil {
		return Payload{}, err
	}
	if c.Codecs == nil {
		return Payload{}, errors.New("configuration lacks codecs")
	}
	p, err := ParsePayload(r, c.Codecs)
	return p, strictjson.At("codecs", err)
}

func (p Payload) marshalConfig(name string) ([]byte, error) {
	list := []codec.Codec{}
	if p.codec != nil {
		list = append(list, p.codec)
	}
	codecs, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	return codec.MarshalEntry(name, payloadConfig{codecs})
}

// plain reports whether bytes are stored as they are.
func (p Payload) plain() bool { return p.filter == nil }

func (p Payload) encode(ck *codec.Chunk, dst, src []byte) ([]byte, error) {
	if p.plain() {
		return append(dst, src...), nil
	}
	dst, err := p.filter.Encode(ck, dst, src)
	return dst, p.named(err)
}

// decode gives at most limit bytes. Those that are stored as they are it gives as
// they lie in src.
func (p Payload) decode(ck *codec.Chunk, src []byte, limit int) ([]byte, error) {
	limit = min(limit, ck.MaxChunk())
	if !p.plain() {
		out, err := p.filter.Decode(ck, nil, src, limit)
		return out, p.named(err)
	}
	if len(src) > limit {
		return nil, codec.Bad("%d bytes follow the header of the block, at most %d are possible", len(src), limit)
	}
	return src, nil
}

func (p Payload) named(err error) error {
	if err == nil {
		return nil
	}
	return &codec.Error{Codec: p.codec.Name(), Err: err}
}

// Header is what stands in front of a block.
type Header = n5block.Header

// DecodeBlock gives the header of a block of any mode and what follows it, without
// compression. What was not compressed is a part of data. An object may have the
// header that Java writes, which counts its bytes, or the one that the text of N5
// gives, where a shape does; the number of bytes must be the one that is told. For
// the other modes it must be that of elements of N5, of whatever type.
func DecodeBlock(p Payload, lim *codec.Limits, data []byte) (Header, []byte, error) {
	h, err := n5block.Parse(data)
	if err != nil {
		return n5block.Header{}, nil, codec.Bad("%v", err)
	}
	ck := &codec.Chunk{Limits: lim}
	out, err := p.decodeCounted(ck, h, data)
	if err != nil && h.Mode == n5block.Object {
		if h, shaped := n5block.ParseShape(data); shaped == nil {
			if out, err := p.decodeCounted(ck, h, data); err == nil {
				return h, out, nil
			}
		}
	}
	if err != nil {
		return n5block.Header{}, nil, err
	}
	return h, out, nil
}

// widest is the number of bytes of the largest elements.
const widest = 8

// decodeCounted gives the bytes behind a header if they are as many as it tells.
func (p Payload) decodeCounted(ck *codec.Chunk, h n5block.Header, data []byte) ([]byte, error) {
	n, most := h.Count, h.Count
	if h.Mode == n5block.Default || h.Shape != nil && h.Mode == n5block.Object {
		var ok bool
		if n, ok = nd.Len(h.Shape); !ok {
			return nil, codec.Bad("a block of shape %v has more elements than can be counted", clip(h.Shape))
		}
		most = n
	}
	if h.Mode != n5block.Object {
		most = widest * min(n, ck.MaxChunk()/widest+1)
	}
	out, err := p.decode(ck, data[h.Size:], most)
	if err != nil {
		return nil, err
	}
	if !holds(h.Mode, len(out), n) {
		return nil, codec.Bad("a block of mode %v has %d bytes, which are not %d elements", h.Mode, len(out), n)
	}
	return out, nil
}

// holds reports whether so many bytes are n elements.
func holds(mode n5block.Mode, size, n int) bool {
	switch {
	case mode == n5block.Object:
		return size == n
	case n == 0:
		return mode == n5block.Varlength && size == 0
	case size%n != 0:
		return false
	}
	width := size / n
	return width == 1 || width == 2 || width == 4 || width == widest
}
