package n5_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/nd"
)

// sources gives a block in memory, and behind ranges that are cheap and dear.
func sources(data []byte) []codec.Source {
	return []codec.Source{memory(data), &codectest.Source{Data: data, IsNear: true}, &codectest.Source{Data: data}}
}

func TestHostileHeaders(t *testing.T) {
	const header = "0000 0002 00000002 00000003 "
	const raw = "000102030405"
	for _, c := range []struct{ what, data, want string }{
		{"nothing", "", "0 bytes are too few for the header of a block"},
		{"half a mode", "00", "1 bytes are too few"},
		{"no dimensions", "0000 0002", "4 bytes are too few"},
		{"half the dimensions", "0000 0002 00000002 0000", "10 bytes are too few"},
		{"varlength", "0001 0002 00000002 00000003 00000006" + raw, "mode 1 (varlength)"},
		{"object as Java writes it", "0002 00000003 abcdef", "mode 2 (object)"},
		{"unknown mode", "0003 0002 00000002 00000003" + raw, "has mode 3, which N5 does not know"},
		{"largest mode", "ffff 0002 00000002 00000003" + raw, "has mode 65535"},
		{"too few dimensions", "0000 0001 00000006" + raw, "1 dimensions, the array has 2"},
		{"too many dimensions", "0000 0003 00000001 00000002 00000003" + raw, "3 dimensions, the array has 2"},
		{"very many dimensions", "0000 ffff 00000002 00000003" + raw, "65535 dimensions, the array has 2"},
		{"longer than it is", "0000 0002 00000002 00000004" + raw, "6 bytes follow the header of a block of shape [2 4], want 8"},
		{"far too long", "0000 0002 ffffffff ffffffff" + raw, "shape [4294967295 4294967295], the chunk [2 3]: more than 1048576 bytes of elements are not read"},
		{"so long that bytes cannot be counted", "0000 0002 80000000 ffffffff" + raw, "more than 1048576 bytes"},
		{"a little too long", "0000 0002 00100001 00000001" + raw, "more than 1048576 bytes"},
		{"empty", "0000 0002 00000000 00000003", "0 long along axis 0"},
		{"no elements", header, "0 bytes follow the header of a block of shape [2 3], want 6"},
		{"an element missing", header + "0001020304", "5 bytes follow the header of a block of shape [2 3], want 6"},
		{"a byte too many", header + raw + "00", "7 bytes follow the header of a block of shape [2 3], want 6"},
		{"a byte too many behind a block that was cut", "0000 0002 00000002 00000002 00010203 04", "5 bytes follow the header of a block of shape [2 2], want 4"},
	} {
		data, err := hex.DecodeString(strings.ReplaceAll(c.data, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		b := mustBind(t, block(2, `"bytes"`), "uint8", "0", 2, 3)
		for _, src := range sources(data) {
			_, err := decode(b, src, nd.Whole([]int{2, 3}))
			if !errors.Is(err, codec.ErrData) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s of %T: got %v, want %q", c.what, src, err, c.want)
			}
		}
	}
}

// The same errors come where the header is read by itself.
func TestHostileHeadersOfLargeBlocks(t *testing.T) {
	shape := []int{100, 200}
	b := mustBind(t, block(2, big), "uint16", "0", shape...)
	good, err := b.Encode(context.Background(), chunk(nil), nil, nd.Make(2, shape...))
	if err != nil {
		t.Fatal(err)
	}
	change := func(at int, to ...byte) []byte {
		bad := bytes.Clone(good)
		copy(bad[at:], to)
		return bad
	}
	for _, c := range []struct {
		what string
		data []byte
		want string
	}{
		{"header cut", good[:7], "too short"},
		{"varlength", change(0, 0, 1), "varlength"},
		{"object", change(0, 0, 2), "object"},
		{"dimensions", change(2, 0, 9), "9 dimensions, the array has 2"},
		{"length", change(4, 1), "shape [16777316 200], the chunk [100 200]: more than 1048576 bytes"},
		{"elements cut", good[:len(good)-1], "39999 bytes follow the header of a block of shape [100 200], want 40000"},
		{"a byte too many", append(bytes.Clone(good), 0), "40001 bytes follow"},
		{"shorter than it is", change(4, 0, 0, 0, 99), "40000 bytes follow the header of a block of shape [99 200], want 39600"},
	} {
		src := &codectest.Source{Data: c.data, IsNear: true}
		_, err := decode(b, src, nd.Box{Start: []int{3, 4}, Shape: []int{2, 2}})
		if !errors.Is(err, codec.ErrData) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.what, err, c.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		"00000002000000040000000300000001000200030004000500060007000800090000",
		"00000002000000020000000300010002000300040005000600",
		"0001000200000001000000010000000c1f8b08000000000000ff",
		"0000000200000001000000050001000200030004000500",
		"0002000000251f8b08000000000000ff012500daff",
		"0000000200000003000000011f8b08000000000000ff03000000000000000000",
	} {
		data, err := hex.DecodeString(text)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, false)
		f.Add(data, true)
	}
	raw := mustBind(f, block(2, big), "uint16", "7", 4, 3)
	packed := mustBind(f, block(2, big, `"gzip"`), "uint16", "7", 4, 3)
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte, compressed bool) {
		b := raw
		if compressed {
			b = packed
		}
		v, err := decode(b, memory(data), nd.Whole([]int{4, 3}))
		if err != nil {
			return
		}
		box := nd.Box{Start: []int{1, 1}, Shape: []int{3, 1}}
		part, err := decode(b, &codectest.Source{Data: data}, box)
		if err != nil || !bytes.Equal(elements(part), elements(v.Box(box))) {
			t.Fatalf("a part is not that of the whole: %v", err)
		}
		// What the block holds is written as the same elements, unless it was cut.
		stored := stored(data, 2)
		if stored[0] > 4 || stored[1] > 3 {
			return
		}
		again, err := b.Encode(context.Background(), chunk(stored), nil, v)
		if err != nil || !bytes.Equal(again[:12], data[:12]) {
			t.Fatalf("%x became %x, %v", data, again, err)
		}
		if !compressed && !bytes.Equal(again, data) {
			t.Fatalf("%x became %x", data, again)
		}
	})
}
