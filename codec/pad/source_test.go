package pad_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// rangeCase is a range of stored bytes behind or before padding.
type rangeCase struct {
	stored []byte
	nbytes int
	where  string
	size   codec.Size // of the data, as the chain knows it
	r      store.Range
	src    codec.Source
}

// sized reports whether the source tells its size.
func (c rangeCase) sized() bool {
	s, ok := c.src.(*codectest.Source)
	return !ok || !s.Unsized
}

// check compares with the same range of the data alone.
func (c rangeCase) check() error {
	f, err := boundTo(padding{c.where, c.nbytes, c.size})
	if err != nil {
		return err
	}
	got, info, err := f.(codec.Ranger).Range(nil, c.src).Get(context.Background(), c.r, []byte("pre"))
	if err != nil && string(got) != "pre" {
		return fmt.Errorf("an error came with %q", got)
	}
	data, short := f.(codec.Slicer).Slice(nil, c.stored)
	off, length, want := c.r.Resolve(int64(len(data)))
	limit, whole := c.r.IsAll()
	other := whole && c.size.Exact && c.where == "start" && c.size.N != len(data) && (limit < 0 || int64(c.size.N) <= limit)
	switch {
	case short != nil || want != nil && !other:
		if err == nil {
			return fmt.Errorf("got %x, want an error", got)
		}
		if !errors.Is(err, store.ErrRange) && !errors.Is(err, store.ErrTooLarge) && !errors.Is(err, codec.ErrData) {
			return err
		}
		return nil
	case other:
		// What is not of the size that all chunks have is bad data; only a source
		// that does not tell its size can hide that there is more.
		if err == nil && (c.sized() || c.size.N > len(data)) {
			return fmt.Errorf("%d bytes of data, where all have %d: %x", len(data), c.size.N, got)
		}
		return nil
	case err != nil:
		return err
	case string(got) != "pre"+string(data[off:off+length]):
		return fmt.Errorf("got %x, want %x", got, data[off:off+length])
	case c.sized() && info.Size != int64(len(data)):
		return fmt.Errorf("size %d, want %d", info.Size, len(data))
	}
	return nil
}

// padding is what a pad is bound to.
type padding struct {
	where  string
	nbytes int
	size   codec.Size
}

var bounds = map[padding]codec.BytesFilter{}

// boundTo binds each pad once.
func boundTo(p padding) (codec.BytesFilter, error) {
	if f := bounds[p]; f != nil {
		return f, nil
	}
	parsed, err := registry().Parse(codec.Entry{Name: "pad", Config: fmt.Appendf(nil, `{"location":"%s","nbytes":%d}`, p.where, p.nbytes)})
	if err != nil {
		return nil, err
	}
	bounds[p], err = parsed.(codec.BytesToBytes).BindBytes(codec.Spec{}, p.size)
	return bounds[p], err
}

// Every range of the data is what the same range of the data alone is, whichever
// way the bytes come, also when there are too few of them.
func TestRangesAreThoseOfTheDataAlone(t *testing.T) {
	const most = 7
	var ranges []store.Range
	for i := range int64(most + 2) {
		ranges = append(ranges, store.UpTo(i), store.Suffix(i))
		for n := range int64(most + 2) {
			ranges = append(ranges, store.Part(i-1, n))
		}
	}
	ranges = append(ranges, store.All())
	for stored := range most + 1 {
		data := []byte("abcdefgh")[:stored]
		for nbytes := range 4 {
			for _, where := range []string{"start", "end"} {
				for _, size := range []codec.Size{{}, codec.Exactly(max(stored-nbytes, 0)), codec.Exactly(3)} {
					for _, r := range ranges {
						for _, src := range []codec.Source{&codec.Memory{Bytes: data}, &codectest.Source{Data: data}, &codectest.Source{Data: data, Unsized: true}} {
							if err := (rangeCase{data, nbytes, where, size, r, src}).check(); err != nil {
								t.Fatalf("%d bytes, %d of padding at the %s, %+v of %T, size %+v: %v", stored, nbytes, where, r, src, size, err)
							}
						}
					}
				}
			}
		}
	}
}

