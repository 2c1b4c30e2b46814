//go:build !arrays

package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

func init() {
	commands["growth"] = command{-1, func(a []string) error { return growth(a) }}
}

// growth measures how the time of Omnizarr grows with what it is given, and puts plots and figures into
// a folder and a page: CPU time of all threads, which a busy machine disturbs least.
func growth(args []string) error {
	flags := flag.NewFlagSet("growth", flag.ContinueOnError)
	quick := flags.Bool("quick", false, "small, only to see that everything works")
	page := flags.String("page", "", "the page that gets the figures, between two marks")
	out := flags.String("out", "", "the folder that gets the plots")
	if err := flags.Parse(args); err != nil {
		return err
	}
	ctx := context.Background()
	var text strings.Builder
	fmt.Fprintf(&text, "| what grows | from, to | grows by the power | each costs | at the end |\n|---|---|---|---|---|\n")
	for _, c := range curves {
		points, err := c.measure(ctx, *quick)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		fmt.Fprintln(&text, c.row(points))
		fmt.Fprintln(os.Stderr, c.row(points))
		if *out != "" {
			if err := os.MkdirAll(*out, 0o777); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(*out, c.name+".svg"), plot(c.title, c.x, points), 0o666); err != nil {
				return err
			}
		}
	}
	locks, err := profileOfWorkers(ctx, *quick)
	if err != nil {
		return err
	}
	text.WriteString("\n" + locks)
	fmt.Print(text.String())
	if *page == "" {
		return nil
	}
	return replaceBetween(*page, "<!-- growth -->\n", "<!-- end of growth -->", text.String())
}

// replaceBetween puts text between two marks of a file.
func replaceBetween(path, from, to, text string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head, rest, ok := bytes.Cut(old, []byte(from))
	_, tail, ended := bytes.Cut(rest, []byte(to))
	if !ok || !ended {
		return fmt.Errorf("%s has no marks %q and %q", path, from, to)
	}
	return os.WriteFile(path, []byte(string(head)+from+text+to+string(tail)), 0o666)
}

// point is how many CPU seconds something took, of which there were n.
type point struct{ n, seconds float64 }

// curve is one thing that grows.
type curve struct {
	name, title, x, unit string
	full, quick          []int // how many
	// prepare makes n of them; the function that it returns is measured.
	prepare func(ctx context.Context, n int) (func() error, error)
	flat    bool // the work is always the same: only how it is cut grows
	memory  bool // the memory of the process is told
}

var curves = []curve{
	// The first, so that no other has made the process larger.
	{name: "size", title: "an array that is streamed, by its MiB", x: "MiB", unit: "MiB",
		full: powers(16, 2, 12), quick: powers(16, 4, 2), prepare: growSize, memory: true},
	{name: "chunks", title: "a whole read, by the number of chunks of 128 bytes, uncompressed, in memory", x: "chunks", unit: "chunk",
		full: powers(100, 10, 5), quick: powers(100, 10, 2), prepare: growChunks},
	{name: "files", title: "a whole read, by the number of chunks of 128 bytes, each in a file", x: "chunks", unit: "chunk",
		full: powers(100, 10, 4), quick: powers(100, 10, 2), prepare: growFiles},
	{name: "shards", title: "a whole read of 64 MiB, by the inner chunks of 8 KiB in each shard", x: "inner chunks of a shard", unit: "inner chunk",
		full: powers(1, 4, 7), quick: powers(1, 16, 3), prepare: growShards, flat: true},
	{name: "arrays", title: "open and walk, by the number of arrays", x: "arrays", unit: "array",
		full: powers(10, 10, 5), quick: powers(10, 10, 2), prepare: func(ctx context.Context, n int) (func() error, error) { return growArrays(ctx, n, false) }},
	{name: "arrays-consolidated", title: "open and walk with consolidated metadata, by the number of arrays", x: "arrays", unit: "array",
		full: powers(10, 10, 5), quick: powers(10, 10, 2), prepare: func(ctx context.Context, n int) (func() error, error) { return growArrays(ctx, n, true) }},
}

