package codec_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/checksum"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
)

// nested is a list of so many shards inside each other.
func nested(levels int, inside string) string {
	text := inside
	for range levels {
		text = `[{"name":"sharding_indexed","configuration":{"chunk_shape":[1],"codecs":` + text + `,"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}}]`
	}
	return text
}

// The text of nested codecs is read once and stays where it lies: how deep they are
// nested does not count.
func TestNestedCodecsAreParsedOnce(t *testing.T) {
	size := thorough.Of(1<<18, 1<<20)
	doc := json.RawMessage(nested(50, `["bytes"`+strings.Repeat(" ", size)+`]`))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := std.Registry().ParseList(doc)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; err != nil || used > uint64(size) && !race.Enabled {
		t.Errorf("%d bytes of text took %d bytes of memory, %v", len(doc), used, err)
	}
	many := nested(1, `["bytes"`+strings.Repeat(`,"crc32c"`, 2000)+`]`)
	if _, err := std.Registry().ParseList(json.RawMessage(many)); err == nil || !strings.Contains(err.Error(), "more than 1024 codecs") {
		t.Errorf("got %v", err)
	}
}

// A context that ends stops the parsing, also of codecs inside others.
func TestParsingEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r := std.Registry()
	parsed := 0
	r.Register(func(*codec.Registry, string, json.RawMessage) (codec.Codec, error) {
		if parsed++; parsed == 3 {
			cancel()
		}
		return checksum.Codec{Kind: checksum.CRC32C}, nil
	}, "counted")
	list := strings.Repeat(`,"counted"`, 100)
	_, err := r.Until(ctx).ParseList(json.RawMessage(nested(5, `["bytes"`+list+`]`)))
	if !errors.Is(err, context.Canceled) || parsed != 3 {
		t.Errorf("%d codecs were parsed, %v", parsed, err)
	}
}
