// Package checksum is the codecs that put a checksum of four bytes before or
// behind the data: "crc32c", and of numcodecs "crc32", "crc32c", "adler32",
// "fletcher32" and "jenkins_lookup3".
package checksum

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/adler32"
	"hash/crc32"
	"math"
	"strings"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// length is that of every checksum.
const length = 4

// Kind is a way to compute a checksum.
type Kind uint8

// The kinds.
const (
	CRC32C Kind = iota
	CRC32
	Adler32
	Fletcher32     // as HDF5 computes it
	JenkinsLookup3 // as HDF5 computes it
)

var kinds = map[string]Kind{
	"crc32c": CRC32C, "crc32": CRC32, "adler32": Adler32, "fletcher32": Fletcher32, "jenkins_lookup3": JenkinsLookup3,
}

// String is the name of the kind, as numcodecs calls it.
func (k Kind) String() string {
	for name, other := range kinds {
		if other == k {
			return name
		}
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Codec is a parsed entry.
type Codec struct {
	Kind Kind
	// Start says that the checksum stands before the data rather than behind.
	Start bool
	// Seed goes into JenkinsLookup3.
	Seed uint32

	name  string
	given bool // the configuration told the place
}

// place is the configuration of those kinds that may stand at either end.
type place struct {
	Location *string `json:"location,omitempty"`
}

// lookup3 is the configuration of JenkinsLookup3. numcodecs can hash a prefix
// before the data, but has no way to write one as JSON.
type lookup3 struct {
	Initval uint32          `json:"initval"`
	Prefix  json.RawMessage `json:"prefix"`
}

const numcodecs = "numcodecs."

// Parse reads the configuration. What it leaves out is as numcodecs has it: CRC32
// and Adler32 stand before the data, the others behind.
func Parse(_ *codec.Registry, name string, raw json.RawMessage) (codec.Codec, error) {
	kind, ok := kinds[strings.TrimPrefix(name, numcodecs)]
	if !ok {
		return nil, fmt.Errorf("no such checksum")
	}
	out := Codec{Kind: kind, name: name, Start: kind.atStart()}
	switch {
	case name == "crc32c" || kind == Fletcher32:
		return out, codec.ParseConfig(raw, &struct{}{})
	case kind == JenkinsLookup3:
		var c lookup3
		if err := codec.ParseConfig(raw, &c); err != nil {
			return nil, err
		}
		if c.Prefix != nil && !strictjson.IsNull(c.Prefix) {
			return nil, fmt.Errorf("prefix must be null: there is no way to write bytes here")
		}
		out.Seed = c.Initval
		return out, nil
	}
	var c place
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	if c.Location != nil {
		out.Start, out.given = *c.Location == "start", true
		if !out.Start && *c.Location != "end" {
			return nil, fmt.Errorf("location is %s: must be start or end", strictjson.Quote(*c.Location))
		}
	}
	return out, nil
}

// atStart says where the checksum is if nothing says it.
func (k Kind) atStart() bool { return k == CRC32 || k == Adler32 }

// Name is what the entry was called, else the name of the kind.
func (c Codec) Name() string {
	switch {
	case c.name != "":
		return c.name
	case c.Kind == CRC32C && !c.Start:
		return "crc32c"
	default:
		return numcodecs + c.Kind.String()
	}
}

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) {
	switch {
	case c.Name() == "crc32c":
		return codec.MarshalEntry(c.Name(), nil)
	case c.Kind == JenkinsLookup3:
		return codec.MarshalEntry(c.Name(), lookup3{Initval: c.Seed, Prefix: json.RawMessage("null")})
	}
	// Like numcodecs, this writes only a place that was asked for: versions of
	// it that know no other place do not know the member.
	var p place
	if c.given || c.Start != c.Kind.atStart() {
		location := "end"
		if c.Start {
			location = "start"
		}
		p.Location = &location
	}
	return codec.MarshalEntry(c.Name(), p)
}

// BindBytes fits the codec to what comes in.
func (c Codec) BindBytes(_ codec.Spec, in codec.Size) (codec.BytesFilter, error) {
	if in.Known && in.N > math.MaxInt-length {
		in = codec.Size{}
	}
	in.N += length
	return filter{c, in}, nil
}

type filter struct {
	codec Codec
	size  codec.Size
}

func (f filter) Size() codec.Size { return f.size }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (f filter) sum(data []byte) uint32 {
	switch f.codec.Kind {
	case CRC32:
		return crc32.ChecksumIEEE(data)
	case Adler32:
		return adler32.Checksum(data)
	case Fletcher32:
		return fletcher(data)
	case JenkinsLookup3:
		return jenkins(data, f.codec.Seed)
	default:
		return crc32.Checksum(data, castagnoli)
	}
}

func (f filter) Encode(_ *codec.Chunk, dst, src []byte) ([]byte, error) {
	sum := f.sum(src)
	if f.codec.Start {
		return append(binary.LittleEndian.AppendUint32(dst, sum), src...), nil
	}
	return binary.LittleEndian.AppendUint32(append(dst, src...), sum), nil
}

// Slice checks the sum and cuts it off.
func (f filter) Slice(_ *codec.Chunk, src []byte) ([]byte, error) {
	n := len(src) - length
	if n < 0 {
		return nil, codec.Bad("%d bytes are too few for a checksum", len(src))
	}
	data, sum := src[:n:n], src[n:]
	if f.codec.Start {
		data, sum = src[length:], src[:length]
	}
	if want, got := binary.LittleEndian.Uint32(sum), f.sum(data); want != got {
		return nil, codec.Bad("checksum is %08x, the data has %08x", want, got)
	}
	return data, nil
}

func (f filter) Decode(ck *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	src, err := f.Slice(ck, src)
	if err != nil {
		return nil, err
	}
	if len(src) > limit {
		return nil, ck.Over(len(src), limit)
	}
	return append(dst, src...), nil
}
