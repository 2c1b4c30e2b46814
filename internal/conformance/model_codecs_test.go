package conformance_test

import (
	"encoding/json"
	"slices"

	"pgregory.net/rapid"

	"github.com/omnizarr/zarr/codec/tifftile"
	"github.com/omnizarr/zarr/dtype"
)

// config is a configuration as metadata spells it.
type config = json.RawMessage

// serializer draws a codec that turns the array into bytes. It may be one that
// cannot have the type.
func (c *chain) serializer(depth int) any {
	endian := map[string]any{"endian": c.pick("little", "big")}
	if depth > 0 && rapid.IntRange(0, 2).Draw(c.T, "shard") == 0 {
		return c.shard(depth, endian)
	}
	switch c.in.Type.Kind() {
	case dtype.String, dtype.Bytes, dtype.List:
		return c.variable(endian)
	case dtype.Optional:
		return c.optional(dtype.Inner(c.in.Type), endian)
	}
	if c.in.Type.Name() == "omnizarr.json" || c.small && rapid.IntRange(0, 5).Draw(c.T, "object") == 0 {
		return c.object()
	}
	reversible := config(`{"mode":"reversible"}`)
	switch rapid.IntRange(0, 7).Draw(c.T, "numbers") {
	case 7:
		if list := c.block(); list != nil {
			return named("n5_default", map[string]any{"codecs": list, "edge_blocks": c.pick("truncated", "padded")})
		}
	case 6:
		if conf := c.tile(); conf != nil {
			return named(tifftile.Name, conf)
		}
	case 0:
		return c.pick("packbits", named("packbits", config(`{"padding_encoding":"first_byte"}`)), named("packbits", config(`{"padding_encoding":"last_byte"}`)))
	case 1:
		return c.pick(
			named("numcodecs.pcodec", config(`{"level":8}`)),
			named("pcodec", config(`{"level":1,"mode_spec":"classic","delta_spec":"try_consecutive","delta_encoding_order":2,"equal_pages_up_to":64}`)),
			named("https://codec.zarrs.dev/array_to_bytes/pcodec", config(`{"level":4,"delta_encoding_order":1,"int_mult_spec":false,"float_mult_spec":false,"max_page_n":32}`)))
	case 2:
		// zfp has signed numbers only.
		if u := c.in.Type.Name(); (u == "uint32" || u == "uint64") && !(c.small && holds(u, c.lo, c.hi)) {
			break
		}
		if name := c.in.Type.Name(); slices.Contains([]string{"int32", "int64", "float32", "float64"}, name) && rapid.Bool().Draw(c.T, "numcodecs") {
			return c.pick(named("numcodecs.zfpy", config(`{"mode":5}`)), named("https://codec.zarrs.dev/array_to_bytes/zfpy", config(`{"mode":5}`)))
		}
		return c.pick(
			named("zfp", reversible), named("zarrs.zfp", config(`{"mode":"reversible","write_header":true}`)),
			named("https://codec.zarrs.dev/array_to_bytes/zfp", reversible))
	case 3:
		if n := numpyNames[c.in.Type.Name()]; n != "" {
			return named("omnizarr.numpy", map[string]any{"dtype": c.numpy(c.in.Type.Name())})
		}
	}
	return named(c.pick("bytes", "bytes", "endian").(string), endian)
}

// variable draws a codec for values of any length.
func (c *chain) variable(endian map[string]any) any {
	index := []any{named("bytes", endian)}
	if rapid.Bool().Draw(c.T, "compressed") {
		index = append(index, c.pick("gzip", "zstd", "crc32c"))
	}
	word := c.pick("uint32", "uint64").(string)
	indexed := map[string]any{
		"data_codecs": c.pick([]any{"bytes"}, []any{"bytes", "zstd"}), "index_codecs": index,
		"index_data_type": word, "index_location": c.pick("start", "end"),
	}
	block := map[string]any{"codecs": c.pick([]any{}, []any{"gzip"}, []any{"omnizarr.lz4_block"})}
	switch c.in.Type.Kind() {
	case dtype.List:
		return named(c.pick("vlen-array", "numcodecs.vlen-array").(string), config(`{"dtype":"<f4"}`))
	case dtype.String:
		if rapid.IntRange(0, 3).Draw(c.T, "object") == 0 {
			return c.object()
		}
		return c.pick("vlen-utf8", "numcodecs.vlen-utf8", "zarrs.vlen_v2", named("omnizarr.n5_strings", block), named("zarrs.vlen", indexed), named("https://codec.zarrs.dev/array_to_bytes/vlen", indexed))
	}
	if rapid.IntRange(0, 3).Draw(c.T, "block") == 0 {
		return named("omnizarr.n5_blocks", block)
	}
	return c.pick("vlen-bytes", "numcodecs.vlen-bytes", "zarrs.vlen_v2", "https://codec.zarrs.dev/array_to_bytes/vlen_v2", named("zarrs.vlen", indexed))
}

