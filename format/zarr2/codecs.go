package zarr2

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/codec/endian"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/numeric"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// filter is one entry of filters, or the compressor.
type filter struct {
	id     string
	config []strictjson.Member // without the id
}

// kind is what a numcodecs id takes and gives.
type kind uint8

const (
	bytesToBytes kind = iota // also what is not known
	arrayToArray
	objectToBytes
	arrayToBytes
)

// kinds of the ids that are not bytes to bytes.
var kinds = map[string]kind{
	"delta": arrayToArray, "fixedscaleoffset": arrayToArray, "quantize": arrayToArray, "bitround": arrayToArray,
	"astype": arrayToArray, "packbits": arrayToArray, "categorize": arrayToArray,
	"vlen-utf8": objectToBytes, "vlen-bytes": objectToBytes, "vlen-array": objectToBytes, "json2": objectToBytes,
	"msgpack2": objectToBytes, "pickle": objectToBytes,
	"pcodec": arrayToBytes, "zfpy": arrayToBytes, "n5_wrapper": arrayToBytes,
}

// prefix is put before the id of a numcodecs codec to make its name in Zarr v3.
const prefix = "numcodecs."

// parseCodecs reads filters and compressor in the order in which they encode.
func parseCodecs(filters, compressor json.RawMessage) ([]filter, error) {
	var list []filter
	if !strictjson.IsNull(filters) {
		err := strictjson.Each(filters, func(_ int, raw json.RawMessage) error {
			f, err := parseFilter(raw)
			list = append(list, f)
			return err
		})
		if err != nil {
			return nil, strictjson.At("filters", err)
		}
	}
	if !strictjson.IsNull(compressor) {
		f, err := parseFilter(compressor)
		if err != nil {
			return nil, strictjson.At("compressor", err)
		}
		list = append(list, f)
	}
	return list, nil
}

func parseFilter(raw json.RawMessage) (filter, error) {
	members, err := strictjson.Split(raw)
	if err != nil {
		return filter{}, err
	}
	var f filter
	for _, m := range members {
		if m.Name != "id" {
			m.Raw = unquoted(m.Raw)
			f.config = append(f.config, m)
			continue
		}
		if f.id, err = strictjson.String(m.Raw); err != nil {
			return f, strictjson.At("id", err)
		}
	}
	if f.id == "" {
		return f, errors.New(`missing member "id"`)
	}
	return f, nil
}

// unquoted takes a number out of its quotes, where NCZarr puts levels.
func unquoted(raw json.RawMessage) json.RawMessage {
	if text, err := strictjson.String(raw); err == nil {
		// JSON has no zeros in front, and no plus.
		if n, err := strconv.Atoi(text); err == nil && strconv.Itoa(n) == text {
			return json.RawMessage(text)
		}
	}
	return raw
}

// get is a member of the configuration, nil if it is absent or null.
func (f filter) get(name string) json.RawMessage {
	for _, m := range f.config {
		if m.Name == name && !strictjson.IsNull(m.Raw) {
			return m.Raw
		}
	}
	return nil
}

// only reports whether the configuration has no members but these.
func (f filter) only(names ...string) bool {
	return !slices.ContainsFunc(f.config, func(m strictjson.Member) bool { return !slices.Contains(names, m.Name) })
}

// object reports whether the filter says how objects are stored.
func (f filter) object() bool { return kinds[f.id] == objectToBytes }

// objects is the type of an object array that the filter encodes.
func (f filter) objects() (dtype.Type, error) {
	switch f.id {
	case "vlen-utf8", "categorize":
		return dtype.Lookup("string")
	case "vlen-bytes":
		return dtype.Lookup("variable_length_bytes")
	case "json2", "msgpack2", "pickle":
		return dtype.Lookup("omnizarr.json")
	case "vlen-array":
		elem, _, err := dtype.ParseNumpy(numeric.Spelling(f.get("dtype")))
		if err != nil {
			return nil, fmt.Errorf("filter vlen-array: %w", err)
		}
		spelling, err := elem.MarshalJSON()
		if err != nil {
			return nil, err
		}
		return dtype.Lookup(`{"name":"omnizarr.list","configuration":{"data_type":` + string(spelling) + `}}`)
	}
	return nil, fmt.Errorf("object array, but filter %s does not say how objects are stored", strictjson.Quote(f.id))
}

