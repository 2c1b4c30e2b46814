package n5_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/nd"
)

// dataset is an N5 dataset that another implementation wrote. Sum is over its
// elements in C order, little-endian, as the writer had them; blocks that are
// missing are zeros.
type dataset struct {
	By         string
	Path       string
	Type       string
	Shape      []int
	Block      []int
	Sum        string `json:"sha256"`
	Compressor json.RawMessage
	Blocks     map[string][]byte // by their place in the grid, "0/1"
}

func datasets(t *testing.T) []dataset {
	t.Helper()
	packed, err := os.Open("testdata/blocks.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	text, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	var all []dataset
	if err := json.NewDecoder(text).Decode(&all); err != nil || len(all) == 0 {
		t.Fatalf("%d datasets, %v", len(all), err)
	}
	return all
}

func (d *dataset) bind(t *testing.T) *codec.Bound {
	t.Helper()
	more := []string{big}
	if d.Compressor != nil {
		more = append(more, string(d.Compressor))
	}
	return mustBind(t, block(len(d.Block), more...), d.Type, "0", d.Block...)
}

// extent is where a block begins, and how much of it lies inside the dataset.
func (d *dataset) extent(t *testing.T, key string) (start, extent []int) {
	t.Helper()
	for i, part := range strings.Split(key, "/") {
		k, err := strconv.Atoi(part)
		if err != nil {
			t.Fatal(err)
		}
		start = append(start, k*d.Block[i])
		extent = append(extent, min(d.Block[i], d.Shape[i]-start[i]))
	}
	return start, extent
}

// The blocks were written by the N5 library for Java, which cuts those at the
// edge, and by tensorstore and zarr-python 2 (N5FSStore), which pad them.
func TestWhatOthersWrote(t *testing.T) {
	cut, padded := map[string]int{}, map[string]int{}
	for _, d := range datasets(t) {
		b := d.bind(t)
		size := b.Spec().Type.Size()
		whole := nd.Make(size, d.Shape...)
		for key, data := range d.Blocks {
			start, extent := d.extent(t, key)
			inside := nd.Box{Start: start, Shape: extent}
			if err := b.Decode(context.Background(), chunk(extent), memory(data), nd.Whole(extent), whole.Box(inside)); err != nil {
				t.Errorf("%s %s %s: %v", d.By, d.Path, key, err)
				continue
			}
			isCut := !slices.Equal(stored(data, len(extent)), d.Block)
			if isCut {
				cut[d.By]++
			} else if !slices.Equal(extent, d.Block) {
				padded[d.By]++
			}
			if d.Compressor != nil {
				continue
			}
			// Without compression the bytes are settled.
			ck := chunk(nil)
			if isCut {
				ck = chunk(extent)
			}
			v, err := decode(b, memory(data), nd.Whole(d.Block))
			if err != nil {
				t.Fatal(err)
			}
			if again, err := b.Encode(context.Background(), ck, nil, v); err != nil || !bytes.Equal(again, data) {
				t.Errorf("%s %s %s: %x became %x, %v", d.By, d.Path, key, data, again, err)
			}
		}
		if sum := sha256.Sum256(whole.Data); hex.EncodeToString(sum[:]) != d.Sum {
			t.Errorf("%s %s: the elements are others", d.By, d.Path)
		}
	}
	if cut["java"] == 0 || padded["java"] == 0 || padded["tensorstore"] == 0 || padded["zarr2"] == 0 || cut["tensorstore"] != 0 {
		t.Errorf("blocks that were cut %v, and padded %v", cut, padded)
	}
}

// stored is the shape in a header.
func stored(data []byte, rank int) []int {
	var out []int
	for i := range rank {
		out = append(out, int(binary.BigEndian.Uint32(data[4+4*i:])))
	}
	return out
}

// Two raw blocks of the N5 library for Java, the second cut at the edge.
func TestBlocksByJava(t *testing.T) {
	b := mustBind(t, block(1, big), "int32", "-1", 5)
	for text, want := range map[string][]int32{
		"0000000100000005" + "7ffffffff83ed81f000000021d3b37ee00000004": {2147483647, -130099169, 2, 490420206, 4},
		"0000000100000003" + "0000000a0000000b80000000":                 {10, 11, -2147483648, -1, -1},
	} {
		v, err := decode(b, memory(unhex(t, text)), nd.Whole([]int{5}))
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range want {
			if got := int32(binary.LittleEndian.Uint32(v.At(i))); got != w {
				t.Errorf("element %d of %s is %d, want %d", i, text, got, w)
			}
		}
	}
}

// Blocks of the other modes by the same library: elements that are counted, two
// strings, and an object, whose header has no dimensions.
func TestOtherModesByJava(t *testing.T) {
	for _, c := range []struct {
		text, want string
		shape      []int
	}{
		{"0001000200000001000000010000000c1f8b08000000000000fffbff9f8199818d8193819181e54e7aca12062685e50c1c0c0c003303c93218000000", "varlength", []int{4, 3}},
		{"00010001000000020000000b28b52ffd200b590000d0b5d189d1910061096200", "varlength", []int{3}},
		{"0002000000251f8b08000000000000ff012500daff8ba70957e33bfbfe54a3db5d9330e432738b07afd3373a69944c5b46d1e6fd2ca8f00d27441455199e25000000", "object", []int{4}},
	} {
		b := mustBind(t, block(len(c.shape), big, `"gzip"`), "uint16", "0", c.shape...)
		_, err := decode(b, memory(unhex(t, c.text)), nd.Whole(c.shape))
		if !errors.Is(err, codec.ErrData) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	data, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
