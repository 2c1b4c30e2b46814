package command

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/kind/std"
)

// bombSize is what a bomb becomes, which alone is more than is allowed.
const bombSize = 64 << 20

// bomb is bytes behind a chain of codecs, as they are in a chunk.
func bomb(t *testing.T, codecs string, data []byte) []byte {
	t.Helper()
	var out, errs bytes.Buffer
	args := []string{"codec", "encode", "--codecs", codecs, "--data-type", "uint8", "--shape", fmt.Sprintf("[%d]", len(data))}
	if Run(std.Kinds(), args, bytes.NewReader(data), &out, &errs) != 0 {
		t.Fatal(codecs, errs.String())
	}
	return out.Bytes()
}

// bombed makes an array of some elements in one chunk, and puts bytes where the chunk is.
func bombed(t *testing.T, elements int, codecs string, chunk []byte) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a.zarr")
	must(t, os.MkdirAll(filepath.Join(dir, "c"), 0o777))
	doc := fmt.Sprintf(`{"zarr_format":3,"node_type":"array","shape":[%d],"data_type":"uint8","fill_value":0,"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[%[1]d]}},`+
		`"chunk_key_encoding":{"name":"default"},"codecs":%s}`, elements, codecs)
	must(t, os.WriteFile(filepath.Join(dir, "zarr.json"), []byte(doc), 0o666))
	must(t, os.WriteFile(filepath.Join(dir, "c", "0"), chunk, 0o666))
	return dir
}

// Small files that declare, hold or become much end with an error, or with what was asked for, in a
// process that takes less than 64 MiB, the program itself included.
func TestBombs(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector has memory of its own")
	}
	type hostile struct {
		name string
		make func(t *testing.T) string
		args []string
		fine bool // what is asked for can be had
	}
	var all []hostile
	zeros := make([]byte, bombSize)
	const zstd = `{"name":"zstd","configuration":{"level":1,"checksum":false}}`
	zeroed := bomb(t, `["bytes", `+zstd+`]`, zeros)
	names := []string{"gzip"}
	if thorough.Enabled {
		names = append(names, "numcodecs.zlib", "blosc", "numcodecs.lz4", "numcodecs.bz2", "numcodecs.lzma", "numcodecs.gzip", "numcodecs.blosc", "numcodecs.zstd")
	}
	for _, name := range names {
		chain := fmt.Sprintf(`["bytes", {"name": %q, "configuration": %s}]`, name, configurationOf(name))
		all = append(all, hostile{name, func(t *testing.T) string { return bombed(t, 64, chain, bomb(t, chain, zeros)) }, []string{"cat", "--as", "raw"}, false})
	}
	const gzip = `{"name":"gzip","configuration":{"level":1}}`
	sharded := func(inner int, codecs string) string {
		return fmt.Sprintf(`[{"name":"sharding_indexed","configuration":{"chunk_shape":[%d],"codecs":%s,"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}},"crc32c"]}}]`, inner, codecs)
	}
	deep := strings.Repeat(`{"a":`, 1_000_000) + "1" + strings.Repeat("}", 1_000_000)
	document := func(text string) func(t *testing.T) string {
		return func(t *testing.T) string {
			dir := filepath.Join(t.TempDir(), "a.zarr")
			must(t, os.MkdirAll(dir, 0o777))
			must(t, os.WriteFile(filepath.Join(dir, "zarr.json"), []byte(text), 0o666))
			return dir
		}
	}
	plain := `["bytes"]`
	all = append(all,
		hostile{"zstd", func(t *testing.T) string { return bombed(t, 64, `["bytes", `+zstd+`]`, zeroed) }, []string{"cat", "--as", "raw"}, false},
		hostile{"nested", func(t *testing.T) string {
			return bombed(t, 64, `["bytes", `+zstd+`, `+gzip+`]`, bomb(t, `["bytes", `+gzip+`]`, zeroed))
		}, []string{"cat", "--as", "raw"}, false},
		hostile{"in a shard", func(t *testing.T) string {
			index := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 0), uint64(len(zeroed)))
			return bombed(t, 64, strings.Replace(sharded(64, `["bytes", `+zstd+`]`), `,"crc32c"`, "", 1), append(zeroed, index...))
		}, []string{"cat", "--as", "raw"}, false},
		hostile{"an index of a billion", func(t *testing.T) string {
			return bombed(t, 1_000_000_000, sharded(1, plain), make([]byte, 100))
		}, []string{"cat", "--slice", "5", "--as", "raw"}, false},
		hostile{"a shape of 2^62", document(`{"zarr_format":3,"node_type":"array","shape":[4611686018427387904],"data_type":"uint8","fill_value":0,"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1024]}},"chunk_key_encoding":{"name":"default"},"codecs":["bytes"]}`),
			[]string{"cat", "--slice", "4611686018427387903", "--as", "raw"}, true},
		hostile{"a chunk of 2^62", document(`{"zarr_format":3,"node_type":"array","shape":[4611686018427387904],"data_type":"uint8","fill_value":0,"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4611686018427387904]}},"chunk_key_encoding":{"name":"default"},"codecs":["bytes"]}`),
			[]string{"verify"}, true},
		hostile{"deep", document(`{"zarr_format":3,"node_type":"group","attributes":` + deep + `}`), []string{"info"}, false},
		hostile{"many directories", manyDirectories, []string{"info"}, false},
	)
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			status := filepath.Join(t.TempDir(), "status")
			cmd := exec.Command("measured", append(c.args, c.make(t))...)
			cmd.Env = append(os.Environ(), "STATUS="+status, "GOGC=100", "GOMEMLIMIT=off") // as a user runs it, also where the tests run without the collector
			out, err := cmd.CombinedOutput()
			text, readErr := os.ReadFile(status)
			if readErr != nil {
				t.Fatalf("it ended by itself: %v: %.200s", err, out)
			}
			_, peak, _ := strings.Cut(string(text), "VmHWM:")
			var kib int
			if _, err := fmt.Sscan(peak, &kib); err != nil || kib > 64<<10 {
				t.Errorf("%d MiB, %v", kib>>10, err)
			}
			if (err == nil) != c.fine {
				t.Errorf("%v: %.300s", err, out)
			}
			t.Logf("%d MiB: %.120q", kib>>10, out)
		})
	}
}

// configurationOf is one that a codec takes.
func configurationOf(name string) string {
	switch name {
	case "blosc":
		return `{"cname":"lz4","clevel":5,"shuffle":"noshuffle","typesize":1,"blocksize":0}`
	case "numcodecs.lzma":
		return `{"preset":1}`
	case "numcodecs.blosc", "numcodecs.lz4":
		return `{}`
	}
	return `{"level":1}`
}

// manyDirectories is a TIFF file whose directories have one entry each: so many that none may
// take 200 bytes.
func manyDirectories(t *testing.T) string {
	t.Helper()
	n := thorough.Of(250_000, 1_000_000)
	le := binary.LittleEndian
	b := make([]byte, 0, 8+18*n)
	b = append(b, "II*\x00\x08\x00\x00\x00"...)
	for i := range n {
		b = le.AppendUint16(b, 1)
		b = le.AppendUint16(b, 256) // the width
		b = le.AppendUint16(b, 3)
		b = le.AppendUint32(b, 1)
		b = le.AppendUint32(b, 1)
		next := uint32(8 + 18*(i+1))
		if i == n-1 {
			next = 0
		}
		b = le.AppendUint32(b, next)
	}
	path := filepath.Join(t.TempDir(), "many.tif")
	must(t, os.WriteFile(path, b, 0o666))
	return path
}