// input is the type that an array-to-array filter takes, nil if it does not say.
func (f filter) input() json.RawMessage {
	if f.id == "astype" {
		return f.typed("decode_dtype")
	}
	return f.typed("dtype")
}

// output is the type that an array-to-array filter gives, nil if it stays what it
// is.
func (f filter) output() json.RawMessage {
	switch f.id {
	case "astype":
		return f.typed("encode_dtype")
	case "packbits":
		return json.RawMessage(`"|u1"`)
	}
	if t := f.typed("astype"); t != nil {
		return t
	}
	return f.typed("dtype")
}

// typed is a member that names a type, with its byte order: people leave it out.
func (f filter) typed(name string) json.RawMessage {
	if raw := f.get(name); raw != nil {
		return numeric.Spelling(raw)
	}
	return nil
}

// chain gives the codecs list of Zarr v3.
func (e element) chain(list []filter, fortran bool, rank int) ([]meta.Extension, error) {
	var out []meta.Extension
	if fortran && rank > 1 {
		order := make([]int, rank)
		for i := range order {
			order[i] = rank - 1 - i
		}
		config := append(strictjson.AppendInts([]byte(`{"order":`), order), '}')
		out = append(out, meta.Extension{Name: "transpose", Configuration: config})
	}
	serialized := false
	size := 1 // of an element, as Blosc sees it: of bytes it is 1
	for _, f := range list {
		k := kinds[f.id]
		if serialized {
			k = bytesToBytes
		}
		switch k {
		case arrayToArray:
			if err := e.pass(f); err != nil {
				return nil, strictjson.At("filters", err)
			}
		case objectToBytes, arrayToBytes:
			serialized = true
		default:
			if !serialized {
				out = append(out, e.bytes())
				size = e.typ.Size()
			}
			serialized = true
		}
		x, err := f.extension(size)
		if err != nil {
			return nil, err
		}
		out, size = append(out, x), 1
	}
	if !serialized {
		out = append(out, e.bytes())
	}
	return out, nil
}

// pass makes e what comes out of an array-to-array filter. A filter takes the
// bytes that come for what its own type says: in another byte order they would
// be other numbers.
func (e *element) pass(f filter) error {
	if in := f.input(); in != nil && string(in) != objectCode {
		t, big, err := dtype.ParseNumpyUnits(in)
		if err != nil {
			return fmt.Errorf("filter %s: %w", f.id, err)
		}
		if len(wide(t)) > 0 && len(wide(e.typ)) > 0 && (len(big) == 0) != (len(e.big) == 0) {
			return fmt.Errorf("filter %s takes %s, which is not the byte order of what comes in", f.id, in)
		}
	}
	raw := f.output()
	if raw == nil {
		return nil
	}
	t, big, err := dtype.ParseNumpyUnits(raw)
	if err != nil {
		return fmt.Errorf("filter %s: %w", f.id, err)
	}
	*e = element{t, big, raw}
	return nil
}

// bytes is the codec that writes elements down in their byte order.
func (e element) bytes() meta.Extension {
	switch n := len(wide(e.typ)); {
	case n == 0:
		return meta.Extension{Name: "bytes"}
	case len(e.big) == 0:
		return meta.Extension{Name: "bytes", Configuration: json.RawMessage(`{"endian":"little"}`)}
	case len(e.big) == n:
		return meta.Extension{Name: "bytes", Configuration: json.RawMessage(`{"endian":"big"}`)}
	}
	return meta.Extension{Name: endian.NumpyName, Configuration: json.RawMessage(`{"dtype":` + string(e.spec) + `}`)}
}

