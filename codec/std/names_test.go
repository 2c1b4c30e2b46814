package std_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/blosc2"
	"github.com/omnizarr/zarr/codec/n5"
	"github.com/omnizarr/zarr/codec/nbit"
	"github.com/omnizarr/zarr/codec/scaleoffset"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/codec/szip"
	"github.com/omnizarr/zarr/codec/tifftile"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

const (
	littleEndian = `{"name":"bytes","configuration":{"endian":"little"}}`
	plainVlen    = `{"data_codecs":["bytes"],"index_codecs":[` + littleEndian + `],"index_data_type":"uint32"}`
	lists        = `{"name":"omnizarr.list","configuration":{"data_type":"int16"}}`
	pairs        = `{"name":"struct","configuration":{"fields":[["a","int16"],["b","int16"]]}}`
	maybe        = `{"name":"zarrs.optional","configuration":{"name":"uint8","configuration":{}}}`
)

// use is how a name is used: its configuration, and four elements of a type that
// come back as they were. List is the codecs list, with % for the entry.
type use struct{ list, config, typ, values string }

// names are the codecs that are not used as "bytes to bytes" of uint8, without
// any configuration.
var names = map[string]use{
	"bytes":            {`[%]`, `{"endian":"big"}`, "int32", `[1,-2,3,70000]`},
	"endian":           {`[%]`, `{"endian":"big"}`, "int32", `[1,-2,3,70000]`},
	"omnizarr.numpy":   {`[%]`, `{"dtype":[["a","<i2"],["b",">i2"]]}`, pairs, `[{"a":1,"b":2},{"a":-1,"b":0},{"a":300,"b":-300},{"a":0,"b":0}]`},
	"sharding_indexed": {`[%]`, `{"chunk_shape":[1,2],"codecs":["bytes"],"index_codecs":[` + littleEndian + `]}`, "uint8", `[1,0,3,4]`},
	"packbits":         {`[%]`, ``, "int4", `[-8,7,0,1]`},
	tifftile.Name:      {`[%]`, `{"bits_per_sample":16,"compression":5,"predictor":2,"tile_width":2,"tile_height":2}`, "uint16", `[1,2,3,40000]`},
	"n5_default":       {`[%]`, `{"codecs":[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"bytes","configuration":{"endian":"big"}},"gzip"]}`, "int16", `[1,-2,3,300]`},
	"zarrs.optional":   {`[%]`, `{"mask_codecs":["packbits"],"data_codecs":["bytes"]}`, maybe, `[null,[1],[0],null]`},

	"pad":    {`["bytes",%]`, `{"location":"start","nbytes":3}`, "uint8", `[1,2,3,4]`},
	"offset": {`["bytes",%]`, `{"offset":3}`, "uint8", `[1,2,3,4]`},

	"conditional":    {`["bytes",%]`, `{"codecs":["zstd"]}`, "uint8", `[1,2,3,4]`},
	"zarrs.gdeflate": {`["bytes",%]`, `{"level":6}`, "uint8", `[1,2,3,4]`}, "https://codec.zarrs.dev/bytes_to_bytes/gdeflate": {`["bytes",%]`, `{"level":6}`, "uint8", `[1,2,3,4]`},

	"vlen-utf8": {`[%]`, ``, "string", `["","a","ß☃","zz"]`}, "numcodecs.vlen-utf8": {`[%]`, ``, "string", `["","a","ß☃","zz"]`},
	"vlen-bytes": {`[%]`, ``, "bytes", `["","AAEC","AA==","/w=="]`}, "numcodecs.vlen-bytes": {`[%]`, ``, "bytes", `["","AAEC","AA==","/w=="]`},
	"vlen-array": {`[%]`, `{"dtype":"<i2"}`, lists, `[[],[1],[-2,3],[4,5,6]]`}, "numcodecs.vlen-array": {`[%]`, `{"dtype":">i2"}`, lists, `[[],[1],[-2,3],[4,5,6]]`},
	"omnizarr.n5_strings": {`[%]`, `{"codecs":["zstd"]}`, "string", `["","a","ß☃","zz"]`},
	"zarrs.vlen":          {`[%]`, plainVlen, "string", `["","a","ß☃","zz"]`}, "https://codec.zarrs.dev/array_to_bytes/vlen": {`[%]`, plainVlen, "bytes", `["","AAEC","AA==","/w=="]`},
	"zarrs.vlen_v2": {`[%]`, ``, "string", `["","a","ß☃","zz"]`}, "https://codec.zarrs.dev/array_to_bytes/vlen_v2": {`[%]`, ``, "bytes", `["","AAEC","AA==","/w=="]`},
	"numcodecs.json2": {`[%]`, ``, "omnizarr.json", `[null,{"a":[1,"x"]},2,"y"]`}, "numcodecs.msgpack2": {`[%]`, ``, "omnizarr.json", `[null,{"a":[1,"x"]},2,"y"]`},
	"numcodecs.pickle": {`[%]`, ``, "omnizarr.json", `[null,{"a":[1,"x"]},2,"y"]`},

	"numcodecs.pcodec": {`[%]`, ``, "float32", `[1.5,-2,3,1e30]`}, "pcodec": {`[%]`, `{"level":8}`, "int64", `[1,-2,3,9007199254740993]`},
	"https://codec.zarrs.dev/array_to_bytes/pcodec": {`[%]`, `{"level":8,"delta_encoding_order":null,"int_mult_spec":false,"float_mult_spec":false,"max_page_n":1024}`, "uint16", `[1,2,3,65535]`},
	"zfp": {`[%]`, `{"mode":"reversible"}`, "float64", `[1.5,-2,3,1e300]`}, "zarrs.zfp": {`[%]`, `{"mode":"reversible","write_header":true}`, "int32", `[1,-2,3,70000]`},
	"https://codec.zarrs.dev/array_to_bytes/zfp": {`[%]`, `{"mode":"reversible"}`, "float32", `[1.5,-2,3,1e30]`},
	"numcodecs.zfpy": {`[%]`, `{"mode":5}`, "float32", `[1.5,-2,3,1e30]`}, "https://codec.zarrs.dev/array_to_bytes/zfpy": {`[%]`, `{"mode":5}`, "float64", `[1.5,-2,3,1e300]`},

	"transpose":                  {`[%,"bytes"]`, `{"order":[1,0]}`, "uint8", `[1,2,3,4]`},
	"reshape":                    {`[%,"bytes"]`, `{"shape":[[0,1]]}`, "uint8", `[1,2,3,4]`},
	"zarrs.squeeze":              {`[%,"bytes"]`, ``, "uint8", `[1,2,3,4]`},
	"cast_value":                 {`[%,"bytes"]`, `{"data_type":"int8"}`, "float64", `[1,-2,3,100]`},
	"scale_offset":               {`[%,` + littleEndian + `]`, `{"offset":10,"scale":2}`, "int16", `[1,-2,3,100]`},
	"bitround":                   {`[%,` + littleEndian + `]`, `{"keepbits":3}`, "float32", `[1.5,-2,3,96]`},
	"numcodecs.bitround":         {`[%,` + littleEndian + `]`, `{"keepbits":3}`, "float64", `[1.5,-2,3,96]`},
	"numcodecs.astype":           {`[%,` + littleEndian + `]`, `{"encode_dtype":"<i2","decode_dtype":"<f8"}`, "float64", `[1,-2,3,100]`},
	"numcodecs.delta":            {`[%,` + littleEndian + `]`, `{"dtype":"<i4","astype":"<i2"}`, "int32", `[1,-2,3,100]`},
	"numcodecs.quantize":         {`[%,` + littleEndian + `]`, `{"digits":1,"dtype":"<f8","astype":"<f4"}`, "float64", `[1.5,-2,3.25,100]`},
	"numcodecs.fixedscaleoffset": {`[%,"bytes"]`, `{"offset":0,"scale":4,"dtype":"<f8","astype":"|i1"}`, "float64", `[1.5,-2,3.25,10]`},
	"numcodecs.packbits":         {`[%,"bytes"]`, ``, "bool", `[true,false,true,true]`},
	"numcodecs.categorize":       {`[%,"bytes"]`, `{"labels":["a","ß"],"dtype":"|O","astype":"|u1"}`, "string", `["","a","ß","a"]`},
}

