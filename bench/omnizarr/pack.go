package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/bigmem"
	"github.com/omnizarr/zarr/nd"
)

const rowLength = 4096 // elements of a row of the chunk that is packed

func randomPath(dir string) string { return filepath.Join(dir, "random.raw") }

// makeRandom writes the bytes of which all packed elements are made.
func makeRandom(dir, sizeText string) error {
	size, err := strconv.Atoi(sizeText)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	temp := randomPath(dir) + ".tmp"
	f, err := os.Create(temp)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	r := rand.New(rand.NewPCG(3, 4))
	for range size / 8 {
		_ = binary.Write(w, binary.LittleEndian, r.Uint64()) // Flush tells
	}
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		return err
	}
	return os.Rename(temp, randomPath(dir))
}

// makePacked writes the packed chunks that the workloads compare with.
func makePacked(dir, fields string) error {
	ctx := context.Background()
	for name := range strings.SplitSeq(fields, ",") {
		p, err := newPacking(task{dir: dir, name: name})
		if err != nil {
			return err
		}
		out, err := p.codec.Encode(ctx, p.chunk, nil, p.view())
		if err != nil {
			return err
		}
		if err := os.WriteFile(p.path, out, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// packing is a chunk in memory and the codec packbits, bound to it.
type packing struct {
	codec *codec.Bound
	chunk *codec.Chunk
	data  []byte // the elements
	path  string // of the packed chunk
}

// newPacking takes the lowest bits of a type: the task's name is TYPE/BITS.
func newPacking(t task) (*packing, error) {
	name, bitsText, _ := strings.Cut(t.name, "/")
	bits, err := strconv.Atoi(bitsText)
	if err != nil {
		return nil, err
	}
	typ, err := dtype.Lookup(name)
	if err != nil {
		return nil, err
	}
	p := &packing{
		chunk: &codec.Chunk{Limits: &codec.Limits{}},
		path:  filepath.Join(t.dir, name+"-"+bitsText+".packed"),
	}
	if p.data, err = readRandom(t.dir); err != nil {
		return nil, err
	}
	cutBits(p.data, typ.Units()[0], bits)
	chain, err := std.Registry().ParseList(json.RawMessage(fmt.Sprintf(`[{"name":"packbits","configuration":{"last_bit":%d}}]`, bits-1)))
	if err != nil {
		return nil, err
	}
	p.codec, err = chain.Bind(codec.Spec{
		Type: typ, Shape: []int{len(p.data) / typ.Size() / rowLength, rowLength}, Fill: make([]byte, typ.Size()),
	})
	return p, err
}

// readRandom reads the random bytes into memory of large pages, as that of numpy's
// arrays and of what Omnizarr reads.
func readRandom(dir string) ([]byte, error) {
	f, err := os.Open(randomPath(dir))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data := bigmem.Make[byte](int(info.Size()))
	_, err = io.ReadFull(f, data)
	return data, err
}

// cutBits makes elements of random bytes: only the lowest bits count, the others
// repeat the sign or are zero.
func cutBits(data []byte, u dtype.Unit, bits int) {
	cut := func(x uint16) uint16 {
		if x <<= 16 - bits; u.Signed {
			return uint16(int16(x) >> (16 - bits))
		}
		return x >> (16 - bits)
	}
	if u.Width == 1 {
		for i, b := range data {
			data[i] = byte(cut(uint16(b)))
		}
		return
	}
	for i := 0; i < len(data); i += 2 {
		binary.LittleEndian.PutUint16(data[i:], cut(binary.LittleEndian.Uint16(data[i:])))
	}
}

func (p *packing) view() nd.View { return p.viewOf(p.data) }

func (p *packing) viewOf(mem []byte) nd.View {
	s := p.codec.Spec()
	return nd.Of(mem, s.Type.Size(), s.Shape...)
}

// used is memory that was written to before.
func used(n int) []byte { return bytes.Repeat([]byte{1}, n) }

// packEncode packs the chunk into new memory, or into memory that was used
// before.
func packEncode(t task, reuse bool) (run, error) {
	p, err := newPacking(t)
	if err != nil {
		return run{}, err
	}
	want, err := os.ReadFile(p.path)
	if err != nil {
		return run{}, err
	}
	var out []byte
	if reuse {
		out = used(len(want))
	}
	return run{
		bytes: len(p.data),
		do: func(ctx context.Context) error {
			if !reuse {
				out = bigmem.Make[byte](len(want))
			}
			out, err = p.codec.Encode(ctx, p.chunk, out[:0], p.view())
			return err
		},
		check: func(context.Context) error { return same(out, want) },
		done:  forget(&out, reuse),
	}, nil
}

// packDecode unpacks the chunk likewise.
func packDecode(t task, reuse bool) (run, error) {
	p, err := newPacking(t)
	if err != nil {
		return run{}, err
	}
	packed, err := os.ReadFile(p.path)
	if err != nil {
		return run{}, err
	}
	var out []byte
	if reuse {
		out = used(len(p.data))
	}
	return run{
		bytes: len(p.data),
		do: func(ctx context.Context) error {
			if !reuse {
				out = bigmem.Make[byte](len(p.data))
			}
			return p.codec.Decode(ctx, p.chunk, &codec.Memory{Bytes: packed}, nd.Whole(p.codec.Spec().Shape), p.viewOf(out))
		},
		check: func(context.Context) error { return same(out, p.data) },
		done:  forget(&out, reuse),
	}, nil
}

// forget lets go of a result, unless it is used again.
func forget(out *[]byte, reuse bool) func() error {
	return func() error {
		if !reuse {
			*out = nil
		}
		return nil
	}
}

func same(got, want []byte) error {
	if !bytes.Equal(got, want) {
		return errors.New("wrong values")
	}
	return nil
}