func TestRangesOfRandomData(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rangeCase{
			stored: rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "stored"),
			nbytes: rapid.IntRange(0, 60).Draw(t, "nbytes"),
			where:  rapid.SampledFrom([]string{"start", "end"}).Draw(t, "location"),
		}
		if exact := rapid.IntRange(-1, 200).Draw(t, "exact"); exact >= 0 {
			c.size = codec.Exactly(exact)
		}
		n := int64(rapid.IntRange(0, 200).Draw(t, "n"))
		c.r = rapid.SampledFrom([]store.Range{store.All(), store.UpTo(n), store.Suffix(n),
			store.Part(int64(rapid.IntRange(0, 200).Draw(t, "off")), n)}).Draw(t, "range")
		c.src = &codectest.Source{Data: c.stored, Unsized: rapid.Bool().Draw(t, "unsized")}
		if err := c.check(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestNearnessIsPassedOn(t *testing.T) {
	f := bind(t, "pad", []byte(`{"location":"start","nbytes":4}`), codec.Size{})
	for src, want := range map[codec.Source]bool{
		&codec.Memory{}:                  true,
		&codectest.Source{IsNear: true}:  true,
		&codectest.Source{IsNear: false}: false,
	} {
		if got := store.IsNear(f.(codec.Ranger).Range(nil, src)); got != want {
			t.Errorf("%T: %v", src, got)
		}
	}
}

func TestRangesBeyondAllNumbersAreErrors(t *testing.T) {
	for _, where := range []string{"start", "end"} {
		f := bind(t, "pad", fmt.Appendf(nil, `{"location":"%s","nbytes":4}`, where), codec.Size{})
		src := f.(codec.Ranger).Range(nil, &codectest.Source{Data: make([]byte, 10)})
		for _, r := range []store.Range{store.Part(math.MaxInt64-2, 1), store.Part(1, math.MaxInt64-1), store.Part(-3, 2)} {
			if out, _, err := src.Get(context.Background(), r, nil); !errors.Is(err, store.ErrRange) {
				t.Errorf("%s: %+v gave %x, %v", where, r, out, err)
			}
		}
		for _, r := range []store.Range{store.UpTo(math.MaxInt64), store.Suffix(math.MaxInt64)} {
			if out, _, err := src.Get(context.Background(), r, nil); err != nil || !bytes.Equal(out, make([]byte, 6)) {
				t.Errorf("%s: %+v gave %x, %v", where, r, out, err)
			}
		}
	}
}

// Too few bytes for the padding are told by its name, also where the codec before
// it asks for a part.
func TestAPartOfAShortChunkNamesThePadding(t *testing.T) {
	for _, entry := range []string{
		`{"name":"pad","configuration":{"location":"start","nbytes":16}}`,
		`{"name":"pad","configuration":{"location":"end","nbytes":16}}`,
		`{"name":"offset","configuration":{"offset":16}}`,
	} {
		chain, err := std.Registry().ParseList([]byte(`["bytes",` + entry + `]`))
		if err != nil {
			t.Fatal(err)
		}
		b, err := chain.Bind(codec.Spec{Type: dtype.MustParse("uint8"), Shape: []int{8}, Fill: []byte{0}})
		if err != nil {
			t.Fatal(err)
		}
		name := "codec " + chain.Codecs()[1].Name() + ": "
		for _, box := range []nd.Box{{Start: []int{0}, Shape: []int{2}}, {Start: []int{6}, Shape: []int{2}}, {Start: []int{0}, Shape: []int{8}}} {
			for _, src := range []codec.Source{&codec.Memory{Bytes: make([]byte, 10)}, &codectest.Source{Data: make([]byte, 10)}} {
				ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}}
				err := b.Decode(context.Background(), ck, src, box, nd.Make(1, box.Shape...))
				if err == nil || !strings.Contains(err.Error(), name) || !errors.Is(err, codec.ErrData) {
					t.Errorf("%s, %v: %v", entry, box, err)
				}
			}
		}
	}
}
