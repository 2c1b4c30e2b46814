package zarr_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/std"
	jobcheck "github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store/mem"
)

// swell is a codec whose encoded bytes are the number of those that they become, which hold
// one text: a chunk of eight bytes may take any memory. It takes a millisecond to decode one, and counts
// how many are being decoded at once.
type swell struct {
	Mark  int `json:"mark"` // tells those apart that are the same otherwise
	count *swelling
}

type swelling struct {
	mu             sync.Mutex
	now, most, all [2]int // of small chunks and large ones
	held, mostHeld int    // large ones that were decoded and not encoded since
}

const (
	shortText = 64 << 10
	longText  = 3 << 20
)

func (s swell) Name() string { return "test.swell" }
func (s swell) MarshalJSON() ([]byte, error) {
	return codec.MarshalEntry(s.Name(), map[string]int{"mark": s.Mark})
}
func (s swell) Size() codec.Size { return codec.Size{} }

func (s swell) BindBytes(codec.Spec, codec.Size) (codec.BytesFilter, error) { return s, nil }

func (s swell) Encode(_ *codec.Chunk, dst, src []byte) ([]byte, error) {
	if len(src) >= longText {
		s.count.mu.Lock()
		s.count.held--
		s.count.mu.Unlock()
	}
	return binary.LittleEndian.AppendUint64(dst, uint64(len(src))), nil
}

func (s swell) Decode(ck *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	n := int(binary.LittleEndian.Uint64(src))
	if n > limit {
		return nil, ck.Over(n, limit)
	}
	kind := 0
	if n >= longText {
		kind = 1
	}
	c := s.count
	c.mu.Lock()
	c.all[kind]++
	c.now[kind]++
	c.most[kind] = max(c.most[kind], c.now[kind])
	c.held += kind
	c.mostHeld = max(c.mostHeld, c.held)
	c.mu.Unlock()
	time.Sleep(time.Millisecond)
	dst = binary.LittleEndian.AppendUint32(dst, 1)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(n-8))
	dst = append(dst, make([]byte, n-8)...)
	c.mu.Lock()
	c.now[kind]--
	c.mu.Unlock()
	return dst, nil
}

// swollen makes an array of texts, each as long as given, less the eight bytes that chunks of one have besides.
func swollen(t *testing.T, sizes []int, chunk int, codecs json.RawMessage, opts ...zarr.Option) (*zarr.Array, *swelling) {
	t.Helper()
	count := &swelling{}
	opts = append([]zarr.Option{zarr.Workers(8), zarr.InFlight(8 << 20), zarr.Codecs(registryOf(count))}, opts...)
	spec := zarr.ArraySpec{Shape: []int{len(sizes)}, Chunks: []int{chunk}, DataType: "string", Codecs: codecs}
	a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, mem.New(), "", spec, opts...))
	data := make([]string, len(sizes))
	text := string(make([]byte, longText))
	for i, n := range sizes {
		data[i] = text[:n-8]
	}
	check(t, zarr.Write(ctx, a, zarr.All(), data))
	count.held, count.mostHeld = 0, 0
	return a, count
}

// inShards are the codecs of shards whose inner chunks have these.
func inShards(chunk int, codecs json.RawMessage) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`[{"name":"sharding_indexed","configuration":{"chunk_shape":[%d],"codecs":%s,"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}},"crc32c"]}}]`, chunk, codecs))
}

// mixed are sizes of chunks of which every other one is large.
func mixed(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = []int{shortText, longText}[i%2]
	}
	return out
}

// registryOf has a codec that counts.
func registryOf(count *swelling) *codec.Registry {
	registry := std.Registry()
	registry.Register(func(_ *codec.Registry, _ string, config json.RawMessage) (codec.Codec, error) {
		s := swell{count: count}
		return s, codec.ParseConfig(config, &s)
	}, "test.swell")
	return registry
}

func swelled(mark int) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`["vlen-utf8",{"name":"test.swell","configuration":{"mark":%d}}]`, mark))
}

// What chunks of text take shows when they are decoded: of those that take more than they
// were weighed for and some more, one is decoded at a time, and small ones are as ever.
func TestLargeTextIsDecodedOneByOne(t *testing.T) {
	for name, do := range map[string]func(t *testing.T, a *zarr.Array) error{
		"read": func(t *testing.T, a *zarr.Array) error {
			got, err := zarr.Read[string](ctx, a, zarr.All())
			if err == nil && (len(got.Data[0]) != shortText-8 || len(got.Data[1]) != longText-8) {
				t.Errorf("%d and %d bytes", len(got.Data[0]), len(got.Data[1]))
			}
			return err
		},
		"verify": func(t *testing.T, a *zarr.Array) error {
			report, err := jobcheck.Verify(ctx, a, jobcheck.VerifyOptions{Workers: 8})
			if err == nil && !report.OK {
				t.Errorf("%+v", report.Problems)
			}
			return err
		},
	} {
		for _, cache := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				var opts []zarr.Option
				if cache {
					opts = append(opts, zarr.WithCache(codec.NewCache(1<<30)))
				}
				a, count := swollen(t, mixed(32), 1, swelled(0), opts...)
				check(t, do(t, a))
				if count.most[0] < 2 || count.most[1] != 1 || count.all[1] < 16 {
					t.Errorf("%s: %d small chunks and %d large ones at once", name, count.most[0], count.most[1])
				}
			})
		}
	}
}

func TestSmallTextIsDecodedInParallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sizes := make([]int, 64)
		for i := range sizes {
			sizes[i] = shortText
		}
		a, count := swollen(t, sizes, 1, swelled(0))
		begin := time.Now()
		must[nd.Array[string]](t)(zarr.Read[string](ctx, a, zarr.All()))
		if took := time.Since(begin); took != 8*time.Millisecond || count.most[0] != 8 || count.all[0] != 64 {
			t.Errorf("%d chunks, %d at once, in %v", count.all[0], count.most[0], took)
		}
	})
}

// Nothing large is read ahead of a loop: it is decoded when the loop has done all before.
func TestLoopsHoldOneLargeChunk(t *testing.T) {
	for chunk, codecs := range map[int]json.RawMessage{1: swelled(0), 8: inShards(1, swelled(0))} {
		synctest.Test(t, func(t *testing.T) {
			sizes := mixed(32)
			a, count := swollen(t, sizes, chunk, codecs)
			at, larges := 0, 0
			for c, err := range zarr.Chunks[string](ctx, a) {
				check(t, err)
				for _, text := range c.Data {
					if len(text) != sizes[at]-8 {
						t.Errorf("text %d has %d bytes", at, len(text))
					}
					larges += at % 2
					at++
				}
				if at == 16 { // who reads in the loop waits for nobody
					must[nd.Array[string]](t)(zarr.Read[string](ctx, a, zarr.Slice("1")))
					count.all[1]--
				}
				time.Sleep(20 * time.Millisecond)
				count.mu.Lock()
				if count.all[1] != larges {
					t.Errorf("after %d chunks: %d large ones were decoded, %d came", at, count.all[1], larges)
				}
				count.mu.Unlock()
			}
			if at != len(sizes) {
				t.Errorf("%d texts", at)
			}
		})
	}
}

// Inner chunks share the turn of their shard, so that none waits for it.
func TestInnerChunksShareATurn(t *testing.T) {
	for _, codecs := range []json.RawMessage{
		inShards(1, swelled(0)),
		inShards(4, inShards(1, swelled(0))),
		json.RawMessage(string(inShards(1, swelled(0))[:len(inShards(1, swelled(0)))-1]) + `,{"name":"gzip","configuration":{"level":1}}]`),
	} {
		for _, cached := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				var opts []zarr.Option
				if cached {
					opts = append(opts, zarr.WithCache(codec.NewCache(1<<30)))
				}
				a, count := swollen(t, mixed(32), 8, codecs, opts...)
				var wg sync.WaitGroup
				for k := range 4 { // of which two want the same
					wg.Go(func() {
						got, err := zarr.Read[string](ctx, a, zarr.Box([]int{k / 2 * 8}, []int{24}))
						if err != nil || len(got.Data[1]) != longText-8 {
							t.Errorf("%s: %v", codecs, err)
						}
					})
				}
				wg.Wait()
				if count.most[1] < 1 || count.most[1] > 4 {
					t.Errorf("%s: %d large inner chunks at once", codecs, count.most[1])
				}
				check(t, zarr.Write(ctx, a, zarr.Slice("1:24:4"), make([]string, 6)))
				report, err := jobcheck.Verify(ctx, a, jobcheck.VerifyOptions{Workers: 8})
				if err != nil || !report.OK || count.most[1] > 4 {
					t.Errorf("%s: %+v, %v, %d at once", codecs, report, err, count.most[1])
				}
			})
		}
	}
}

// A copy holds one large block, from when it is decoded until it is encoded.
func TestCopiesHoldOneLargeBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, count := swollen(t, mixed(32), 1, swelled(0))
		registry := registryOf(count)
		b := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{
			Shape: []int{32}, Chunks: []int{1}, DataType: "string", Codecs: swelled(1)}, zarr.Codecs(registry)))
		_, err := copying.Elements(ctx, []copying.Pair{{From: a, To: b}}, copying.Options{Workers: 8, Memory: 64 << 20}, nil)
		check(t, err)
		if count.mostHeld != 1 || count.held != 0 || count.all[1] != 16 || count.most[0] < 2 {
			t.Errorf("%+v", count)
		}
		for what, x := range map[string]*zarr.Array{"source": a, "copy": b} {
			got := must[nd.Array[string]](t)(zarr.Read[string](ctx, x, zarr.All()))
			for i, n := range mixed(32) {
				if len(got.Data[i]) != n-8 {
					t.Errorf("%s: text %d has %d bytes", what, i, len(got.Data[i]))
				}
			}
		}
	})
}