// optional draws a codec for values that may be missing, also twice.
func (c *chain) optional(inner dtype.Type, endian map[string]any) any {
	data := []any{named("bytes", endian), c.pick("zstd", "crc32c", "blosc")}
	if inner.Kind() == dtype.Optional {
		data = []any{c.optional(dtype.Inner(inner), endian), "numcodecs.lz4"}
	}
	mask := c.pick([]any{"packbits"}, []any{"bytes", "gzip"}, []any{"numcodecs.packbits", "bytes"})
	return named("zarrs.optional", map[string]any{"mask_codecs": mask, "data_codecs": data})
}

// object draws a codec of Python's objects.
func (c *chain) object() any {
	return c.pick("numcodecs.json2", named("numcodecs.json2", config(`{"indent":1,"ensure_ascii":false}`)), "numcodecs.msgpack2", "numcodecs.pickle")
}

// block draws the codecs of an N5 block, nil if N5 has not got the type.
func (c *chain) block() []any {
	types := []string{"uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32", "float64"}
	if !slices.Contains(types, c.in.Type.Name()) {
		return nil
	}
	order := make([]int, len(c.in.Shape))
	for i := range order {
		order[i] = len(order) - 1 - i
	}
	list := []any{named("transpose", map[string]any{"order": order}), named("bytes", config(`{"endian":"big"}`))}
	if rapid.Bool().Draw(c.T, "compressed") {
		list = append(list, c.pick("gzip", "zlib", "numcodecs.bz2", "numcodecs.lzma", "zstd", "omnizarr.lz4_block", c.blosc()))
	}
	return list
}

// tile draws the layout of a TIFF tile for chunks of the shape and type, nil if
// TIFF has none.
func (c *chain) tile() map[string]any {
	shape, t := c.in.Shape, c.in.Type
	n := len(shape)
	if n < 2 {
		return nil
	}
	formats := map[string]int{
		"uint8": 1, "uint16": 1, "uint32": 1, "uint64": 1, "int8": 2, "int16": 2, "int32": 2, "int64": 2,
		"float16": 3, "float32": 3, "float64": 3, "complex64": 6, "complex128": 6,
	}
	format := formats[t.Name()]
	if format == 0 {
		return nil
	}
	samples := 1
	for _, k := range shape[:n-2] {
		samples *= k
	}
	predictor := 1
	if format < 3 {
		predictor = c.pick(1, 2).(int)
	} else if format == 3 {
		predictor = c.pick(1, 3).(int)
	}
	return map[string]any{
		"compression": c.pick(1, 5, 8, 32946, 32773, 50000, 34925), "predictor": predictor, "bits_per_sample": 8 * t.Size(), "sample_format": format,
		"samples_per_pixel": samples, "planar_config": c.pick(1, 2), "tile_height": shape[n-2], "tile_width": shape[n-1], "byte_order": c.pick("little", "big"),
	}
}

