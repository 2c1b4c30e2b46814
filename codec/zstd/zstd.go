// Package zstd is the codec "zstd", also spelled "numcodecs.zstd": Zstandard
// frames.
package zstd

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/zstddec"
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
		f.follows = in.N <= small
	}
	return f, nil
}

type filter struct {
	level    int
	checksum bool
	follows  bool
	size     codec.Size
}

func (f *filter) Size() codec.Size { return f.size }

// small is the size up to which the literals of two frames are decoded together in much less time. Larger
// ones have blocks enough of their own.
const small = 256 << 10

// Traits says whether chunks are small, and that decoding can end early where frames are not meant to have checksums.
func (f *filter) Traits() codec.Traits {
	t := codec.Traits{Follows: f.follows}
	if !f.checksum {
		t.DecodeFront = f.decodeFront
	}
	return t
}

// large is the size from which several goroutines may encode a frame.
const large = 16 << 20

func (f *filter) Encode(ck *codec.Chunk, dst, src []byte) ([]byte, error) {
	if len(src) < large {
		return zstdenc.AppendEncode(dst, src, f.level, f.checksum), nil
	}
	return zstdenc.AppendEncodeParts(dst, src, f.level, f.checksum, ck.RunParts)
}

// slack is room behind the result that lets the decoder copy in large pieces
// without looking where the end is.
const slack = 128

func (f *filter) Decode(ck *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	return decode(ck, dst, src, limit, limit)
}

// decodeFront ends the decoder where the first n bytes are there, unless a frame has a
// checksum after all: who wrote it wants all of it checked.
func (f *filter) decodeFront(ck *codec.Chunk, dst, src []byte, n, limit int) ([]byte, error) {
	if zstddec.Checked(src) {
		n = limit
	}
	return decode(ck, dst, src, min(n, limit), limit)
}

// decode appends at least want of at most limit bytes that src holds.
func decode(ck *codec.Chunk, dst, src []byte, want, limit int) ([]byte, error) {
	if len(src) == 0 {
		return nil, codec.Bad("no frame in empty data")
	}
	limit = min(limit, math.MaxInt-slack)
	want = min(want, limit)
	most, exact := zstddec.Bound(src)
	if exact && most > limit {
		return nil, ck.Over(most, limit)
	}
	at := len(dst)
	room := max(min(cap(dst)-at, want+slack), min(most, want))
	dst = slices.Grow(dst, room)
	n, err := inRow(ck, dst[at:at+room], src)
	if err == zstddec.ErrRoom && want < limit {
		return dst[:at+min(n, limit)], nil
	}
	switch {
	case n > limit, err == zstddec.ErrRoom:
		return nil, ck.Over(-1, limit)
	case err != nil:
		return nil, codec.Bad("%v", err)
	}
	return dst[:at+n], nil
}

// inRow fills dst with what src holds, and begins what comes next, if anything does.
func inRow(ck *codec.Chunk, dst, src []byte) (int, error) {
	if ck == nil || ck.Row == nil {
		return zstddec.Decode(dst, src)
	}
	d, ok := ck.Row.Kept.(*zstddec.Decoder)
	if !ok {
		d = zstddec.NewDecoder()
		ck.Row.Kept = d
	}
	return d.Decode(dst, src, ck.Row.Next)
}
