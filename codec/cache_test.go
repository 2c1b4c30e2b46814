package codec_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/nd"
)

// part loads a value that counts how often it was loaded.
func part(n *atomic.Int64, size int64) func() (any, int64, error) {
	return func() (any, int64, error) { return n.Add(1), size, nil }
}

func get(t *testing.T, c *codec.Cache, chunk, name string, load func() (any, int64, error)) any {
	t.Helper()
	l := c.Lease(chunk)
	defer l.Close()
	v, err := l.Get(ctx, name, load)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestTheCacheKeepsWhatWasLoaded(t *testing.T) {
	c := codec.NewCache(100)
	var n atomic.Int64
	for range 3 {
		if v := get(t, c, "a", "", part(&n, 10)); v != int64(1) {
			t.Errorf("got %v", v)
		}
	}
	if bytes, hits := c.Stats(); bytes != 10 || hits != 2 {
		t.Errorf("%d bytes, %d hits", bytes, hits)
	}
	if v := get(t, c, "a", "index", part(&n, 10)); v != int64(2) {
		t.Errorf("another part is %v", v)
	}
}

func TestWhatWasUsedLongestAgoGoesFirst(t *testing.T) {
	c := codec.NewCache(30)
	var a, b, d atomic.Int64
	get(t, c, "a", "", part(&a, 10))
	get(t, c, "b", "", part(&b, 10))
	get(t, c, "a", "", part(&a, 10))
	get(t, c, "d", "", part(&d, 15)) // b must go
	get(t, c, "a", "", part(&a, 10))
	get(t, c, "b", "", part(&b, 10))
	if a.Load() != 1 || b.Load() != 2 || d.Load() != 1 {
		t.Errorf("loaded %d, %d and %d times", a.Load(), b.Load(), d.Load())
	}
	if bytes, _ := c.Stats(); bytes > 30 {
		t.Errorf("%d bytes", bytes)
	}
	var big atomic.Int64
	get(t, c, "big", "", part(&big, 31))
	get(t, c, "big", "", part(&big, 31))
	if big.Load() != 2 {
		t.Error("what is larger than the cache was kept")
	}
}

func TestErrorsAreNotKept(t *testing.T) {
	c := codec.NewCache(100)
	bad := errors.New("bad")
	l := c.Lease("a")
	defer l.Close()
	if _, err := l.Get(ctx, "", func() (any, int64, error) { return nil, 0, bad }); err != bad {
		t.Errorf("got %v", err)
	}
	var n atomic.Int64
	if v, err := l.Get(ctx, "", part(&n, 1)); err != nil || v != int64(1) {
		t.Errorf("got %v, %v", v, err)
	}
}

func TestReadersAtOnceWaitForOneDecoding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := codec.NewCache(100)
		var n atomic.Int64
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				v := get(t, c, "a", "", func() (any, int64, error) {
					time.Sleep(time.Second)
					return n.Add(1), 1, nil
				})
				if v != int64(1) {
					t.Errorf("got %v", v)
				}
			})
		}
		wg.Wait()
		if n.Load() != 1 {
			t.Errorf("decoded %d times", n.Load())
		}
	})
}

func TestAReaderThatGivesUpDoesNotTakeOthersAlong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := codec.NewCache(100)
		own, cancel := context.WithCancel(context.Background())
		go func() {
			l := c.Lease("a")
			defer l.Close()
			_, _ = l.Get(own, "", func() (any, int64, error) { <-own.Done(); return nil, 0, own.Err() })
		}()
		synctest.Wait()
		waiting, stop := context.WithCancel(context.Background())
		go func() {
			l := c.Lease("a")
			defer l.Close()
			if _, err := l.Get(waiting, "", func() (any, int64, error) { return "x", 1, nil }); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		}()
		synctest.Wait()
		stop()
		synctest.Wait()
		go cancel()
		if v := get(t, c, "a", "", func() (any, int64, error) { return "mine", 1, nil }); v != "mine" {
			t.Errorf("got %v", v)
		}
	})
}

func TestAWriteEndsLeasesAndForgets(t *testing.T) {
	c := codec.NewCache(100)
	var n atomic.Int64
	get(t, c, "a", "", part(&n, 10))
	get(t, c, "a", "index", part(&n, 10))
	get(t, c, "b", "", part(&n, 10))
	before := c.Lease("a")
	defer before.Close()
	other := c.Lease("b")
	defer other.Close()
	done := c.Change("a")
	if before.Holds() || !other.Holds() {
		t.Error("the wrong lease ended")
	}
	during := c.Lease("a")
	defer during.Close()
	if during.Holds() {
		t.Error("a lease was given while the chunk is being written")
	}
	// Readers of the old chunk still get values, but leave nothing behind.
	for _, l := range []*codec.Lease{before, during} {
		if v, err := l.Get(ctx, "", func() (any, int64, error) { return "old", 10, nil }); err != nil || v != "old" {
			t.Errorf("got %v, %v", v, err)
		}
	}
	done()
	if bytes, _ := c.Stats(); bytes != 10 {
		t.Errorf("%d bytes are left", bytes)
	}
	if v := get(t, c, "a", "", func() (any, int64, error) { return "new", 1, nil }); v != "new" {
		t.Errorf("got %v", v)
	}
}

