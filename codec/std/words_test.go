package std_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/n5"
	"github.com/omnizarr/zarr/codec/nbit"
	"github.com/omnizarr/zarr/codec/scaleoffset"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/codec/szip"
	"github.com/omnizarr/zarr/codec/tifftile"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/internal/wrongjson"
	"github.com/omnizarr/zarr/nd"
)

// full are configurations with members that codecs leave out when they can.
var full = map[string]string{
	"packbits":             `{"padding_encoding":"first_byte","first_bit":1,"last_bit":2}`,
	"pad":                  `{"location":"start","nbytes":3,"padding":"AAEC"}`,
	"offset":               `{"offset":3,"prefix":"AAEC"}`,
	"blosc":                `{"typesize":4,"cname":"lz4","clevel":5,"shuffle":"shuffle","blocksize":0}`,
	"numcodecs.blosc":      `{"typesize":4,"cname":"lz4","clevel":5,"shuffle":1,"blocksize":0}`,
	"numcodecs.lzma":       `{"format":3,"check":-1,"preset":null,"filters":[{"id":3,"dist":4},{"id":33,"preset":1,"dict_size":65536,"lc":3,"lp":0,"pb":2}]}`,
	"lzma":                 `{"format":1,"check":-1,"preset":1}`,
	"cast_value":           `{"data_type":"int8","rounding":"nearest-even","out_of_range":"clamp","scalar_map":{"encode":[["NaN",1]],"decode":[[1,"NaN"]]}}`,
	"numcodecs.json2":      `{"encoding":"utf-8","skipkeys":false,"ensure_ascii":true,"check_circular":true,"allow_nan":true,"sort_keys":true,"indent":2,"separators":[",",":"],"strict":true}`,
	"numcodecs.pickle":     `{"protocol":4}`,
	"zfp":                  `{"mode":"fixed_accuracy","tolerance":0.1}`,
	"numcodecs.zfpy":       `{"mode":4,"tolerance":0.1,"rate":-1,"precision":-1,"compression_kwargs":{"tolerance":0.1}}`,
	"numcodecs.categorize": `{"labels":["a","ß"],"dtype":"|O","astype":"|u1"}`,
	n5.JPEGName:            `{"data_type":"uint8"}`,
	nbit.Name:              `{"values":[8,0,4,1,2,0,9,1]}`,
	scaleoffset.Name:       `{"values":[2,0,4,0,2,0,0,0]}`,
	szip.Name:              `{"values":[169,8,16,11]}`,
	n5.BlocksName:          `{"codecs":["zstd"]}`,
	tifftile.Name: `{"compression":7,"bits_per_sample":16,"samples_per_pixel":1,"photometric":1,"planar_config":1,"predictor":1,"tile_width":2,` +
		`"tile_height":2,"sample_format":1,"jpeg_tables":"base64:AAEC","byte_order":"big","fill_order":2,"packed_bits":12,"level":3,"quality":70,"subsampling":[1,1]}`,
}

// Whatever stands in a codec's entry where something else must, the error speaks
// of JSON and of the member, not of Go.
func TestErrorsSpeakOfDocuments(t *testing.T) {
	r := std.Registry()
	tried := 0
	for _, name := range r.Names() {
		u, ok := names[name]
		if !ok {
			u = use{`["bytes",%]`, `{}`, "uint8", ``}
		}
		typ := dtype.MustParse(u.typ)
		for _, config := range []string{u.config, full[name], settled(r, name, u.config)} {
			if config == "" {
				continue
			}
			entry := fmt.Sprintf(`{"name":%q,"configuration":%s,"must_understand":true}`, name, config)
			base := parse(r, strings.Replace(u.list, "%", entry, 1), typ)
			for v := range wrongjson.Variants(strings.Replace(u.list, "%", entry, 1)) {
				if tried++; tried%thorough.Step(3) != 0 {
					continue
				}
				// Where the entry alone is not right, only what else is wrong can be told.
				if err := parse(r, string(v.Doc), typ); base == nil || err == nil || err.Error() != base.Error() {
					wrongjson.Check(t, v, err)
				}
			}
		}
	}
}

func parse(r *codec.Registry, list string, typ dtype.Type) error {
	chain, err := r.ParseList(json.RawMessage(list))
	if err == nil {
		_, err = chain.Bind(codec.Spec{Type: typ, Shape: []int{2, 2}, Fill: make([]byte, typ.Size()), Heap: &nd.Heap{}})
	}
	return err
}

// settled is a configuration with all that the codec writes down, "" where it
// cannot be read by itself.
func settled(r *codec.Registry, name, config string) string {
	c, err := r.Parse(codec.Entry{Name: name, Config: json.RawMessage(config)})
	if err != nil {
		return ""
	}
	text, err := c.MarshalJSON()
	if err != nil {
		return ""
	}
	var e struct{ Configuration json.RawMessage }
	if json.Unmarshal(text, &e) != nil {
		return ""
	}
	return string(e.Configuration)
}