// Blocks are held by whoever gets them, and large ones one at a time.
func TestBlocksOfLargeTextAreHeldOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, count := swollen(t, mixed(32), 1, swelled(0))
		check(t, zarr.Blocks(ctx, a, zarr.BlockOptions{Shape: []int{1}, Workers: 8, Memory: 8 << 20}, func(ctx context.Context, b *zarr.Block[string]) error {
			time.Sleep(5 * time.Millisecond)
			if len(b.Data[0]) >= longText-8 {
				count.mu.Lock()
				count.held--
				count.mu.Unlock()
			}
			return nil
		}))
		if count.mostHeld != 1 || count.all[1] != 16 || count.most[0] < 2 {
			t.Errorf("%+v", count)
		}
	})
}

func TestTheEndOfAContextEndsWaitingForATurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := swollen(t, []int{longText, longText}, 1, swelled(0))
		begin := time.Now()
		var wg sync.WaitGroup
		wg.Go(func() { must[nd.Array[string]](t)(zarr.Read[string](ctx, a, zarr.Slice("0"))) })
		synctest.Wait() // now that decodes, and has the turn
		short, cancel := context.WithTimeout(ctx, 300*time.Microsecond)
		defer cancel()
		_, err := zarr.Read[string](short, a, zarr.Slice("1"))
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != 300*time.Microsecond {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		wg.Wait()
		must[nd.Array[string]](t)(zarr.Read[string](ctx, a, zarr.Slice("1"))) // the turn was given back
	})
}

// However codecs tell that there is more than they may decode, chunks of text of any size are read.
func TestLargeTextThroughEveryCodec(t *testing.T) {
	data := make([]string, 8)
	for i := range data {
		data[i] = strings.Repeat(fmt.Sprint("text ", i), 200_000)
	}
	var lists []string
	for _, filter := range []string{
		`"zstd"`, `{"name":"gzip","configuration":{"level":1}}`, `{"name":"numcodecs.zlib","configuration":{"level":1}}`, `"crc32c"`,
		`{"name":"numcodecs.lz4","configuration":{"acceleration":1}}`, `{"name":"numcodecs.bz2","configuration":{"level":1}}`,
		`{"name":"numcodecs.lzma","configuration":{"preset":0}}`, `{"name":"numcodecs.base64","configuration":{}}`, `{"name":"numcodecs.shuffle","configuration":{"elementsize":4}}`,
		`{"name":"blosc","configuration":{"cname":"lz4","clevel":1,"shuffle":"noshuffle","typesize":1,"blocksize":0}}`,
		`{"name":"numcodecs.adler32","configuration":{}}`, `{"name":"zstd","configuration":{"level":1,"checksum":true}},"crc32c"`,
	} {
		lists = append(lists, `["vlen-utf8",`+filter+`]`)
	}
	lists = append(lists, `["vlen-utf8"]`, string(inShards(1, json.RawMessage(`["vlen-utf8"]`))), string(inShards(2, json.RawMessage(lists[0]))),
		`[{"name":"numcodecs.json2","configuration":{}}]`, `[{"name":"numcodecs.msgpack2","configuration":{}},"zstd"]`, `[{"name":"numcodecs.pickle","configuration":{"protocol":4}},"zstd"]`)
	for _, list := range lists {
		a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{8}, Chunks: []int{2}, DataType: "string", Codecs: json.RawMessage(list)},
			zarr.Workers(8), zarr.InFlight(1))
		if err != nil {
			t.Errorf("%s: %v", list, err)
			continue
		}
		check(t, zarr.Write(ctx, a, zarr.All(), data))
		for range 2 {
			got, err := zarr.Read[string](ctx, a, zarr.All())
			if err != nil || !slices.Equal(got.Data, data) {
				t.Errorf("%s: %v", list, err)
			}
			// A part of a chunk is changed to what it is.
			check(t, zarr.Write(ctx, a, zarr.Slice("1:6"), data[1:6]))
		}
		for c, err := range zarr.Chunks[string](ctx, a) {
			if err != nil || !slices.Equal(c.Data, data[c.Box.Start[0]:c.Box.Start[0]+2]) {
				t.Errorf("%s: %v", list, err)
			}
		}
	}
}