// Every name that the registry has stands for a codec that works under it, and
// that keeps it.
func TestEveryNameWorks(t *testing.T) {
	for _, name := range std.Registry().Names() {
		switch name {
		case "numcodecs.n5_wrapper": // is not read
			continue
		case n5.BlocksName, n5.JPEGName: // hold one element, and are not written: package n5 has their tests
			continue
		case nbit.Name, scaleoffset.Name, szip.Name, blosc2.Name: // filters of HDF5, which are not written
			continue
		}
		u, ok := names[name]
		if !ok {
			u = use{`["bytes",%]`, ``, "uint8", `[1,2,3,4]`}
		}
		t.Run(name, func(t *testing.T) { u.run(t, name) })
	}
	for name := range names {
		if _, err := std.Registry().Parse(codec.Entry{Name: name}); errors.Is(err, codec.ErrUnknown) {
			t.Errorf("%s is not registered", name)
		}
	}
}

func (u use) run(t *testing.T, name string) {
	entry := fmt.Sprintf(`{"name":%q}`, name)
	if u.config != "" {
		entry = fmt.Sprintf(`{"name":%q,"configuration":%s}`, name, u.config)
	}
	chain, err := std.Registry().ParseList(json.RawMessage(strings.Replace(u.list, "%", entry, 1)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(chain)
	if err != nil || !strings.Contains(string(text), fmt.Sprintf(`"name":%q`, name)) && name != "endian" {
		t.Errorf("became %s, %v", text, err)
	}
	typ := dtype.MustParse(u.typ)
	var values []json.RawMessage
	if err := json.Unmarshal([]byte(u.values), &values); err != nil {
		t.Fatal(err)
	}
	src := nd.Make(typ.Size(), 2, 2)
	src.Heap = &nd.Heap{}
	for i, v := range values {
		elem, err := typ.ParseFill(v, src.Heap)
		if err != nil {
			t.Fatal(err)
		}
		copy(src.At(i/2, i%2), elem)
	}
	bound, err := chain.Bind(codec.Spec{Type: typ, Shape: []int{2, 2}, Fill: make([]byte, typ.Size()), Heap: &nd.Heap{}})
	if err != nil {
		t.Fatal(err)
	}
	ck := &codec.Chunk{Index: []int{0, 0}, Limits: &codec.Limits{MaxChunk: 1 << 20}}
	out, err := bound.Encode(context.Background(), ck, nil, src)
	if err != nil {
		t.Fatal(err)
	}
	dst := nd.Make(typ.Size(), 2, 2)
	dst.Heap = &nd.Heap{}
	if err := bound.Decode(context.Background(), ck, &codec.Memory{Bytes: out}, nd.Whole(dst.Shape), dst); err != nil {
		t.Fatal(err)
	}
	for i := range values {
		want, err1 := typ.AppendValue(nil, src.At(i/2, i%2), src.Heap.Blobs())
		got, err2 := typ.AppendValue(nil, dst.At(i/2, i%2), dst.Heap.Blobs())
		if err := errors.Join(err1, err2); err != nil || !bytes.Equal(got, want) {
			t.Errorf("element %d is %s, want %s, %v", i, got, want, err)
		}
	}
}

func TestBlocksOfN5AreRefusedWithTheReason(t *testing.T) {
	_, err := std.Registry().Parse(codec.Entry{Name: "numcodecs.n5_wrapper"})
	if !errors.Is(err, codec.ErrUnknown) || !strings.Contains(err.Error(), "N5") {
		t.Errorf("got %v", err)
	}
}
