// Command calibrate tells when a kernel has become slower: it measures how many times as long as a plain loop each
// takes, which on one kind of processor is about the same however fast or busy the machine is, and compares that with
// what was recorded. bench/README.md says more.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

const (
	worse  = 1.15            // times the recorded ratio, from which on a kernel is slower
	rounds = 150             // of a measurement: the shortest of each counts
	again  = 20              // how often what looks slower is measured anew before it is
	pause  = 2 * time.Second // before that, since neighbours that share a core may be at work for a while
	side   = 64              // of a chunk of uint16 along every axis
)

func main() {
	file := flag.String("file", "calibration.json", "what was recorded, by processor")
	record := flag.Bool("record", false, "record what this machine does")
	known := flag.Bool("known", false, "only tell, by the exit code, whether this kind of processor was recorded")
	flag.Parse()
	if *known {
		if recorded, err := read(*file); err != nil || recorded[processor()] == nil {
			os.Exit(1)
		}
		return
	}
	if err := run(*file, *record); err != nil {
		fmt.Fprintln(os.Stderr, "calibrate:", err)
		os.Exit(1)
	}
}

// read gives what was recorded, ratios by processor and kernel: nothing if there is no file.
func read(file string) (map[string]map[string]float64, error) {
	known := map[string]map[string]float64{}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return known, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &known)
	}
	return known, err
}

func run(file string, record bool) error {
	known, err := read(file)
	if err != nil {
		return err
	}
	all, err := kernels()
	if err != nil {
		return err
	}
	cpu := processor()
	if record {
		known[cpu] = map[string]float64{}
		for _, k := range all {
			var ratios []float64
			for range 9 {
				r, err := k.ratio(rounds)
				if err != nil {
					return err
				}
				ratios = append(ratios, r)
			}
			slices.Sort(ratios)
			known[cpu][k.name], _ = strconv.ParseFloat(strconv.FormatFloat(ratios[4], 'g', 4, 64), 64)
			fmt.Printf("%-20s %8.4g (%.4g to %.4g)\n", k.name, ratios[4], ratios[0], ratios[8])
		}
		text, err := json.MarshalIndent(known, "", "  ")
		if err != nil {
			return err
		}
		return os.WriteFile(file, append(text, '\n'), 0o666)
	}
	recorded := known[cpu]
	if recorded == nil {
		fmt.Printf("nothing was recorded of %q: calibrate -record does that\n", cpu)
		return nil
	}
	var slower []string
	for _, k := range all {
		want, ok := recorded[k.name]
		if !ok {
			return fmt.Errorf("%s was not recorded: calibrate -record does that", k.name)
		}
		best := math.Inf(1)
		for try := 0; try <= again && best > want*worse; try++ {
			if try > 0 {
				time.Sleep(pause)
			}
			r, err := k.ratio(rounds)
			if err != nil {
				return err
			}
			best = min(best, r)
		}
		fmt.Printf("%-20s %8.4g, recorded %.4g: %+.0f %%\n", k.name, best, want, 100*(best/want-1))
		if best > want*worse {
			slower = append(slower, k.name)
		}
	}
	if slower != nil {
		return fmt.Errorf("slower than %.0f %% more than recorded: %s", 100*(worse-1), strings.Join(slower, ", "))
	}
	return nil
}

// kernel is a piece of work.
type kernel struct {
	name string
	do   func() error
}

// least is how long a run takes at least: what is quicker is done several times.
const least = 200 * time.Microsecond

// ratio is how many times as long as the loop the kernel takes. They take turns, so that both meet the machine as it
// is; the shortest time of each is one in which nothing came between.
func (k kernel) ratio(rounds int) (float64, error) {
	loop, work, times := math.Inf(1), math.Inf(1), 1
	for i := range rounds {
		start := time.Now()
		spin()
		middle := time.Now()
		for range times {
			if err := k.do(); err != nil {
				return 0, fmt.Errorf("%s: %w", k.name, err)
			}
		}
		loop, work = min(loop, middle.Sub(start).Seconds()), min(work, time.Since(middle).Seconds()/float64(times))
		if i == 9 {
			times = int(least.Seconds()/work) + 1
		}
	}
	return work / loop, nil
}