// wide are the scalars that have a byte order.
func wide(t dtype.Type) []dtype.Unit {
	return slices.DeleteFunc(slices.Clone(t.Units()), func(u dtype.Unit) bool { return u.Width == 1 })
}

// extension spells the filter in Zarr v3: by the name that all readers know
// where there is one for the same bytes, else by that of numcodecs. size is
// that of an element.
func (f filter) extension(size int) (meta.Extension, error) {
	switch {
	case f.id == "gzip" && f.only("level") && string(orElse(f.get("level"), "0"))[0] != '-', f.id == "vlen-utf8" && f.only(), f.id == "vlen-bytes" && f.only():
		return f.named(f.id), nil
	case f.id == "zstd" && f.only("level", "checksum") && f.get("level") != nil:
		config := `{"level":` + string(f.get("level")) + `,"checksum":` + string(orElse(f.get("checksum"), "false")) + `}`
		return meta.Extension{Name: "zstd", Configuration: json.RawMessage(config)}, nil
	case f.id == "crc32c" && f.only("location") && string(orElse(f.get("location"), `"end"`)) == `"end"`:
		return meta.Extension{Name: "crc32c"}, nil
	case f.id == "blosc" && f.only("cname", "clevel", "shuffle", "blocksize", "typesize"):
		return f.blosc(size)
	}
	if len(f.config) == 0 { // zarr-python opens none of these without a configuration
		return meta.Extension{Name: prefix + f.id, Configuration: json.RawMessage("{}")}, nil
	}
	return f.named(prefix + f.id), nil
}

// named gives the filter's configuration as it is under a name. zarr-python
// wants one for the codecs of numcodecs, if only an empty one.
func (f filter) named(name string) meta.Extension {
	config := f.configuration()
	if config == nil && strings.HasPrefix(name, prefix) {
		config = json.RawMessage("{}")
	}
	return meta.Extension{Name: name, Configuration: config}
}

// configuration is nil where the filter has none.
func (f filter) configuration() json.RawMessage {
	if len(f.config) == 0 {
		return nil
	}
	return appendObject(nil, f.config)
}

// bloscShuffles are the names of numcodecs' numbers from 0 on.
var bloscShuffles = []string{"noshuffle", "shuffle", "bitshuffle"}

// blosc spells out what numcodecs derives from the array.
func (f filter) blosc(size int) (meta.Extension, error) {
	shuffle, err := strictjson.Int(orElse(f.get("shuffle"), "1"))
	if err == nil && shuffle == -1 { // automatic
		shuffle = 1
		if size == 1 {
			shuffle = 2
		}
	}
	if err == nil && (shuffle < 0 || int(shuffle) >= len(bloscShuffles)) {
		err = fmt.Errorf("%d, must be from -1 to 2", shuffle)
	}
	if err != nil {
		return meta.Extension{}, strictjson.At("compressor.shuffle", err)
	}
	if size > 255 {
		size = 1
	}
	config := fmt.Appendf(nil, `{"cname":%s,"clevel":%s,"shuffle":%q,"typesize":%d,"blocksize":%s}`,
		orElse(f.get("cname"), `"lz4"`), orElse(f.get("clevel"), "5"), bloscShuffles[shuffle], size, orElse(f.get("blocksize"), "0"))
	return meta.Extension{Name: "blosc", Configuration: config}, nil
}

func orElse(raw json.RawMessage, or string) json.RawMessage {
	if raw == nil {
		return json.RawMessage(or)
	}
	return raw
}

// appendObject spells members.
func appendObject(dst []byte, members []strictjson.Member) []byte {
	dst = append(dst, '{')
	for i, m := range members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(strictjson.AppendString(dst, m.Name), ':')
		dst = append(dst, m.Raw...)
	}
	return append(dst, '}')
}

// compressors are the ids that make bytes fewer: what readers of Zarr v2 expect
// as the compressor, behind all filters.
var compressors = []string{"blosc", "zstd", "gzip", "zlib", "bz2", "lzma", "lz4", "pcodec", "zfpy"}