// powers are so many numbers from the first on, each so many times as large as the one before.
func powers(first, times, count int) []int {
	out := []int{first}
	for range count - 1 {
		out = append(out, out[len(out)-1]*times)
	}
	return out
}

func (c *curve) measure(ctx context.Context, quick bool) ([]point, error) {
	counts := c.full
	if quick {
		counts = c.quick
	}
	var out []point
	for _, n := range counts {
		do, err := c.prepare(ctx, n)
		if err != nil {
			return nil, err
		}
		// What takes little is done often enough for the clock of the processor; the best of
		// three such times counts.
		best := math.Inf(1)
		for range 3 {
			times, spent := 0, 0.0
			for start := processUsage().cpu; spent < 0.02 && times < 1000; times++ {
				if err := do(); err != nil {
					return nil, err
				}
				spent = processUsage().cpu - start
			}
			best = min(best, spent/float64(times))
			if spent > 5 {
				break
			}
		}
		out = append(out, point{float64(n), best})
		debug.FreeOSMemory()
	}
	return out, nil
}

// row tells by which power of the number the time grows, over the last three steps, and what one costs at the end.
func (c *curve) row(points []point) string {
	last := points[len(points)-1]
	from := points[max(0, len(points)-4)]
	power := math.Log(last.seconds/from.seconds) / math.Log(last.n/from.n)
	each := last.seconds / last.n
	if c.flat {
		each = last.seconds / shardTotal
	}
	end := duration(last.seconds)
	if c.memory {
		end += fmt.Sprintf(", at most %d MiB resident", processUsage().rss>>20)
	}
	return fmt.Sprintf("| [%s](speed/%s.svg) | %.0f to %.0f | %.2f | %s for each %s | %s |", c.title, c.name, points[0].n, last.n, power, duration(each), c.unit, end)
}

func duration(seconds float64) string {
	for _, u := range []struct {
		least float64
		name  string
	}{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {0, "ns"}} {
		if seconds >= u.least {
			return fmt.Sprintf("%.3g %s", seconds/max(u.least, 1e-9), u.name)
		}
	}
	return ""
}

// repeated is a store in which every chunk of the array has the same bytes, so that there can be any number.
type repeated struct {
	store.Store
	chunk []byte
}

func (r *repeated) Get(ctx context.Context, key string, want store.Range, dst []byte) ([]byte, store.Info, error) {
	if !strings.HasPrefix(key, "a/c/") {
		return r.Store.Get(ctx, key, want, dst)
	}
	out, err := want.Append(dst, r.chunk)
	return out, store.Info{Size: int64(len(r.chunk)), ETag: "1"}, err
}

func (r *repeated) Near() bool       { return true }
func (r *repeated) Concurrency() int { return 1 }

const uncompressed = `[{"name":"bytes","configuration":{"endian":"little"}}]`

// endless is an array of n chunks of so many bytes, all the same.
func endless(ctx context.Context, n, size int) (*zarr.Array, error) {
	chunk := bytes.Repeat([]byte{1, 2, 3, 4, 5, 6, 7, 8}, size/8)
	return zarr.CreateArrayIn(ctx, &repeated{mem.New(), chunk}, "a", zarr.ArraySpec{
		Shape: []int{n * size}, Chunks: []int{size}, DataType: "uint8", Codecs: []byte(uncompressed)}, zarr.Workers(1))
}

func growChunks(ctx context.Context, n int) (func() error, error) {
	a, err := endless(ctx, n, 128)
	dst := make([]uint8, n*128)
	return func() error { return zarr.ReadSlice(ctx, a, zarr.All(), dst) }, err
}

