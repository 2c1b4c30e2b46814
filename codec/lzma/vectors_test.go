package lzma_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/race"
)

// vector is what liblzma wrote, through numcodecs 0.17.1 where numcodecs has a
// way to do it, else through Python's lzma or xz 5.4.1.
type vector struct{ name, config, hex, want string }

var vectors = []vector{
	{".xz", `{"format": 1, "check": -1, "preset": null, "filters": null}`,
		"fd377a585a000004e6d6b4460200210116000000742fe5a3e0015300345d00000136eb25ad4ea081eb81929bd9bcd5b4d84f8cf84ed3ea1fddcae5cf7697e73b2a307c30f6e274cf56cbf28335ef083e2ca000001b987463d5b89453000150d40200000038cda719b1c467fb020000000004595a",
		runs},
	{".xz by preset 9, without a check", `{"format": 1, "check": 0, "preset": 2147483657, "filters": null}`,
		"fd377a585a000000ff12d941020021011c00000010cf58cce0015300345d00000136eb25ad4ea081eb81929bd9bcd5b4d84f8cf84ed3ea1fddcae5cf7697e73b2a307c30f6e274cf56cbf28335ef083e2ca00000000148d402000000ce4d22f6a8000afc020000000000595a",
		runs},
	{".xz with CRC-32", `{"format": 1, "check": 1, "preset": null, "filters": null}`,
		"fd377a585a0000016922de360200210116000000742fe5a3e0015300345d00000136eb25ad4ea081eb81929bd9bcd5b4d84f8cf84ed3ea1fddcae5cf7697e73b2a307c30f6e274cf56cbf28335ef083e2ca000000a008c3100014cd402000000d80fb36d3e300d8b020000000001595a",
		runs},
	{".xz with SHA-256", `{"format": 1, "check": 10, "preset": null, "filters": null}`,
		"fd377a585a00000ae1fb0ca10200210116000000742fe5a3e0015300345d00000136eb25ad4ea081eb81929bd9bcd5b4d84f8cf84ed3ea1fddcae5cf7697e73b2a307c30f6e274cf56cbf28335ef083e2ca00000a2249ce0317a0666c352e0bbb3a787397a4272a044a42cd149062a63e3c3c5b9000168d402000000f8488ef1b6e9df1c02000000000a595a",
		runs},
	{".lzma", `{"format": 2, "check": -1, "preset": null, "filters": null}`,
		"5d00008000ffffffffffffffff00000136eb25ad4ea081eb81929bd9bcd5b4d84f8cf84ed3ea1fddcae5cf7697e73b2a307c30f6e274cf56cbf28335ef083f470effffff77100000",
		runs},
	{"LZMA1", `{"format": 3, "check": -1, "preset": null, "filters": [{"id": 4611686018427387905, "lc": 2, "lp": 1, "pb": 0}]}`,
		"0000010a9a36e1c74d86863b812bfff45f15b45f2e8282391de680ceebdcb3a2908fe92ba3b293e77b96d7153bef8e4d4b7587fffff3078000",
		runs},
	{"LZMA2", `{"format": 3, "check": -1, "preset": null, "filters": [{"id": 33}]}`,
		"e0015300345d00000136eb25ad4ea081eb81929bd9bcd5b4d84f8cf84ed3ea1fddcae5cf7697e73b2a307c30f6e274cf56cbf28335ef083e2ca00000",
		runs},
	{"LZMA2 behind a delta", `{"format": 3, "check": -1, "preset": null, "filters": [{"id": 3, "dist": 2}, {"id": 33}]}`,
		"e0015300365d00000136eacd1e242373afd805dfb9ec2554264f6f58886e00af20e9f6375820b15c8777ddf02c3f108b46afdbaa8a1195b0b0f92d000000",
		runs},
	{".xz with two deltas", `{"format": 1, "check": -1, "preset": null, "filters": [{"id": 3, "dist": 4}, {"id": 3, "dist": 1}, {"id": 33, "dict_size": 65536}]}`,
		"fd377a585a000004e6d6b446030203010303010021010800a1e4c50de00153001e5d000001363fe4c72c78f6f36dd1d4e89498a5d551325ff7c330c71dce2440000000001b987463d5b8945300013ed40200000012a3592bb1c467fb020000000004595a",
		runs},
	{".xz of blocks that tell their sizes", `{}`,
		"fd377a585a0000016922de3603c03b960121011600000000a5f9e205e0009500335d00000136eb25ad4ea081eb81929bd9bcd5b4d84f8cf84ed3ea1fddcae5cf7697e73b2a307c30f6e274cf56cbf28335996ee400000000f4dbb7df03c00e960121011600000000d9b0388be0009500065d0030ef02000000000000a06b34b503c00e2821011600000000001da026cce0002700065d0030ee26000000000000258a5bc900034f960122960122280000df43bb6a9be35140030000000001595a",
		runs},
	{".xz of blocks", `{}`,
		"fd377a585a000000ff12d9410200210116000000742fe5a3e0009500335d00000136eb25ad4ea081eb81929bd9bcd5b4d84f8cf84ed3ea1fddcae5cf7697e73b2a307c30f6e274cf56cbf28335996ee4000000000200210116000000742fe5a3e0009500065d0030ef020000000000000200210116000000742fe5a3e0002700065d0030ee2600000000000000034796011a96011a28000050387fd70dd35637030000000000595a",
		runs},
	{"several .xz, with padding, and something else", `{}`,
		"fd377a585a000004e6d6b4460200210116000000742fe5a30100026f6e6500007ee510c5d56a6c9a00011b030b2fb9101fb6f37d010000000004595a0000000000000000fd377a585a000004e6d6b446000000001cdf44211fb6f37d010000000004595afd377a585a000004e6d6b446020021010c0000008f98419c01000274776f00005dd379297528520300011b030b2fb9101fb6f37d010000000004595a000000006a756e6b",
		"onetwo"},
	{".xz of nothing", `{}`,
		"fd377a585a000004e6d6b446000000001cdf44211fb6f37d010000000004595a",
		""},
	{".lzma of nothing", `{"format":2}`,
		"5d00008000ffffffffffffffff0083fffbffffc0000000",
		""},
	{".lzma that tells its size, and has a marker", `{"format":2}`,
		"5d00008000110000000000000000341949ee8de94f7f35c5a3ffff78a40000",
		"hello hello hello"},
}