func (c *chain) shard(depth int, endian map[string]any) any {
	inner := make([]int, len(c.in.Shape))
	for i, n := range c.in.Shape {
		inner[i] = rapid.SampledFrom(divisors(n)).Draw(c.T, "inner")
	}
	index := []any{named("bytes", endian)}
	for range rapid.IntRange(0, 2).Draw(c.T, "index codecs") {
		// The index must have the same length in all shards.
		index = append(index, c.pick("crc32c", "numcodecs.adler32", named("pad", config(`{"location":"end","nbytes":3}`)), named("numcodecs.shuffle", config(`{"elementsize":8}`))))
	}
	return named("sharding_indexed", map[string]any{
		"chunk_shape": inner, "codecs": c.inner(c.in.Type, inner, depth-1), "index_codecs": index,
		"index_location": c.pick("start", "end"),
	})
}

// bytesCodec draws a bytes to bytes codec. Those that want whole elements are
// for chunks of one size, which binding looks at.
func (c *chain) bytesCodec(exact bool) any {
	switch rapid.IntRange(0, 3).Draw(c.T, "bytes codec") {
	case 0:
		return c.blosc()
	case 1:
		return c.pick(
			named("pad", config(`{"location":"start","nbytes":5}`)), named("pad", config(`{"location":"end","nbytes":1}`)), named("offset", config(`{"offset":2}`)),
			"crc32c", "numcodecs.crc32c", "numcodecs.crc32", "crc32", "numcodecs.adler32", "adler32", "numcodecs.jenkins_lookup3", "jenkins_lookup3",
			named("numcodecs.crc32", config(`{"location":"end"}`)), named("numcodecs.adler32", config(`{"location":"end"}`)),
			"numcodecs.fletcher32", "fletcher32")
	}
	if exact && rapid.IntRange(0, 3).Draw(c.T, "elements") == 0 {
		return c.pick("numcodecs.shuffle", named("shuffle", config(`{"elementsize":3}`)), named("numcodecs.shuffle", config(`{"elementsize":8}`)),
			named("conditional", config(`{"codecs":[{"name":"shuffle","configuration":{"elementsize":4}},"lz4","crc32c"],"header_bits":16}`)))
	}
	return c.pick(
		"gzip", "zlib", "numcodecs.gzip", "numcodecs.zlib", named("gzip", config(`{"level":0}`)), named("zlib", config(`{"level":9}`)),
		"zstd", "numcodecs.zstd", named("zstd", config(`{"level":-3,"checksum":true}`)), named("zstd", config(`{"level":12,"checksum":false}`)),
		"numcodecs.bz2", "bz2", "numcodecs.lzma", "lzma",
		named("lzma", config(`{"format":3,"filters":[{"id":3,"dist":4},{"id":33}]}`)), named("numcodecs.lzma", config(`{"format":2,"preset":1}`)),
		"numcodecs.lz4", "lz4", named("lz4", config(`{"acceleration":50}`)), "omnizarr.lz4_block", named("omnizarr.lz4_block", config(`{"block_size":64}`)),
		named("zarrs.gdeflate", config(`{"level":6}`)), named("https://codec.zarrs.dev/bytes_to_bytes/gdeflate", config(`{"level":0}`)),
		"imagecodecs_lzw", "lzw", "numcodecs.base64", "omnizarr.lzf", "omnizarr.lz4_hdf5", named("omnizarr.lz4_hdf5", config(`{"block_size":64}`)),
		named("omnizarr.bitshuffle", config(`{"element_size":4,"block_size":16,"compressor":"lz4"}`)), named("omnizarr.bitshuffle", config(`{"element_size":2,"block_size":0,"compressor":"zstd","level":3}`)),
		named("conditional", config(`{"codecs":["zstd"]}`)), named("conditional", config(`{"codecs":["lz4","crc32c"],"header_bits":16}`)))
}

func (c *chain) blosc() any {
	name := c.pick("blosc", "numcodecs.blosc").(string)
	conf := map[string]any{
		"cname": c.pick("lz4", "lz4hc", "zstd", "zlib", "blosclz", "snappy"), "clevel": c.pick(0, 1, 5, 9),
		"blocksize": c.pick(0, 16, 48, 128, 512),
	}
	if name == "blosc" {
		conf["shuffle"] = c.pick("noshuffle", "shuffle", "bitshuffle")
		conf["typesize"] = c.pick(1, 2, 4, 7, 8, 16)
	} else {
		conf["shuffle"] = c.pick(-1, 0, 1, 2)
	}
	return named(name, conf)
}