func growFiles(ctx context.Context, n int) (func() error, error) {
	dir := filepath.Join(".work", "growth", fmt.Sprint("files-", n))
	a, err := zarr.OpenArray(ctx, dir, zarr.Workers(1))
	dst := make([]uint8, n*128)
	if errors.Is(err, store.ErrNotExist) {
		a, err = zarr.CreateArray(ctx, dir, zarr.ArraySpec{Shape: []int{n * 128}, Chunks: []int{128}, DataType: "uint8", Codecs: []byte(uncompressed)}, zarr.Workers(1))
		if err == nil {
			for i := range dst {
				dst[i] = 7
			}
			err = zarr.Write(ctx, a, zarr.All(), dst)
		}
	}
	return func() error { return zarr.ReadSlice(ctx, a, zarr.All(), dst) }, err
}

const (
	shardTotal = 8 << 10 // inner chunks
	shardInner = 8 << 10 // bytes of each
)

func growShards(ctx context.Context, n int) (func() error, error) {
	const size = shardTotal * shardInner
	a, err := zarr.CreateArrayIn(ctx, mem.New(), "a", zarr.ArraySpec{Shape: []int{size}, Chunks: []int{shardInner}, Shards: []int{n * shardInner},
		DataType: "uint8", Codecs: []byte(uncompressed)}, zarr.Workers(1))
	dst := bytes.Repeat([]byte{7}, size)
	if err == nil {
		err = zarr.Write(ctx, a, zarr.All(), dst)
	}
	return func() error { return zarr.ReadSlice(ctx, a, zarr.All(), dst) }, err
}

// growArrays makes a hierarchy of n arrays in files, in groups of at most a hundred.
func growArrays(ctx context.Context, n int, consolidated bool) (func() error, error) {
	dir := filepath.Join(".work", "growth", fmt.Sprint("arrays-", n))
	if consolidated {
		dir += "-consolidated"
	}
	if _, err := os.Stat(filepath.Join(dir, "zarr.json")); errors.Is(err, fs.ErrNotExist) {
		err = makeArrays(ctx, dir, n, consolidated)
		if err != nil {
			return nil, err
		}
	}
	return func() error {
		found, err := countArrays(zarr.OpenGroup(ctx, dir, largeDocument))
		if err == nil && found != n {
			err = fmt.Errorf("found %d arrays of %d", found, n)
		}
		return err
	}, nil
}

// makeArrays writes the documents of a hierarchy, that of the root last.
func makeArrays(ctx context.Context, dir string, n int, consolidated bool) error {
	s := mem.New()
	_, err := zarr.CreateGroupIn(ctx, s, "")
	if err == nil {
		_, err = zarr.CreateArrayIn(ctx, s, "a", zarr.ArraySpec{Shape: []int{100, 100}, Chunks: []int{10, 10}, DataType: "uint16"})
	}
	if err != nil {
		return err
	}
	group, _, err := s.Get(ctx, "zarr.json", store.All(), nil)
	if err != nil {
		return err
	}
	array, _, err := s.Get(ctx, "a/zarr.json", store.All(), nil)
	if err != nil {
		return err
	}
	put := func(path string, text []byte) error {
		if err := os.MkdirAll(filepath.Join(dir, path), 0o777); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, path, "zarr.json"), text, 0o666)
	}
	for i := 0; err == nil && i < n; i++ {
		if i%100 == 0 {
			err = put(fmt.Sprint("g", i/100), group)
		}
		if err == nil {
			err = put(fmt.Sprintf("g%d/a%d", i/100, i%100), array)
		}
	}
	if err == nil {
		err = put("", group)
	}
	if err != nil || !consolidated {
		return err
	}
	g, err := zarr.OpenGroup(ctx, dir, largeDocument)
	if err != nil {
		return err
	}
	defer g.Close()
	return g.Consolidate(ctx)
}

// countArrays counts the arrays below a group.
func countArrays(g *zarr.Group, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	defer g.Close()
	found := 0
	for node, err := range g.Walk(context.Background()) {
		if err != nil {
			return 0, err
		}
		if a, ok := node.(*zarr.Array); ok && a.Shape()[0] > 0 {
			found++
		}
	}
	return found, nil
}

