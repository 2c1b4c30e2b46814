// Command blosc exchanges Blosc frames with c-blosc, by way of Python packages
// that contain it; see peers/blosc_peer.py.
//
//	blosc write DIR
//	blosc read  DIR RESULTS
//
// A frame is a pair of files: NAME.raw is the data and NAME.blosc the frame. The
// name says how it was made: COMPRESSOR-LEVEL-SHUFFLE-TYPESIZE-BLOCKSIZE-KIND-BYTES.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/blosc"
	"github.com/omnizarr/zarr/codec/endian"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

func main() {
	var err error
	switch args := os.Args[1:]; {
	case len(args) == 2 && args[0] == "write":
		err = write(args[1])
	case len(args) == 3 && args[0] == "read":
		err = read(args[1], args[2])
	default:
		err = errors.New("usage: blosc write DIR | read DIR RESULTS")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "blosc:", err)
		os.Exit(1)
	}
}

// frame is what a name says.
type frame struct {
	compressor                       string
	level, shuffle, typeSize, blocks int
	kind                             string
	bytes                            int
}

func (f frame) String() string {
	return fmt.Sprintf("%s-%d-%d-%d-%d-%s-%d", f.compressor, f.level, f.shuffle, f.typeSize, f.blocks, f.kind, f.bytes)
}

func parse(name string) (f frame, err error) {
	_, err = fmt.Sscan(strings.ReplaceAll(name, "-", " "), &f.compressor, &f.level, &f.shuffle, &f.typeSize, &f.blocks, &f.kind, &f.bytes)
	return f, err
}

// frames is a matrix of all options, with sizes around the edges of blocks.
func frames() []frame {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...int) int { return of[r.IntN(len(of))] }
	var out []frame
	for _, c := range []string{"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"} {
		for level := range 10 {
			for shuffle := range 3 {
				for range 3 {
					size := pick(1+r.IntN(17), 1<<r.IntN(5), 255)
					n := pick(r.IntN(300), 8*size*r.IntN(500), 65536+r.IntN(41)-20, r.IntN(70000), 1<<pick(17, 18))
					if level > 5 {
						n = min(n, 70000) // the thorough ones take their time
					}
					out = append(out, frame{c, level, shuffle, size, pick(0, 0, 128, 1+r.IntN(100000)), kinds[r.IntN(len(kinds))], n})
				}
			}
		}
	}
	return out
}

var kinds = []string{"noise", "zero", "smooth", "steps"}

// data is of a kind that some compressors like.
func (f frame) data(r *rand.Rand) []byte {
	out := make([]byte, f.bytes)
	value := 1000.0
	for i := range out {
		switch f.kind {
		case "noise":
			out[i] = byte(r.Uint32())
		case "smooth": // integers with noise
			if i%f.typeSize == 0 {
				value += r.NormFloat64()
			}
			if k := i % f.typeSize; k < 8 {
				out[i] = byte(int(value+5*r.NormFloat64()) >> (8 * k))
			}
		case "steps":
			out[i] = byte(i / 50)
		}
	}
	return out
}

func write(dir string) error {
	r := rand.New(rand.NewPCG(3, 4))
	for _, f := range frames() {
		raw := f.data(r)
		encoded, err := f.encode(raw)
		if err != nil {
			return fmt.Errorf("%v: %w", f, err)
		}
		path := filepath.Join(dir, f.String())
		if err := errors.Join(os.WriteFile(path+".raw", raw, 0o666), os.WriteFile(path+".blosc", encoded, 0o666)); err != nil {
			return err
		}
	}
	return nil
}

// read compares pairs of files and leaves a line for each.
func read(dir, results string) error {
	paths, err := filepath.Glob(filepath.Join(dir, "*.blosc"))
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return fmt.Errorf("no frames in %s", dir)
	}
	slices.Sort(paths)
	var out bytes.Buffer
	lines := json.NewEncoder(&out)
	for _, path := range paths {
		var line struct {
			Case  string `json:"case"`
			Error string `json:"error"`
		}
		line.Case = strings.TrimSuffix(filepath.Base(path), ".blosc")
		if err := compare(filepath.Join(dir, line.Case)); err != nil {
			line.Error = err.Error()
		}
		if err := lines.Encode(line); err != nil {
			return err
		}
	}
	return os.WriteFile(results, out.Bytes(), 0o666)
}

// compare decodes a frame, wholly and a part, and looks whether we would cut the
// data in the same way.
func compare(path string) error {
	f, err := parse(filepath.Base(path))
	if err != nil {
		return err
	}
	raw, err := os.ReadFile(path + ".raw")
	if err != nil {
		return err
	}
	encoded, err := os.ReadFile(path + ".blosc")
	if err != nil {
		return err
	}
	b, err := f.bind()
	if err != nil {
		return err
	}
	third := len(raw) / 3
	for _, box := range []nd.Box{nd.Whole([]int{len(raw)}), {Start: []int{third}, Shape: []int{len(raw) - 2*third}}} {
		got := nd.Make(1, box.Shape...)
		if err := b.Decode(context.Background(), chunk, &codec.Memory{Bytes: encoded}, box, got); err != nil {
			return err
		}
		if at := box.Start[0]; !bytes.Equal(got.Data, raw[at:at+box.Shape[0]]) {
			return errors.New("different values")
		}
	}
	own, err := f.encode(raw)
	if err != nil {
		return err
	}
	// What depends on how well the compressor does: bit 1 of the flags, and the
	// length.
	const stored = 2
	own[2], encoded[2] = own[2]&^stored, encoded[2]&^stored
	if !bytes.Equal(own[:12], encoded[:12]) {
		return fmt.Errorf("our header is % x, theirs is % x", own[:12], encoded[:12])
	}
	return nil
}

var chunk = &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 30}}

// bind fits the codecs to bytes.
func (f frame) bind() (*codec.Bound, error) {
	r := codec.NewRegistry()
	r.Register(endian.Parse, "bytes")
	r.Register(blosc.ParseNumcodecs, "numcodecs.blosc")
	config := fmt.Sprintf(`{"cname":%q,"clevel":%d,"shuffle":%d,"typesize":%d,"blocksize":%d}`, f.compressor, f.level, f.shuffle, f.typeSize, f.blocks)
	chain, err := r.Chain([]codec.Entry{{Name: "bytes"}, {Name: "numcodecs.blosc", Config: json.RawMessage(config)}})
	if err != nil {
		return nil, err
	}
	return chain.Bind(codec.Spec{Type: dtype.MustParse("uint8"), Shape: []int{f.bytes}, Fill: []byte{0}})
}

func (f frame) encode(raw []byte) ([]byte, error) {
	b, err := f.bind()
	if err != nil {
		return nil, err
	}
	return b.Encode(context.Background(), chunk, nil, nd.Of(raw, 1, len(raw)))
}
