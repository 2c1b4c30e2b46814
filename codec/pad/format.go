package pad

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// Format is a kind of file that padding in front makes of every chunk.
//
// Codecs gives the codecs list to create an array with, and Func writes it. The
// padding that metadata holds is a header as well: it says which kind of file
// the chunks are, so that Func needs nothing else, also when an array is opened
// again to be written to. Func leaves alone all padding that is not such a
// header.
type Format struct {
	Name string
	Func Func
	// Keys are the chunk keys under which programs for such files look for chunks,
	// nil if they do not mind.
	Keys json.RawMessage

	plan func(*plan) error
}

// ErrType says that a format has no such data type.
var ErrType = errors.New("no such data type")

// formats are those that ByName knows.
var formats = map[string]func() Format{
	"tiff": func() Format { return TIFF(TIFFOptions{}) },
	"n5":   N5,
}

// ByName gives a format in its default form: "tiff" or "n5".
func ByName(name string) (Format, error) {
	f, ok := formats[name]
	if !ok {
		return Format{}, fmt.Errorf("no padding is called %q, only %s", name, strings.Join(Names(), ", "))
	}
	return f(), nil
}

// Names lists what ByName knows.
func Names() []string { return slices.Sorted(maps.Keys(formats)) }

// Register makes r write padding of the format; see Parser.
func (f Format) Register(r *codec.Registry) { r.Register(Parser(f.Func), "pad", offsetName) }

// Codecs returns a codecs list with the padding at its end, for chunks of a type
// and shape. In shards it is the inner chunks that are padded. Chunks of other
// shapes, of a grid that is not regular, must not be larger.
//
// What the format demands of the codecs in front is checked, and changed where it
// is only a matter of order; see TIFF and N5.
func (f Format) Codecs(r *codec.Registry, codecs json.RawMessage, t dtype.Type, chunk []int) (json.RawMessage, error) {
	out, err := f.codecs(r, codecs, codec.Spec{Type: t, Shape: chunk, Fill: make([]byte, t.Size())})
	if err != nil {
		return nil, fmt.Errorf("padding %s: %w", f.Name, err)
	}
	return out, nil
}

func (f Format) codecs(r *codec.Registry, codecs json.RawMessage, in codec.Spec) (json.RawMessage, error) {
	p := &plan{registry: r, array: in}
	if err := p.parse(codecs); err != nil {
		return nil, err
	}
	if s := &p.entries[p.at]; s.Name == "sharding_indexed" {
		return f.inside(r, p)
	}
	if err := f.plan(p); err != nil {
		return nil, err
	}
	text, err := Codec{Location: Start, NBytes: len(p.header), Literal: p.header}.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var last entry
	if err := strictjson.Unmarshal(text, &last); err != nil {
		return nil, err
	}
	return json.Marshal(append(p.entries, last))
}

// inside puts the padding into the codecs of a shard's inner chunks.
func (f Format) inside(r *codec.Registry, p *plan) (json.RawMessage, error) {
	var config map[string]json.RawMessage
	if err := strictjson.Unmarshal(p.entries[p.at].Configuration, &config); err != nil {
		return nil, err
	}
	inner := p.bytes
	if err := strictjson.Unmarshal(config["chunk_shape"], &inner.Shape); err != nil {
		return nil, err
	}
	var err error
	if config["codecs"], err = f.codecs(r, config["codecs"], inner); err != nil {
		return nil, err
	}
	if p.entries[p.at].Configuration, err = json.Marshal(config); err != nil {
		return nil, err
	}
	return json.Marshal(p.entries)
}

// entry is a codec as metadata spells it.
type entry struct {
	Name          string          `json:"name"`
	Configuration json.RawMessage `json:"configuration,omitempty"`
}

// plan is a codecs list whose chunks get a header.
type plan struct {
	registry *codec.Registry
	array    codec.Spec // what goes into the list
	entries  []entry    // with explicit configurations
	at       int        // which of them turns the array into bytes
	bytes    codec.Spec // what it turns into bytes
	size     codec.Size // of what comes out of the list

	header []byte // what the format makes
}

// parse reads a codecs list and finds out what flows through it.
func (p *plan) parse(codecs json.RawMessage) error {
	chain, err := p.registry.ParseList(codecs)
	if err != nil {
		return err
	}
	bound, err := chain.Bind(p.array)
	if err != nil {
		return err
	}
	text, err := chain.MarshalJSON()
	if err != nil {
		return err
	}
	p.entries, p.bytes, p.size = nil, p.array, bound.Size()
	if err := strictjson.Unmarshal(text, &p.entries); err != nil {
		return err
	}
	for i, c := range chain.Codecs() {
		k, ok := c.(codec.ArrayToArray)
		if !ok {
			p.at = i
			return nil
		}
		f, err := k.BindArray(p.bytes)
		if err != nil {
			return err
		}
		p.bytes = f.Out()
	}
	return errors.New("no codec turns arrays into bytes")
}

// endian is the byte order of the codec "bytes", "" where elements are bytes.
func (p *plan) endian() (string, error) {
	s := p.entries[p.at]
	if s.Name != "bytes" {
		return "", fmt.Errorf("codec %s does not write the elements as they are, as bytes does", s.Name)
	}
	if s.Configuration == nil {
		return "", nil
	}
	var config struct {
		Endian string `json:"endian"`
	}
	err := strictjson.Unmarshal(s.Configuration, &config)
	return config.Endian, err
}

// compressor is the only codec behind "bytes", "" if there is none.
func (p *plan) compressor() (string, error) {
	switch behind := p.entries[p.at+1:]; len(behind) {
	case 0:
		return "", nil
	case 1:
		return behind[0].Name, nil
	default:
		return "", fmt.Errorf("codecs %s and %s follow each other: there can be one at most", behind[0].Name, behind[1].Name)
	}
}
