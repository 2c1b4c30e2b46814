// Package zstd is the codec "zstd": Zstandard frames.
package zstd

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/zstdenc"
)

// Codec is a parsed entry.
type Codec struct {
	// Level follows libzstd's numbers, from -131072 to 22; 0 is its default.
	Level int
	// Checksum adds a checksum of the content to every frame. Frames that have
	// one are always checked.
	Checksum bool
}

type config struct {
	Level    *int  `json:"level"`
	Checksum *bool `json:"checksum"`
}

// DefaultLevel is used where metadata gives none.
const DefaultLevel = 3

// Parse reads the configuration; an absent one means the default level without
// a checksum.
func Parse(_ *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
	var c config
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	out := Codec{Level: DefaultLevel}
	if c.Level != nil {
		out.Level = *c.Level
	}
	if c.Checksum != nil {
		out.Checksum = *c.Checksum
	}
	if out.Level < -131072 || out.Level > 22 {
		return nil, fmt.Errorf("level is %d: must be from -131072 to 22", out.Level)
	}
	return out, nil
}

// Name is "zstd".
func (Codec) Name() string { return "zstd" }

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) {
	return codec.MarshalEntry("zstd", config{&c.Level, &c.Checksum})
}

// BindBytes fits the codec to what comes in.
func (c Codec) BindBytes(_ codec.Spec, in codec.Size) (codec.BytesFilter, error) {
	f := &filter{codec: c}
	if in.Known && in.N < math.MaxInt/2 {
		// Frames of other writers may be split and skippable ones added, so
		// this is roomier than the format's own bound.
		f.size = codec.AtMost(in.N + in.N/8 + 1<<16)
	}
	return f, nil
}

type filter struct {
	codec Codec
	size  codec.Size
}

func (f *filter) Size() codec.Size { return f.size }

func (f *filter) Encode(_ *codec.Chunk, dst, src []byte) ([]byte, error) {
	return zstdenc.AppendEncode(dst, src, f.codec.Level, f.codec.Checksum), nil
}

// decoder serves any number of goroutines; what it may write is bounded by the
// capacity it is given.
var decoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(1<<62))
	if err != nil {
		panic(err) // only for options that contradict each other
	}
	return d
})

// maxRatio is more than Zstandard can shrink anything: a block of 128 KiB takes
// at least four bytes. A frame that claims more is lying.
const maxRatio = 1 << 15

// slack is room behind the result that lets the decoder copy in whole words
// without looking where the end is.
const slack = 16

func (f *filter) Decode(_ *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	if len(src) == 0 {
		return nil, codec.Bad("no frame in empty data")
	}
	at := len(dst)
	room := min(cap(dst)-at, limit+slack)
	if n, known := contentSize(src); known {
		if n > uint64(limit) {
			return nil, codec.Bad("frame holds %d bytes, at most %d are possible", n, limit)
		}
		if n/maxRatio > uint64(len(src)) {
			return nil, codec.Bad("frame of %d bytes claims to hold %d", len(src), n)
		}
		room = max(room, int(n))
	} else if room == 0 {
		room = min(limit, 8*len(src)+1<<10)
	}
	for {
		dst = slices.Grow(dst, room)
		out, err := decoder().DecodeAll(src, dst[:at:at+room])
		switch {
		case err == nil && len(out)-at <= limit:
			return out, nil
		case err != nil && !errors.Is(err, zstd.ErrDecoderSizeExceeded):
			return nil, codec.Bad("%v", err)
		case room >= limit:
			return nil, codec.Bad("holds more than the %d bytes that are possible", limit)
		}
		room = min(4*room, limit+slack)
	}
}

// contentSize is what the header of the first frame says.
func contentSize(src []byte) (uint64, bool) {
	var h zstd.Header
	if err := h.Decode(src); err != nil || !h.HasFCS {
		return 0, false
	}
	return h.FrameContentSize, true
}