var spun [32 << 10]uint32

// spin is the loop: arithmetic and memory of the first-level cache, and nothing of Omnizarr.
func spin() {
	x := uint32(2463534242)
	for range 6 {
		for i := range spun {
			x ^= x << 13
			x ^= x >> 17
			x ^= x << 5
			spun[i] += x
		}
	}
	spun[0] = x
}

// kernels are the decoders and encoders of one chunk.
func kernels() ([]kernel, error) {
	const shuffled = `"typesize":2,"blocksize":0,"shuffle":`
	var out []kernel
	for _, c := range []struct {
		name, typ, codecs string
		encodes           bool
	}{
		{"zstd", "uint16", `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"zstd","configuration":{"level":3,"checksum":false}}]`, true},
		{"gzip", "uint16", `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"gzip","configuration":{"level":5}}]`, false},
		{"blosc-lz4", "uint16", `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"blosc","configuration":{"cname":"lz4","clevel":5,` + shuffled + `"shuffle"}}]`, true},
		{"blosc-zstd", "uint16", `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"blosc","configuration":{"cname":"zstd","clevel":3,` + shuffled + `"bitshuffle"}}]`, true},
		{"crc32c", "uint16", `[{"name":"bytes","configuration":{"endian":"little"}},"crc32c"]`, false},
		{"big-endian", "uint16", `[{"name":"bytes","configuration":{"endian":"big"}}]`, false},
		{"transpose", "uint16", `[{"name":"transpose","configuration":{"order":[2,1,0]}},{"name":"bytes","configuration":{"endian":"little"}}]`, false},
		{"packbits", "bool", `["packbits"]`, true},
		{"shard", "uint16", `[{"name":"sharding_indexed","configuration":{"chunk_shape":[16,16,16],"codecs":[{"name":"bytes","configuration":{"endian":"little"}},"zstd"],` +
			`"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}},"crc32c"]}}]`, false},
	} {
		chain, err := std.Registry().ParseList(json.RawMessage(c.codecs))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		typ, err := dtype.Lookup(c.typ)
		if err != nil {
			return nil, err
		}
		shape := []int{side, side, side}
		b, err := chain.Bind(codec.Spec{Type: typ, Shape: shape, Fill: make([]byte, typ.Size())})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		ctx, ck := context.Background(), &codec.Chunk{Limits: &codec.Limits{}}
		chunk := nd.Make(typ.Size(), shape...)
		fill(chunk.Data, c.typ == "bool")
		encoded, err := b.Encode(ctx, ck, nil, chunk)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		dst, mem := nd.Make(typ.Size(), shape...), make([]byte, 0, 2*len(chunk.Data)+1<<16)
		out = append(out, kernel{"decode/" + c.name, func() error {
			return b.Decode(ctx, ck, &codec.Memory{Bytes: encoded}, nd.Whole(shape), dst)
		}})
		if c.encodes {
			out = append(out, kernel{"encode/" + c.name, func() error {
				_, err := b.Encode(ctx, ck, mem, chunk)
				return err
			}})
		}
	}
	return out, nil
}

// fill makes elements as a microscope does, a slope with some noise; of truth values, the lowest bits.
func fill(data []byte, bits bool) {
	x := uint32(1)
	for i := range data {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		switch {
		case bits:
			data[i] = byte(x) & 1
		case i%2 == 0:
			data[i] = byte(i>>7) + byte(x)&15
		default:
			data[i] = byte(i >> 16)
		}
	}
}

// processor names the kind of processor, also where its maker gives several kinds one name.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	first, _, _ := strings.Cut(string(text), "\n\n")
	facts := map[string]string{}
	for line := range strings.Lines(first) {
		name, value, _ := strings.Cut(line, ":")
		facts[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	if facts["model name"] == "" {
		return "unknown"
	}
	return fmt.Sprintf("%s, family %s, model %s", facts["model name"], facts["cpu family"], facts["model"])
}