func TestWhatIsDecodedDuringAWriteIsNotKept(t *testing.T) {
	c := codec.NewCache(100)
	l := c.Lease("a")
	defer l.Close()
	if v, err := l.Get(ctx, "", func() (any, int64, error) {
		c.Change("a")()
		return "old", 1, nil
	}); err != nil || v != "old" {
		t.Errorf("got %v, %v", v, err)
	}
	if v := get(t, c, "a", "", func() (any, int64, error) { return "new", 1, nil }); v != "new" {
		t.Errorf("got %v", v)
	}
}

func TestManyGoroutinesNeverSeeAnOldValue(t *testing.T) {
	c := codec.NewCache(1 << 10)
	var values [4]atomic.Int64
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for k := range values {
		wg.Go(func() {
			chunk := fmt.Sprint(k)
			for {
				select {
				case <-stop:
					return
				default:
				}
				least := values[k].Load()
				l := c.Lease(chunk)
				v, err := l.Get(ctx, "", func() (any, int64, error) { return values[k].Load(), 300, nil })
				l.Close()
				if err != nil || v.(int64) < least {
					t.Errorf("got %v after %d, %v", v, least, err)
					return
				}
				runtime.Gosched() // whoever writes waits for the lock, and has its turn now
			}
		})
	}
	for i := range thorough.Rounds(2000) {
		k := i % len(values)
		done := c.Change(fmt.Sprint(k))
		runtime.Gosched() // so that readers meet what is half done
		values[k].Add(1)
		runtime.Gosched()
		done()
	}
	close(stop)
	wg.Wait()
}

func ExampleCache() {
	c := codec.NewCache(1 << 20)
	for range 2 {
		l := c.Lease("volume/c/0/0")
		v, err := l.Get(context.Background(), "", func() (any, int64, error) {
			fmt.Println("decoding")
			return []byte{1, 2, 3}, 3, nil
		})
		fmt.Println(v, err)
		l.Close()
	}
	// Output:
	// decoding
	// [1 2 3] <nil>
	// [1 2 3] <nil>
}

// What is had for little is kept when it is wanted again, what takes more at once.
func TestAPartIsKeptOnceItIsWantedAgain(t *testing.T) {
	const little = `{"name":"bytes","configuration":{"endian":"little"}}`
	zstd := func(checksum bool) string {
		return fmt.Sprintf(`{"name":"zstd","configuration":{"level":1,"checksum":%v}}`, checksum)
	}
	for _, c := range []struct {
		codecs string
		row    int
		kept   []bool // after each of some reads
	}{
		{`[` + little + `,` + zstd(false) + `]`, 1, []bool{false, true, true}},
		{`[` + little + `,` + zstd(false) + `,"crc32c"]`, 1, []bool{false, true, true}},
		{`[{"name":"transpose","configuration":{"order":[1,0]}},` + little + `,` + zstd(false) + `]`, 60, []bool{false, true}},
		{`[` + little + `,` + zstd(false) + `]`, 60, []bool{true, true}},
		{`[` + little + `,` + zstd(true) + `]`, 1, []bool{true}},
		{`[` + little + `,"gzip"]`, 1, []bool{true}},
	} {
		b := bind(t, c.codecs, "uint16", 64, 512)
		src := nd.Make(2, 64, 512)
		for i := range src.Data {
			src.Data[i] = byte(i * i >> 7)
		}
		data, err := b.Encode(ctx, limits(), nil, src)
		if err != nil {
			t.Fatal(err)
		}
		cache := codec.NewPartCache(1 << 20)
		for i, want := range c.kept {
			lease := cache.Lease("chunk")
			ck := limits()
			ck.Cache = lease
			box := nd.Box{Start: []int{c.row, 3}, Shape: []int{1, 2}}
			dst := nd.Make(2, 1, 2)
			err := b.Decode(ctx, ck, &codec.Memory{Bytes: data}, box, dst)
			lease.Close()
			if err != nil || !bytes.Equal(dst.Data, src.Data[(c.row*512+3)*2:][:4]) {
				t.Errorf("%s: read %d: got %v, %v", c.codecs, i, dst.Data, err)
			}
			size, hits := cache.Stats()
			if (size > 0) != want || (hits > 0) != (i > 0 && c.kept[i-1]) {
				t.Errorf("%s: after read %d of row %d: %d bytes are kept, %d hits", c.codecs, i, c.row, size, hits)
			}
		}
	}
}
