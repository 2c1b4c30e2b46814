package n5

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// parseCompression reads the member "compression" of a dataset as the codec behind the
// header of a block, nil if there is none. size is that of an element. A type that
// is not known becomes a codec that nobody has, so that the dataset opens and
// reading it names the type.
func parseCompression(raw json.RawMessage, size int) (*meta.Extension, error) {
	members, err := strictjson.Split(raw)
	if err != nil {
		return nil, err
	}
	p := parameters{members, size}
	kind, err := strictjson.String(p.get("type"))
	if err != nil {
		return nil, strictjson.At("type", err)
	}
	if p.get("id") != nil && kind == "lz4" {
		kind = "" // zarr-python 2 calls numcodecs' lz4 so, whose bytes are others
	}
	if kind == "raw" {
		return nil, nil
	}
	parse, ok := parsers[kind]
	if !ok {
		return p.foreign()
	}
	return parse(p)
}

// parameters are the members of a compression.
type parameters struct {
	members []strictjson.Member
	size    int // of an element
}

func (p parameters) get(name string) json.RawMessage {
	for _, m := range p.members {
		if m.Name == name {
			return m.Raw
		}
	}
	return nil
}

// without are the members but some.
func (p parameters) without(names ...string) []strictjson.Member {
	return slices.DeleteFunc(slices.Clone(p.members), func(m strictjson.Member) bool { return slices.Contains(names, m.Name) })
}

// number is a member that is one, or what it is if it is absent.
func (p parameters) number(name string, absent, low, high int64) (int64, error) {
	raw := p.get(name)
	if raw == nil {
		return absent, nil
	}
	n, err := strictjson.Int(raw)
	if err == nil && (n < low || n > high) {
		err = fmt.Errorf("%d, must be %d to %d", n, low, high)
	}
	return n, strictjson.At(name, err)
}

func (p parameters) flag(name string) (bool, error) {
	raw := p.get(name)
	if raw == nil {
		return false, nil
	}
	b, err := strictjson.Bool(raw)
	return b, strictjson.At(name, err)
}

// parsers make the codecs of the compressions that N5 and its extensions have.
// What members are if they are absent, Java's N5 says.
var parsers = map[string]func(parameters) (*meta.Extension, error){
	"gzip": func(p parameters) (*meta.Extension, error) {
		level, err := p.number("level", -1, -1, 9)
		if err != nil {
			return nil, err
		}
		if level < 0 {
			level = 6 // what the default of zlib is
		}
		name := "gzip"
		if zlib, err := p.flag("useZlib"); err != nil {
			return nil, err
		} else if zlib {
			name = "numcodecs.zlib"
		}
		return extension(name, `{"level":%d}`, level), nil
	},
	"bzip2": func(p parameters) (*meta.Extension, error) {
		size, err := p.number("blockSize", 9, 1, 9)
		return extension("numcodecs.bz2", `{"level":%d}`, size), err
	},
	"xz": func(p parameters) (*meta.Extension, error) {
		preset, err := p.number("preset", 6, 0, 9)
		return extension("numcodecs.lzma", `{"format":1,"check":-1,"preset":%d,"filters":null}`, preset), err
	},
	"lz4": func(p parameters) (*meta.Extension, error) {
		size, err := p.number("blockSize", 1<<16, 64, 32<<20)
		return extension("omnizarr.lz4_block", `{"block_size":%d}`, size), err
	},
	"zstd": func(p parameters) (*meta.Extension, error) {
		level, err := p.number("level", 3, -131072, 22)
		return extension("zstd", `{"level":%d,"checksum":false}`, level), err
	},
	"blosc": parseBlosc,
	// As zarr-python 2 writes what xz has no parameters for.
	"lzma": func(p parameters) (*meta.Extension, error) {
		return &meta.Extension{Name: "numcodecs.lzma", Configuration: object(p.without("type"))}, nil
	},
	"jpeg": func(p parameters) (*meta.Extension, error) {
		config := p.without("type")
		for i := range config {
			if config[i].Name == "dataType" {
				config[i].Name = "data_type"
			}
		}
		return &meta.Extension{Name: "omnizarr.n5_jpeg", Configuration: object(config)}, nil
	},
}

// bloscNames are the compressors inside Blosc.
var bloscNames = []string{"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"}

// shuffles are the names of Blosc's numbers from 0 on.
var shuffles = []string{"noshuffle", "shuffle", "bitshuffle"}

func parseBlosc(p parameters) (*meta.Extension, error) {
	cname := "blosclz"
	if raw := p.get("cname"); raw != nil {
		var err error
		if cname, err = strictjson.String(raw); err != nil {
			return nil, strictjson.At("cname", err)
		}
	}
	if !slices.Contains(bloscNames, cname) && isWord(cname) {
		return &meta.Extension{Name: unknownPrefix + "blosc." + cname}, nil
	}
	level, err := p.number("clevel", 6, 0, 9)
	if err != nil {
		return nil, err
	}
	shuffle, err := p.number("shuffle", 0, -1, 2)
	if err != nil {
		return nil, err
	}
	size, err := p.number("typesize", int64(p.size), 1, 255)
	if err != nil {
		return nil, err
	}
	if shuffle < 0 { // Blosc chooses
		shuffle = 1
		if size == 1 {
			shuffle = 2
		}
	}
	block, err := p.number("blocksize", 0, 0, 1<<31-1)
	if err != nil {
		return nil, err
	}
	return extension("blosc", `{"cname":%s,"clevel":%d,"shuffle":"%s","typesize":%d,"blocksize":%d}`,
		strictjson.AppendString(nil, cname), level, shuffles[shuffle], size, block), nil
}

