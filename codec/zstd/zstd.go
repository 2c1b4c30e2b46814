// Package zstd is the codec "zstd", also spelled "numcodecs.zstd": Zstandard
// frames.
package zstd

import (
	"encoding/json"
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
	// What is beyond is the nearest of these, as in numcodecs.
	Level int
	// Checksum adds a checksum of the content to every frame. Frames that have
	// one are always checked.
	Checksum bool

	name string
}

type config struct {
	Level    *int  `json:"level"`
	Checksum *bool `json:"checksum"`
}

// The levels that are used where metadata gives none, which compress alike.
const (
	DefaultLevel          = 3 // for "zstd"
	NumcodecsDefaultLevel = 0 // for "numcodecs.zstd"
)

const (
	minLevel = -131072
	maxLevel = 22
)

// Parse reads the configuration; an absent one means the default level without
// a checksum.
func Parse(_ *codec.Registry, name string, raw json.RawMessage) (codec.Codec, error) {
	var c config
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	out := Codec{Level: DefaultLevel, name: name}
	if name != "zstd" {
		out.Level = NumcodecsDefaultLevel
	}
	if c.Level != nil {
		out.Level = *c.Level
	}
	if c.Checksum != nil {
		out.Checksum = *c.Checksum
	}
	if name == "zstd" && (out.Level < minLevel || out.Level > maxLevel) {
		return nil, fmt.Errorf("level is %d: must be from %d to %d", out.Level, minLevel, maxLevel)
	}
	return out, nil
}

// Name is "zstd", or what the entry was called.
func (c Codec) Name() string {
	if c.name == "" {
		return "zstd"
	}
	return c.name
}

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) {
	return codec.MarshalEntry(c.Name(), config{&c.Level, &c.Checksum})
}

// BindBytes fits the codec to what comes in.
func (c Codec) BindBytes(_ codec.Spec, in codec.Size) (codec.BytesFilter, error) {
	f := &filter{level: min(max(c.Level, minLevel), maxLevel), checksum: c.Checksum}
	if in.Known && in.N < math.MaxInt/2 {
		// Frames of other writers may be split and skippable ones added, so
		// this is roomier than the format's own bound.
		f.size = codec.AtMost(in.N + in.N/8 + 1<<16)
	}
	return f, nil
}

type filter struct {
	level    int
	checksum bool
	size     codec.Size
}

func (f *filter) Size() codec.Size { return f.size }

func (f *filter) Encode(_ *codec.Chunk, dst, src []byte) ([]byte, error) {
	return zstdenc.AppendEncode(dst, src, f.level, f.checksum), nil
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

func (f *filter) Decode(ck *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	if len(src) == 0 {
		return nil, codec.Bad("no frame in empty data")
	}
	limit = min(limit, math.MaxInt-slack)
	most, err := bound(src)
	if err != nil {
		return nil, err
	}
	if most.Exact && most.N > limit {
		return nil, ck.Over(most.N, limit)
	}
	at := len(dst)
	room := max(min(cap(dst)-at, limit+slack), min(most.N, limit))
	dst = slices.Grow(dst, room)
	out, err := decoder().DecodeAll(src, dst[:at:at+room])
	switch {
	case err == nil && len(out)-at <= limit:
		return out, nil
	case err == nil, most.N > limit: // the decoder has several errors for no room
		return nil, ck.Over(-1, limit)
	}
	return nil, codec.Bad("%v", err)
}

// bound tells how much all frames in src hold, from the headers of frames and
// blocks: exactly if every frame says it, else at most. What is malformed is left
// to the decoder.
func bound(src []byte) (codec.Size, error) {
	size := codec.Exactly(0)
	for rest := src; len(rest) > 0; {
		var h zstd.Header
		if err := h.Decode(rest); err != nil {
			break
		}
		if h.Skippable {
			rest = rest[min(uint64(len(rest)), uint64(h.HeaderSize)+uint64(h.SkippableSize)):]
			continue
		}
		if h.HasFCS && h.FrameContentSize/maxRatio > uint64(len(rest)) {
			return size, codec.Bad("frame of %d bytes claims to hold %d", len(rest), h.FrameContentSize)
		}
		n, end := blocks(rest[h.HeaderSize:])
		if h.HasFCS {
			n = int(h.FrameContentSize)
		} else {
			size.Exact = false
		}
		size.N += n
		if h.HasCheckSum {
			end = end[min(len(end), 4):]
		}
		rest = end
	}
	return size, nil
}

// blocks adds up what the blocks of a frame hold at most, and returns what
// follows them.
func blocks(b []byte) (n int, rest []byte) {
	for len(b) >= 3 {
		header := int(b[0]) | int(b[1])<<8 | int(b[2])<<16
		last, kind, size := header&1 != 0, header>>1&3, header>>3
		b = b[3:]
		switch kind {
		case 0: // as it is
			n += size
		case 1: // one byte over and over
			n, size = n+size, 1
		default:
			n += 128 << 10
		}
		b = b[min(len(b), size):]
		if last {
			return n, b
		}
	}
	return n, nil
}