// runs are some numbers, and a long run.
var runs = func() string {
	out := make([]byte, 40)
	for i := range out {
		out[i] = byte((i*i*31 + i*7) >> 3)
	}
	return string(out) + strings.Repeat("a", 300)
}()

func (v vector) bytes(t testing.TB) []byte {
	t.Helper()
	out, err := hex.DecodeString(v.hex)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestWhatOthersWriteIsRead(t *testing.T) {
	for _, v := range vectors {
		f := filter(t, v.config)
		for _, room := range []int{0, len(v.want)} {
			dst := append(make([]byte, 0, 3+room), "pre"...)
			out, err := f.Decode(nil, dst, v.bytes(t), len(v.want))
			if err != nil || string(out) != "pre"+v.want {
				t.Errorf("%s: got %q, %v", v.name, out, err)
			} else if room > 0 && &out[0] != &dst[0] {
				t.Errorf("%s: other memory than the caller's", v.name)
			}
		}
		if len(v.want) > 0 {
			if _, err := f.Decode(nil, nil, v.bytes(t), len(v.want)-1); err == nil || !strings.Contains(err.Error(), "possible") {
				t.Errorf("%s: got %v", v.name, err)
			}
		}
	}
}

// A header that asks for a dictionary of 4 GiB gets none.
func TestADictionaryTakesNoMemory(t *testing.T) {
	huge := find(t, ".lzma")
	binary.LittleEndian.PutUint32(huge[1:], 0xffffffff)
	f := filter(t, `{"format":2}`)
	dst := make([]byte, 0, len(runs))
	var out []byte
	var err error
	n := testing.AllocsPerRun(10, func() { out, err = f.Decode(nil, dst, huge, len(runs)) })
	if err != nil || string(out) != runs || n > 1 && !race.Enabled {
		t.Errorf("%d bytes, %v, %v allocations", len(out), err, n)
	}
	block := find(t, ".xz")
	block[12+4] = 40
	binary.LittleEndian.PutUint32(block[12+8:], crc32.ChecksumIEEE(block[12:12+8]))
	if out, err := filter(t, `{}`).Decode(nil, nil, block, len(runs)); err != nil || string(out) != runs {
		t.Errorf("%d bytes, %v", len(out), err)
	}
}

func find(t *testing.T, name string) []byte {
	t.Helper()
	for _, v := range vectors {
		if v.name == name {
			return v.bytes(t)
		}
	}
	t.Fatal(name)
	return nil
}

// Every change of a byte in what frames the data must be noticed by itself, so
// that changed checksums do not hide it.
func TestBadDataIsRefused(t *testing.T) {
	xz, alone := find(t, ".xz"), find(t, ".lzma")
	header := func(change func(block []byte)) []byte {
		out := bytes.Clone(xz)
		block := out[12 : 12+8]
		change(block)
		binary.LittleEndian.PutUint32(out[12+8:], crc32.ChecksumIEEE(block))
		return out
	}
	flags := bytes.Clone(xz)
	flags[7] = 2
	binary.LittleEndian.PutUint32(flags[8:], crc32.ChecksumIEEE(flags[6:8]))
	other := bytes.Clone(xz)
	other[9]++
	index := bytes.Clone(xz)
	index[len(index)-12-12+2]++
	sized := bytes.Clone(alone)
	binary.LittleEndian.PutUint64(sized[5:], 339)
	long := bytes.Clone(alone)
	binary.LittleEndian.PutUint64(long[5:], 341)
	const raw1 = `{"format":3,"filters":[{"id":4611686018427387905}]}`
	const raw2 = `{"format":3,"filters":[{"id":33}]}`
	for _, c := range []struct {
		config string
		data   []byte
		want   string
	}{
		{`{}`, nil, "ends within the header of .xz"},
		{`{}`, alone, "begins with 5d0000800"},
		{`{}`, flags, "check 2 is not supported"},
		{`{}`, other, "checksum of the header is"},
		{`{}`, xz[:12], "ends without an index"},
		{`{}`, xz[:13], "ends within the header of a block"},
		{`{}`, header(func(b []byte) { b[1] = 0x10 }), "flags of a block are 0x10"},
		{`{}`, header(func(b []byte) { b[1] = 1 }), "filter 0 of a block is 33 with 16"},
		{`{}`, header(func(b []byte) { b[2] = 3 }), "filter 0 of a block is 3 with 16"},
		{`{}`, header(func(b []byte) { b[2] = 7 }), "the branch filter for ARM (7) is not supported"},
		{`{}`, header(func(b []byte) { b[2] = 0x22 }), "filter 34 is not supported"},
		{`{}`, header(func(b []byte) { b[3] = 9 }), "the header of a block has no end"},
		{`{}`, header(func(b []byte) { b[2], b[3] = 0xa1, 0 }), "the header of a block has no end"},
		{`{}`, header(func(b []byte) { b[4] = 41 }), "filter 0 of a block is 33 with 29"},
		{`{}`, header(func(b []byte) { b[7] = 1 }), "the header of a block is padded with 000001"},
		{`{}`, index, "the index says of block 0 that it has"},
		{`{"format":2}`, alone[:12], "12 bytes are too few for a header"},
		{`{"format":2}`, append([]byte{225}, alone[1:]...), "properties are 225: must be below 225"},
		{`{"format":2}`, append([]byte{8}, alone[1:]...), "lc 8, lp 0 and pb 0 are not possible"},
		{`{"format":2}`, alone[:15], "ends within the first bytes"},
		{`{"format":2}`, append(bytes.Clone(alone), 0), "1 bytes follow the data"},
		{`{"format":2}`, sized, "data goes on behind the 339 bytes"},
		{`{"format":2}`, long, "a marker ends the data after 340 bytes, not 341"},
		{raw1, []byte{1, 0, 0, 0, 0}, "data begins with 1, not with 0"},
		{raw1, []byte{0, 0xff, 0xff, 0xff, 0xff, 0xff}, "a match is"},
		{raw1, alone[13:40], "ends within the data, after"},
		{raw2, nil, "ends without saying so, after 0 bytes"},
		{raw2, []byte{2, 0, 0, 7, 0}, "the first chunk begins with 0x2 and starts no dictionary"},
		{raw2, []byte{1, 0, 0, 7, 0x80, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0}, "a chunk begins with 0x80 before there are properties"},
		{raw2, []byte{1, 0, 0, 7, 3, 0, 0, 7}, "a chunk begins with 0x3"},
		{raw2, []byte{1, 0, 1, 7}, "a chunk has 2 bytes, only 1 are left"},
		{raw2, []byte{1, 0}, "ends within the header of a chunk"},
		{raw2, []byte{0xe0, 0, 0, 0, 4}, "ends within the header of a chunk"},
		{raw2, []byte{0xe0, 0, 0, 0, 4, 93, 0}, "a chunk has 5 bytes, only 1 are left"},
		{raw2, []byte{0xe0, 0, 0, 0, 6, 93, 0, 0, 0, 0, 0, 0, 0, 0}, "a chunk of 7 bytes ends after 6"},
		{raw2, []byte{0xe0, 0, 0, 0, 4, 93, 0, 0, 0, 0, 1, 0}, "data does not end where it should, after 1 bytes"},
		{raw2, []byte{1, 0, 0, 7, 0, 0}, "1 bytes follow the data"},
	} {
		out, err := filter(t, c.config).Decode(nil, nil, c.data, 1000)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %x: got %q, %v, want %s", c.config, c.data, out, err, c.want)
		}
	}
}