// foreign is a compression that N5 does not have. zarr-python 2 writes any codec
// of numcodecs so, and leaves its "id".
func (p parameters) foreign() (*meta.Extension, error) {
	prefix, name := unknownPrefix, p.get("type")
	if id := p.get("id"); id != nil {
		prefix, name = "numcodecs.", id
	}
	kind, err := strictjson.String(name)
	if err != nil {
		return nil, strictjson.At("id", err)
	}
	if !isWord(kind) {
		return nil, strictjson.At("type", fmt.Errorf("%s is no name of a compression", strictjson.Quote(kind)))
	}
	return &meta.Extension{Name: prefix + kind, Configuration: object(p.without("type", "id"))}, nil
}

// isWord reports whether a name can be part of that of a codec.
func isWord(name string) bool {
	odd := func(c rune) bool { return c <= ' ' || c > '~' || c == '/' }
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, odd)
}

// unknownPrefix is that of codecs for compressions that are not known.
const unknownPrefix = "n5.compression."

func extension(name, format string, values ...any) *meta.Extension {
	return &meta.Extension{Name: name, Configuration: fmt.Appendf(nil, format, values...)}
}

func object(members []strictjson.Member) json.RawMessage {
	dst := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(strictjson.AppendString(dst, m.Name), ':'), m.Raw...)
	}
	return append(dst, '}')
}

// marshalCompression gives the member "compression" for a codec, nil for none, as
// Java's N5 spells it, but without what tensorstore refuses.
func marshalCompression(x *meta.Extension) (json.RawMessage, error) {
	if x == nil {
		return json.RawMessage(`{"type":"raw"}`), nil
	}
	var c struct {
		Level     *int             `json:"level"`
		Format    *int             `json:"format"`
		Preset    *int             `json:"preset"`
		Filters   json.RawMessage  `json:"filters"`
		BlockSize *int             `json:"block_size"`
		CName     string           `json:"cname"`
		CLevel    *int             `json:"clevel"`
		Shuffle   *json.RawMessage `json:"shuffle"`
		Blosc     int              `json:"blocksize"`
	}
	if x.Configuration != nil {
		if err := strictjson.Unmarshal(x.Configuration, &c); err != nil {
			return nil, fmt.Errorf("codec %s: %w", x.Name, err)
		}
	}
	or := func(p *int, absent int) int {
		if p == nil {
			return absent
		}
		return *p
	}
	switch name := strings.TrimPrefix(x.Name, "numcodecs."); name {
	case "gzip", "zlib":
		return fmt.Appendf(nil, `{"type":"gzip","useZlib":%t,"level":%d}`, name == "zlib", or(c.Level, 6)), nil
	case "bz2":
		return fmt.Appendf(nil, `{"type":"bzip2","blockSize":%d}`, or(c.Level, 9)), nil
	case "lzma":
		if or(c.Format, 1) != 1 || c.Filters != nil && !strictjson.IsNull(c.Filters) {
			return nil, errors.New("codec lzma: N5 has the format xz only, and no filters")
		}
		return fmt.Appendf(nil, `{"type":"xz","preset":%d}`, or(c.Preset, 6)), nil
	case "zstd": // whose frames say themselves whether they have a checksum
		return fmt.Appendf(nil, `{"type":"zstd","level":%d}`, or(c.Level, 3)), nil
	case "blosc":
		return marshalBlosc(c.CName, or(c.CLevel, 5), c.Shuffle, c.Blosc)
	case "omnizarr.lz4_block":
		return fmt.Appendf(nil, `{"type":"lz4","blockSize":%d}`, or(c.BlockSize, 1<<16)), nil
	}
	return nil, fmt.Errorf("N5 has no compression for the codec %s, only for gzip, zlib, bz2, lzma, zstd, blosc and omnizarr.lz4_block", x.Name)
}

func marshalBlosc(cname string, level int, shuffle *json.RawMessage, block int) (json.RawMessage, error) {
	if cname == "" {
		cname = "lz4"
	}
	number := 1
	if shuffle != nil {
		name, err := strictjson.String(*shuffle)
		if number = slices.Index(shuffles, name); err != nil || number < 0 {
			return nil, fmt.Errorf("codec blosc: N5 has no shuffle %s", strictjson.Excerpt(*shuffle))
		}
	}
	return fmt.Appendf(nil, `{"type":"blosc","cname":%s,"clevel":%d,"shuffle":%d,"blocksize":%d}`,
		strictjson.AppendString(nil, cname), level, number, block), nil
}