func growSize(ctx context.Context, mebibytes int) (func() error, error) {
	a, err := endless(ctx, mebibytes, 1<<20)
	return func() error {
		n := 0
		for v, err := range a.Stream(ctx, zarr.All(), 16<<20) {
			if err != nil {
				return err
			}
			n += len(v.Data)
		}
		if n < mebibytes<<20 {
			return fmt.Errorf("%d bytes came", n)
		}
		return nil
	}, err
}

// profileOfWorkers tells what more workers cost where there are no processors for them: how often one waited for
// a lock, for how long, and what was allocated.
func profileOfWorkers(ctx context.Context, quick bool) (string, error) {
	side, reps := 256, 4
	if quick {
		side, reps = 64, 1
	}
	volume := make([]uint16, side*side*side)
	for i := range volume {
		volume[i] = uint16(i*i>>13 + i%5)
	}
	zstd := []byte(`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"zstd","configuration":{"level":3,"checksum":false}}]`)
	s := mem.New()
	shape := []int{side, side, side}
	a, err := zarr.CreateArrayIn(ctx, s, "a", zarr.ArraySpec{Shape: shape, Chunks: []int{16, 16, 16}, DataType: "uint16", Codecs: zstd})
	if err != nil {
		return "", err
	}
	b, err := zarr.CreateArrayIn(ctx, s, "b", zarr.ArraySpec{Shape: shape, Chunks: []int{16, 16, 16}, Shards: []int{64, 64, 64}, DataType: "uint16", Codecs: zstd})
	if err != nil {
		return "", err
	}
	if err := errors.Join(zarr.Write(ctx, a, zarr.All(), volume), zarr.Write(ctx, b, zarr.All(), volume)); err != nil {
		return "", err
	}
	defer runtime.SetMutexProfileFraction(runtime.SetMutexProfileFraction(1))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(64)) // so that workers are threads, which interrupt each other anywhere
	chunks := (side / 16) * (side / 16) * (side / 16)
	var text strings.Builder
	fmt.Fprintf(&text, "| workers | chunks: CPU | waits for locks per 1000 chunks | allocations per chunk | kept inner chunks of shards: CPU | waits per 1000 | allocations per inner chunk |\n|---|---|---|---|---|---|---|\n")
	for workers := 1; workers <= 64; workers *= 2 {
		fmt.Fprintf(&text, "| %d", workers)
		for _, path := range []string{"a", "b"} {
			opts := []zarr.Option{zarr.Workers(workers)}
			if path == "b" {
				opts = append(opts, zarr.WithCache(codec.NewCache(1<<30)))
			}
			node, err := zarr.OpenStore(ctx, s, path, opts...)
			if err != nil {
				return "", err
			}
			array := node.(*zarr.Array)
			dst := nd.Of(bytesOf(volume), 2, shape...)
			if err := array.ReadInto(ctx, zarr.All(), dst); err != nil { // pools and caches are filled
				return "", err
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start, waits := processUsage().cpu, lockWaits()
			for range reps {
				if err := array.ReadInto(ctx, zarr.All(), dst); err != nil {
					return "", err
				}
			}
			spent, waited := processUsage().cpu-start, lockWaits()-waits
			runtime.ReadMemStats(&after)
			all := float64(reps * chunks)
			fmt.Fprintf(&text, " | %s | %.2f | %.2f", duration(spent/float64(reps)), 1000*float64(waited)/all, float64(after.Mallocs-before.Mallocs)/all)
		}
		fmt.Fprintln(&text, " |")
	}
	return text.String(), nil
}

// lockWaits is how often goroutines have waited for a lock of package sync.
func lockWaits() int64 {
	records := make([]runtime.BlockProfileRecord, 4096)
	n, _ := runtime.MutexProfile(records)
	total := int64(0)
	for _, r := range records[:min(n, len(records))] {
		total += r.Count
	}
	return total
}
